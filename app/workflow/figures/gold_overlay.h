// Gold syntax under the words of a figure, and how close what the figure shows comes to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/figure_data/builders.h"
#include "analysis/figure_data/figure_data.h"
#include "analysis/metrics/attachment.h"
#include "app/workflow/syntax/treebank_words.h"
#include "io/recording/sentence_recording.h"

namespace mog::app {

// How close what a figure shows comes to the gold tree; the window says it in its language.
struct GoldFit {
  bool of_joins = false;
  // Of the map: the best trees over it, with queries and with keys as heads.
  analysis::Attachment queries;
  analysis::Attachment keys;
  // Of a graph: its joins, those from the gold head, and those that are gold arcs in either direction.
  std::int64_t joins = 0;
  std::int64_t directed = 0;
  std::int64_t either = 0;
};

// "best tree of this map: queries as heads UAS 33 % (2 of 6 words), either way 20 % (1 of 5 edges); keys …".
// UAS counts the root, either way leaves it out.
std::string fit_text(const GoldFit& fit);

// The map that attention-arcs shows, and which of its tokens.
struct MapShown {
  std::int64_t layer = 0;  // as attention_map takes them: 0, none, 0 are means
  Part part = Part::none;
  std::int64_t head = 0;
  analysis::TokenOptions tokens;
};

// Adds to a figure of arcs the gold tree of its sentence and the attachment scores of what is shown, as `mog
// syntax` counts them: of a map the best tree over it, with queries and with keys as heads; of a derivation
// its joins. Nothing, with `why`, where the treebank has no such sentence; the figure is as it was then.
std::optional<GoldFit> add_gold_of_map(analysis::FigureData& figure, const MapShown& shown,
                                       const RecordingSource& source, std::int64_t index,
                                       const TreebankWords& gold, std::string& why);
std::optional<GoldFit> add_gold_of_joins(analysis::FigureData& figure, const RecordingSource& source,
                                         std::int64_t index, const TreebankWords& gold, std::string& why);

}  // namespace mog::app
