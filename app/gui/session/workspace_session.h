// What a session keeps of what is open, and how it comes back.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/gui/session/job_runner.h"
#include "app/gui/session/workspace.h"

namespace mog::gui {

// Everything that was opened again, in the order of the session; nullopt and empty where it failed.
struct ReopenedSession {
  std::vector<std::optional<OpenedModel>> models;
  struct Item {
    std::vector<TypedSentence> typed;
    std::vector<std::shared_ptr<const RecordingSource>> sources;
    std::vector<std::int64_t> tokens;
  };
  std::vector<Item> items;
  Workspace::Restored report;
};

// For a job. What cannot be opened is reported in the result; throws Interrupted when the job is cancelled.
ReopenedSession reopen(const app::Session& session, const Openers& openers, const JobContext& context);
// What was opened, with numbers from next_item and next_model on.
Workspace::Contents contents_of(const app::Session& session, ReopenedSession all, int next_item,
                                int next_model);

// Adds models, items, selection and treebank to a session. What is in memory only is left out.
void describe_workspace(const Workspace& workspace, const SelectionModel& selection, app::Session& session);

}  // namespace mog::gui
