// Exact decompositions of one sentence: what a recording holds of them, and a run of the model that made it
// where it holds none. No widget here.
#pragma once

#include <QString>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>

#include "app/gui/session/typed_run.h"
#include "app/gui/session/workspace.h"
#include "io/recording/sentence_recording.h"

namespace mog::gui {

// "encoder.%1.full.logit_terms" of a layer; a pattern without %1 stays as it is.
QString of_layer(const char* quantity, std::int64_t layer);
// The first of the quantities (empty ones are none) that the recording holds; empty: none.
QString recorded_quantity(const RecordingHeader& header, std::span<const char* const> quantities,
                          std::int64_t layer);

// A run of the model that made the recording, once more.
struct DecompositionRun {
  OpenedModel loaded;
  TypedSentence sentence;
  QString quantity;
  bool as_text = false;  // as `mog figure --text` runs it
};
// nullopt: the model is not open, or has no decompositions.
std::optional<DecompositionRun> decomposition_run(const Workspace& workspace, const WorkspaceItem& item,
                                                  std::int64_t index, const QString& quantity);
// The numbers as the model gives them now, of one sentence. Safe on any thread. Throws UsageError where it
// cuts the sentence otherwise.
std::shared_ptr<const RecordingSource> values_of(const DecompositionRun& run, const RecordingSource& of,
                                                 std::int64_t index, const std::stop_token& stop);

}  // namespace mog::gui
