// Recordings of the same sentences against each other: the work behind `mog stats --against` and the figure
// corpus-difference (analysis/statistics/paired_difference.h).
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "analysis/figure_data/figure_data.h"
#include "analysis/statistics/paired_difference.h"
#include "app/workflow/common/choices.h"
#include "app/workflow/common/progress.h"
#include "app/workflow/statistics/statistics_job.h"

namespace mog::app {

// Throws UsageError for what does not go with `options.against`.
void check_paired_request(const StatisticsOptions& options);

// One recording against another, in the first of `options.measures`. Throws as gather_statistics and
// paired_difference.
analysis::PairedDifference compare_recordings(const CountedRecording& first, const CountedRecording& second,
                                              const StatisticsOptions& options, std::stop_token stop = {},
                                              const ProgressCallback& progress = {});

// `options.recordings` against `options.against`, for every measure; a difference is of a recording less that
// one (PairedDifference::table). Throws UsageError where `against` is more than one recording.
analysis::Table paired_table(const StatisticsOptions& options, std::stop_token stop = {},
                             const ProgressCallback& progress = {},
                             std::vector<std::string>* notes = nullptr);

// The figure of two that are open; `notes`: what a reader must know. Throws as compare_recordings, and
// UsageError where more than one measure is asked for.
analysis::FigureData corpus_difference(const CountedRecording& first, const CountedRecording& second,
                                       const StatisticsOptions& options, std::stop_token stop = {},
                                       const ProgressCallback& progress = {},
                                       std::vector<std::string>* notes = nullptr);
// Of the two in `options.recordings`. Throws UsageError where they are not two.
analysis::FigureData corpus_difference(const StatisticsOptions& options, std::stop_token stop = {},
                                       const ProgressCallback& progress = {});

// --pair-by, --allow-partial, --permutations. `options` lives as long as the choices.
void declare_pairing(Choices& choices, StatisticsOptions& options);

}  // namespace mog::app
