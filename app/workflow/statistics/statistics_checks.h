// Requests for statistics that contradict themselves, or hold choices that would change nothing: all
// throw UsageError. And which layers they ask for.
#pragma once

#include <cstdint>
#include <functional>

#include "app/workflow/statistics/statistics_job.h"
#include "app/workflow/statistics/word_statistics_job.h"

namespace mog::app {

// Reports (trends, dimensions, differences) and the bins that they need.
void check_statistics_report(const StatisticsOptions& options);
// Choices of the grammar that nothing asked for depends on.
void check_statistics_grammar(const StatisticsOptions& options);
// A treebank that nothing reads; word_measures hold what is computed by words.
void check_statistics_treebank(const StatisticsOptions& options);
// Of statistics by words alone: what is asked for of a grammar; and with that, whether there is something to
// make it of.
void check_word_choices(const StatisticsOptions& options);
void check_word_request(const StatisticsOptions& options);
// Of relations alone.
void check_relations(const StatisticsOptions& options);

// Of the layers that are asked for; empty when all are.
std::function<bool(std::int64_t layer)> layer_filter(const StatisticsOptions& options);

}  // namespace mog::app
