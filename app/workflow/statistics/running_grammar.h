// Quantities of the attention grammar while a model runs: the grammar of a sentence is made from its maps
// while these are in memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/statistics/running_table.h"
#include "app/workflow/statistics/statistics_job.h"

namespace mog::app {

// Of what a model offers, the names that the grammar reads. Throws UsageError where there is no grammar.
std::vector<std::string> quantities_of_grammar(const StatisticsOptions& options,
                                               const RecordingHeader& offered);

// options.word_measures, as from a recording with these quantities. Throws UsageError for choices that the
// model has no place for.
std::unique_ptr<analysis::RunningTable> running_grammar(const StatisticsOptions& options,
                                                        const RecordingHeader& header);

}  // namespace mog::app
