// Statistics by words while a model runs: quantities of the attention grammar, made from the maps of a
// sentence while these are in memory, and by parts of speech also what is measured by token.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/statistics/running_table.h"
#include "app/workflow/statistics/passing_treebank.h"
#include "app/workflow/statistics/statistics_job.h"

namespace mog::app {

// Of what a model offers, the names that the grammar reads. Throws UsageError where there is no grammar.
std::vector<std::string> quantities_of_grammar(const StatisticsOptions& options,
                                               const RecordingHeader& offered);

// options.word_measures, as from a recording with these quantities; by parts of speech options.measures
// before them, and `treebank` is asked for the tags (null: nothing will be added). Throws UsageError for
// choices that the model has no place for.
std::unique_ptr<analysis::RunningTable> running_by_words(const StatisticsOptions& options,
                                                         const RecordingHeader& header,
                                                         PassingTreebank* treebank);

}  // namespace mog::app
