// Does a quantity rise with the layer, or with the length of the sentence? One number for the direction
// (Spearman's rank correlation), one for the size (difference of the ends), both with intervals.
//
// The unit is the sentence: its mean over its words in each layer, every sentence counting the same.
//   layer:  pairs (layer, mean of a sentence in it) of all sentences and layers; the ends are the first and
//   the
//           last layer.
//   length: pairs (words, mean of the sentence), for every layer and for the mean over the layers; the ends
//   are
//           the shortest and the longest bin with enough sentences.
// A correlation alone misleads: untrained models give correlations of .5 with tight intervals where the ends
// differ by some thousandths. So each comes with its effect, absolute and in standard deviations, and is
// meant to be read beside a model with random weights (`mog randomize`) and beside other seeds, which no
// interval here covers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/statistics/rank_correlation.h"
#include "analysis/statistics/weight_by_length.h"
#include "analysis/statistics/word_statistics.h"

namespace mog::analysis {

enum class TrendOf : std::uint8_t { layer, length };
std::string_view name(TrendOf of) noexcept;

struct Trend {
  TrendOf of = TrendOf::layer;
  MeasuredSeries series;  // layer 0: all layers together
  std::int64_t sentences = 0;
  RankCorrelation rank;
  double rank_of_means = 0;  // of layer: the same for the means of the layers alone (few points); else NaN
  std::string first;         // what the ends are: "1", "1–9"
  std::string last;
  std::int64_t first_low = -1;   // of ends that are bins of length; -1: they are none
  std::int64_t first_high = -1;  // first length beyond it; -1: open, or no bin
  std::int64_t last_low = -1;
  std::int64_t last_high = -1;
  std::int64_t first_sentences = 0;
  std::int64_t last_sentences = 0;
  double first_mean = 0;  // NaN, as all below, when there are not two ends
  double last_mean = 0;
  double effect = 0;         // last minus first
  Interval effect_interval;  // over resampled sentences; holds the effect
  double effect_sd = 0;      // effect over the pooled standard deviation of sentences at the two ends
};

struct TrendOptions {
  std::int64_t minimum_sentences = 10;  // of a bin that may be an end
};

// `statistics` holds bin_means and bins by length. Of layers: one entry a part (and head) with at least two
// layers. Throws UsageError otherwise.
std::vector<Trend> trends(const LengthStatistics& statistics, const TrendOptions& options = {});

// The same of quantities of words: of every number of leaves, order and kind that the series have, by itself.
// A sentence without a value in a series does not count there.
struct WordTrend {
  std::int64_t leaves = 0;  // 0: of none
  std::int64_t order = 0;   // 0: of none
  std::string kind;
  Trend trend;
};
// `statistics` holds group_means and groups by length. Throws UsageError otherwise.
std::vector<WordTrend> trends(const WordStatistics& statistics, const TrendOptions& options = {});

// Columns: model, corpus, measure, words, trend, layer, part, head, sentences, rho, rho_low, rho_high,
// rho_of_means, first, last, first_sentences, last_sentences, first_mean, last_mean, effect, effect_low,
// effect_high, effect_sd, confidence, resamples, seed, first_low, first_high, last_low, last_high.
Table trend_table(const LengthStatistics& statistics, const std::vector<Trend>& trends);
// And then leaves, order, kind, grammar.
Table trend_table(const WordStatistics& statistics, const std::vector<WordTrend>& trends);

}  // namespace mog::analysis
