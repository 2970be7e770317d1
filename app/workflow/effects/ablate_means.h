// Mean ablation: what is cut gives way to its mean over a text, in the place of zeros.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "app/workflow/common/progress.h"
#include "app/workflow/effects/ablate_cuts.h"
#include "app/workflow/record/live_run.h"

namespace mog::app {

// Runs the model over the text (UTF-8, one sentence a line) and gives the interventions of every target what
// they scale towards: of a head the mean of what it takes of its keys, of a part that of its output, of
// blocks that of what they add. Throws UsageError for a target that has no such vector (gates, terms of
// scores, capsules, recurrent layers), FormatError for a text without words, ModelError for a sentence that
// is too long, Interrupted. One run of the text; sums are of float64 numbers, in the
// same order in every run.
MeanText scale_toward_means(const LoadedModel& loaded, const std::filesystem::path& text,
                            std::int64_t batch_tokens, std::vector<CutTarget>& targets,
                            const std::stop_token& stop, const ProgressCallback& progress);

}  // namespace mog::app
