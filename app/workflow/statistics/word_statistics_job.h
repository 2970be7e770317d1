// Statistics by words: what the attention grammar says of them, and any quantity by part of speech.
#pragma once

#include <stop_token>
#include <vector>

#include "analysis/statistics/word_statistics.h"
#include "app/workflow/common/progress.h"
#include "app/workflow/statistics/statistics_job.h"

namespace mog::app {

// Whether the options ask for something of this kind: a word measure, or --by upos.
bool wants_word_statistics(const StatisticsOptions& options);

// One entry a measure and group of recordings, measures first (recorded ones, then those of the grammar).
// The grammar is read from attention maps and gates (mog trees says what must be recorded). Throws
// UsageError, FormatError (damaged file, treebank that does not fit), Interrupted. Words are those of the
// treebank where one is given (TreebankWords::align); `notes` gets what was left out.
std::vector<analysis::WordStatistics> gather_word_statistics(const StatisticsOptions& options,
                                                             std::stop_token stop = {},
                                                             const ProgressCallback& progress = {},
                                                             std::vector<std::string>* notes = nullptr);

}  // namespace mog::app
