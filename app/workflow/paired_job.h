// Recordings of the same sentences against each other: the work behind `mog stats --against` and the figure
// corpus-difference (analysis/statistics/paired_difference.h).
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "analysis/figure_data/figure_data.h"
#include "analysis/statistics/paired_difference.h"
#include "app/workflow/figure_job.h"
#include "app/workflow/progress.h"
#include "app/workflow/statistics_job.h"
#include "io/recording/recording_label.h"
#include "io/recording/sentence_recording.h"

namespace mog::app {

// Throws UsageError for what does not go with `options.against`.
void check_paired_request(const StatisticsOptions& options);

// One of two that are compared.
struct ComparedRecording {
  std::vector<const RecordingSource*> parts;
  RecordingLabel label;  // empty: its model's name
};

// One recording against another, in the first of `options.measures`. Throws as gather_statistics and
// paired_difference.
analysis::PairedDifference compare_recordings(const ComparedRecording& first, const ComparedRecording& second,
                                              const StatisticsOptions& options, std::stop_token stop = {},
                                              const ProgressCallback& progress = {});

// `options.recordings` against `options.against`, for every measure; a difference is of a recording less that
// one (PairedDifference::table). Throws UsageError where `against` is more than one recording.
analysis::Table paired_table(const StatisticsOptions& options, std::stop_token stop = {},
                             const ProgressCallback& progress = {},
                             std::vector<std::string>* notes = nullptr);

// The figure corpus-difference of the two recordings in `options`; of two that are open.
analysis::FigureData make_corpus_difference(const FigureOptions& options, std::stop_token stop = {},
                                            const ProgressCallback& progress = {});
analysis::FigureData make_corpus_difference(const FigureOptions& options, const ComparedRecording& first,
                                            const ComparedRecording& second, std::stop_token stop = {},
                                            const ProgressCallback& progress = {},
                                            std::vector<std::string>* notes = nullptr);

}  // namespace mog::app
