// Gold syntax under the words of a figure, and how close what the figure shows comes to it.
#pragma once

#include <cstdint>
#include <string>

#include "analysis/figure_data/figure_data.h"
#include "app/workflow/figure_job.h"
#include "app/workflow/treebank_words.h"
#include "io/recording/sentence_recording.h"

namespace mog::app {

// attention-arcs and arcs have words that a tree can be drawn under.
bool takes_gold(std::string_view kind);

// Adds to `figure`, which `options` made, the gold tree of its sentence and the attachment scores of what is
// shown, as `mog syntax` counts them: attention-arcs, the best tree over the map of words, with queries and
// with keys as heads; arcs, the joins. False, with `why`, where the treebank has no such sentence; the figure
// is as it was then.
bool add_gold(analysis::FigureData& figure, const FigureOptions& options, const RecordingSource& source,
              std::int64_t index, const TreebankWords& gold, std::string& why);

}  // namespace mog::app
