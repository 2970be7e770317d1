// A change inside the model that is tried: it runs at once, and becomes a sentence of the workspace only when
// it is kept. No widget here.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/effects/run_changes.h"
#include "app/gui/session/selection_model.h"
#include "app/gui/session/typed_run.h"

namespace mog::gui {

// What can stand in the place of a word without saying anything: the tokenizer's token for masks, else the
// one for words that it does not know.
struct StandIn {
  std::int64_t id = 0;
  std::string text;
};
// nullopt: the tokenizer has neither.
std::optional<StandIn> stand_in(const OpenedModel& loaded);

// Workspace::tryChange() fills what comes before a run, run_tried() the two sources.
struct TriedChange {
  SentenceRef of;
  int model = 0;  // WorkspaceModel::id
  OpenedModel loaded;
  TypedSentence first;    // as it ran before
  TypedSentence changed;  // its parent is not yet known
  std::shared_ptr<const RecordingSource> before;
  std::int64_t before_index = 0;
  bool run_before = false;                       // `before` is a recording: the sentence is run once more
  std::shared_ptr<const RecordingSource> after;  // one sentence
};

// Runs the change; of a sentence of a recording the sentence itself, too, so that both hold the same
// quantities. Safe on any thread. Throws as run_typed(), and UsageError where the model cuts the sentence
// into other tokens than the recording has.
TriedChange run_tried(TriedChange tried, const std::stop_token& stop);

// The heads that it scales, and whether a change is what it set itself.
std::vector<analysis::HeadPlace> heads_of(const TriedChange& tried);
std::function<bool(const analysis::RunChange&)> set_by_hand(std::vector<model::Intervention> interventions);
// What `changed` does to the model beyond `first`.
std::vector<model::Intervention> added_interventions(const TypedSentence& first,
                                                     const TypedSentence& changed);

}  // namespace mog::gui
