// Effects over the sentences of a corpus: means, paired differences and rank correlations, with bootstrap
// intervals over sentences. Every sentence counts the same.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/random/bootstrap.h"
#include "analysis/statistics/rank_correlation.h"

namespace mog::analysis {

struct MeanEffect {
  double mean = 0;             // NaN without sentences
  Interval interval;           // percentile bootstrap; NaN below kFewestResampled sentences
  std::int64_t sentences = 0;  // behind the mean
};

// NaN for no values.
double mean_over_sentences(std::span<const double> values);

// values: [sentence]. One that is not a number makes the mean so; the interval is that of the resamples
// without it. Throws UsageError, Interrupted as bootstrap_interval. O(resamples · sentences).
MeanEffect mean_effect(std::span<const double> values, const BootstrapOptions& options = {});

// The same over the values that are finite: NaN stands for a sentence in which the effect is not defined.
MeanEffect mean_where_defined(std::vector<double> values, const BootstrapOptions& options = {});

// Mean of values - base over the sentences in which both are defined. What sentences have in common falls
// out, so the interval is much narrower than those of the two means would suggest. Throws UsageError for
// spans of different lengths too.
MeanEffect paired_mean_difference(std::span<const double> values, std::span<const double> base,
                                  const BootstrapOptions& options = {});

// Spearman's correlation over sentences of what the model says of a part (its gate, its share) with the
// change that the cut makes. All NaN and without observations where `said` is not finite in every sentence: a
// part without a gate has no correlation. Throws as grouped_spearman.
RankCorrelation rank_against_change(std::span<const double> said, std::span<const double> change,
                                    const BootstrapOptions& options = {});

}  // namespace mog::analysis
