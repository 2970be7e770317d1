// Statistics by token and by word come in as one thing, a Sample: the mean of every sentence in every
// series, with the sentence's length and bin. All below knows nothing else.
//
// The unit that is drawn is the sentence with all its layers. Its values in twelve layers are no twelve
// observations; drawn one by one they would give intervals that are far too narrow. Everything draws from
// the same stream over the same number of sentences, so that correlation and effect of all rows stand on the
// same resamples.
//
// Cost of a row over n observations and S sentences: one sort, then O(n + S) a resample. The sample copies
// all means, sentences · series doubles.
//
// Traps: the mean of an end is summed from its first value on, so that equal values have exactly that mean
// and an effect of 0 stays 0. A resample may miss an end altogether; its NaN is left out of the interval.
// Ends are the outermost bins that have enough sentences, not the outermost of all: two models may have
// different ones, which is why the table prints them.
#include "analysis/statistics/trends.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/statistics/running_moments.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// The sentences of all bins in one list.
struct Sample {
  std::vector<MeasuredSeries> series;
  std::vector<WordGroup> ends;             // the bins, ascending
  std::vector<double> lengths;             // [sentence], words
  std::vector<std::int64_t> bins;          // [sentence]
  std::vector<std::vector<double>> means;  // [sentence][series]; NaN: no value
  BootstrapOptions bootstrap;
  std::int64_t size() const { return static_cast<std::int64_t>(lengths.size()); }
};

Sample sample_of(const LengthStatistics& statistics) {
  Sample sample;
  sample.series = statistics.series;
  sample.bootstrap = statistics.bootstrap;
  const std::size_t width = statistics.series.size();
  for (std::size_t bin = 0; bin < statistics.bin_sentences.size(); ++bin) {
    const auto index = static_cast<std::int64_t>(bin);
    sample.ends.push_back({.low = statistics.bins.low(index),
                           .high = statistics.bins.high(index),
                           .label = statistics.bins.label(index)});
    const auto& sentences = statistics.bin_sentences[bin];
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      const double* const means = statistics.bin_means[bin].data() + i * width;
      sample.lengths.push_back(static_cast<double>(sentences[i].words));
      sample.bins.push_back(static_cast<std::int64_t>(bin));
      sample.means.emplace_back(means, means + width);
    }
  }
  return sample;
}

// The series `wanted` of statistics by words.
Sample sample_of(const WordStatistics& statistics, const std::vector<std::size_t>& wanted) {
  Sample sample;
  sample.bootstrap = statistics.bootstrap;
  for (const std::size_t s : wanted) {
    const WordSeries& series = statistics.series[s];
    sample.series.push_back({.layer = series.layer, .part = series.part, .head = series.head});
  }
  for (std::size_t group = 0; group < statistics.groups.size(); ++group) {
    sample.ends.push_back(statistics.groups[group]);
    for (const WordSentenceMeans& sentence : statistics.group_means[group]) {
      sample.lengths.push_back(static_cast<double>(sentence.length));
      sample.bins.push_back(static_cast<std::int64_t>(group));
      std::vector<double>& means = sample.means.emplace_back();
      for (const std::size_t s : wanted) {
        means.push_back(sentence.means[s]);
      }
    }
  }
  return sample;
}

// Two samples of numbers with their sentence, and the difference of their means.
struct Ends {
  struct Item {
    std::size_t sentence;
    double value;
  };
  std::vector<Item> first;
  std::vector<Item> last;
};

RunningMoments moments_of(const std::vector<Ends::Item>& items) {
  RunningMoments moments;
  for (const Ends::Item& item : items) {
    moments.add(item.value);
  }
  return moments;
}

// From the first value on, so that equal values have exactly that mean, however often each is drawn.
double weighted_mean(const std::vector<Ends::Item>& items, const std::vector<std::int64_t>& weights) {
  const double origin = items.front().value;
  double sum = 0;
  std::int64_t count = 0;
  for (const Ends::Item& item : items) {
    const std::int64_t weight = weights[item.sentence];
    sum += static_cast<double>(weight) * (item.value - origin);
    count += weight;
  }
  return count == 0 ? kNone : origin + sum / static_cast<double>(count);
}

void fill_effect(Trend& trend, const Ends& ends, std::int64_t sentences, const BootstrapOptions& bootstrap,
                 std::uint64_t stream) {
  trend.first_sentences = static_cast<std::int64_t>(ends.first.size());
  trend.last_sentences = static_cast<std::int64_t>(ends.last.size());
  trend.first_mean = trend.last_mean = trend.effect = trend.effect_sd = kNone;
  trend.effect_interval = {kNone, kNone};
  if (ends.first.empty() || ends.last.empty()) {
    return;
  }
  const RunningMoments first = moments_of(ends.first);
  const RunningMoments last = moments_of(ends.last);
  // The estimate is the statistic of the resamples with every sentence once.
  std::vector<std::int64_t> weights(static_cast<std::size_t>(sentences), 1);
  trend.first_mean = weighted_mean(ends.first, weights);
  trend.last_mean = weighted_mean(ends.last, weights);
  trend.effect = trend.last_mean - trend.first_mean;
  const std::int64_t freedom = first.count() + last.count() - 2;
  const double variance = freedom > 0 ? (first.m2() + last.m2()) / static_cast<double>(freedom) : 0;
  trend.effect_sd = variance > 0 ? trend.effect / std::sqrt(variance) : kNone;
  const Interval drawn_interval = bootstrap_interval(
      sentences,
      [&](std::span<const std::int64_t> drawn) {
        std::fill(weights.begin(), weights.end(), 0);
        for (const std::int64_t index : drawn) {
          ++weights[static_cast<std::size_t>(index)];
        }
        return weighted_mean(ends.last, weights) - weighted_mean(ends.first, weights);
      },
      bootstrap, stream);
  trend.effect_interval = holding(drawn_interval, trend.effect);
}

// The series of one part and head, by ascending layer.
using Group = std::vector<std::size_t>;

std::map<std::pair<Part, std::int64_t>, Group> groups_of(const Sample& sample) {
  std::map<std::pair<Part, std::int64_t>, Group> groups;
  for (std::size_t i = 0; i < sample.series.size(); ++i) {
    groups[{sample.series[i].part, sample.series[i].head}].push_back(i);
  }
  return groups;
}

std::int64_t sentences_in(std::vector<std::int64_t> sentences) {
  std::sort(sentences.begin(), sentences.end());
  return std::unique(sentences.begin(), sentences.end()) - sentences.begin();
}

Trend layer_trend(const Sample& sample, const Group& group) {
  Trend trend;
  trend.of = TrendOf::layer;
  trend.series = sample.series[group.front()];
  trend.series.layer = 0;
  std::vector<double> layers;
  std::vector<double> values;
  std::vector<std::int64_t> sentences;
  Ends ends;
  std::vector<double> numbers;
  std::vector<double> means;
  for (const std::size_t s : group) {
    const auto layer = static_cast<double>(sample.series[s].layer);
    RunningMoments of_layer;
    for (std::size_t i = 0; i < sample.means.size(); ++i) {
      const double value = sample.means[i][s];
      if (std::isnan(value)) {
        continue;
      }
      layers.push_back(layer);
      values.push_back(value);
      sentences.push_back(static_cast<std::int64_t>(i));
      of_layer.add(value);
      if (s == group.front()) {
        ends.first.push_back({i, value});
      } else if (s == group.back()) {
        ends.last.push_back({i, value});
      }
    }
    if (of_layer.count() > 0) {
      numbers.push_back(layer);
      means.push_back(of_layer.mean());
    }
  }
  trend.rank = grouped_spearman(layers, values, sentences, sample.size(), sample.bootstrap, 0);
  trend.sentences = sentences_in(std::move(sentences));
  trend.rank_of_means = spearman(numbers, means);
  trend.first = fmt::format("{}", sample.series[group.front()].layer);
  trend.last = fmt::format("{}", sample.series[group.back()].layer);
  fill_effect(trend, ends, sample.size(), sample.bootstrap, 0);
  return trend;
}

// The shortest and the longest bin that has enough sentences; equal: there are not two.
std::pair<std::int64_t, std::int64_t> end_bins(const std::vector<std::int64_t>& bins,
                                               const TrendOptions& options) {
  std::map<std::int64_t, std::int64_t> count;
  for (const std::int64_t bin : bins) {
    ++count[bin];
  }
  std::pair<std::int64_t, std::int64_t> ends = {-1, -1};
  for (const auto& [bin, sentences] : count) {
    if (sentences >= std::max<std::int64_t>(options.minimum_sentences, 1)) {
      ends.first = ends.first < 0 ? bin : ends.first;
      ends.second = bin;
    }
  }
  return ends;
}

// Of the mean over the series of `group`; `series` says what that is.
Trend length_trend(const Sample& sample, const Group& group, MeasuredSeries series,
                   const TrendOptions& options) {
  Trend trend;
  trend.of = TrendOf::length;
  trend.series = series;
  trend.rank_of_means = kNone;
  std::vector<double> lengths;
  std::vector<double> values;
  std::vector<std::int64_t> sentences;
  std::vector<std::int64_t> bins;
  for (std::size_t i = 0; i < sample.means.size(); ++i) {
    RunningMoments mean;
    for (const std::size_t s : group) {
      if (!std::isnan(sample.means[i][s])) {
        mean.add(sample.means[i][s]);
      }
    }
    if (mean.count() > 0) {
      lengths.push_back(sample.lengths[i]);
      values.push_back(mean.mean());
      sentences.push_back(static_cast<std::int64_t>(i));
      bins.push_back(sample.bins[i]);
    }
  }
  trend.sentences = static_cast<std::int64_t>(sentences.size());
  trend.rank = grouped_spearman(lengths, values, sentences, sample.size(), sample.bootstrap, 0);
  const auto [first, last] = end_bins(bins, options);
  Ends ends;
  if (first < last) {
    const WordGroup& low_end = sample.ends[static_cast<std::size_t>(first)];
    const WordGroup& high_end = sample.ends[static_cast<std::size_t>(last)];
    trend.first = low_end.label;
    trend.first_low = low_end.low;
    trend.first_high = low_end.high;
    trend.last = high_end.label;
    trend.last_low = high_end.low;
    trend.last_high = high_end.high;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (bins[i] == first) {
        ends.first.push_back({static_cast<std::size_t>(sentences[i]), values[i]});
      } else if (bins[i] == last) {
        ends.last.push_back({static_cast<std::size_t>(sentences[i]), values[i]});
      }
    }
  }
  fill_effect(trend, ends, sample.size(), sample.bootstrap, 0);
  return trend;
}

std::vector<Trend> trends_of(const Sample& sample, const TrendOptions& options) {
  std::vector<Trend> result;
  for (const auto& [key, group] : groups_of(sample)) {
    if (group.size() > 1) {
      result.push_back(layer_trend(sample, group));
      MeasuredSeries all = sample.series[group.front()];
      all.layer = 0;
      result.push_back(length_trend(sample, group, all, options));
    }
    for (const std::size_t s : group) {
      result.push_back(length_trend(sample, {s}, sample.series[s], options));
    }
  }
  return result;
}

// What the rows of one table have in common.
struct About {
  std::string model;
  std::string corpus;
  std::string measure;
  std::string words;
  BootstrapOptions bootstrap;
};

Table empty_table() {
  Table table;
  table.columns = {"model",          "corpus",      "measure",   "words",
                   "trend",          "layer",       "part",      "head",
                   "sentences",      "rho",         "rho_low",   "rho_high",
                   "rho_of_means",   "first",       "last",      "first_sentences",
                   "last_sentences", "first_mean",  "last_mean", "effect",
                   "effect_low",     "effect_high", "effect_sd", "confidence",
                   "resamples",      "seed",        "first_low", "first_high",
                   "last_low",       "last_high"};
  return table;
}

Cell text_cell(const std::string& value) {
  return value.empty() ? Cell() : Cell(value);
}

std::vector<Cell> cells_of(const About& about, const Trend& trend) {
  const auto number = [](std::int64_t value) { return value == 0 ? Cell() : Cell(value); };
  const auto bound = [](std::int64_t value) { return value < 0 ? Cell() : Cell(value); };
  return {about.model,
          about.corpus,
          about.measure,
          text_cell(about.words),
          std::string(name(trend.of)),
          number(trend.series.layer),
          trend.series.part == Part::none ? Cell() : Cell(std::string(mog::name(trend.series.part))),
          number(trend.series.head),
          trend.sentences,
          trend.rank.rho,
          trend.rank.interval.low,
          trend.rank.interval.high,
          trend.rank_of_means,
          text_cell(trend.first),
          text_cell(trend.last),
          trend.first_sentences,
          trend.last_sentences,
          trend.first_mean,
          trend.last_mean,
          trend.effect,
          trend.effect_interval.low,
          trend.effect_interval.high,
          trend.effect_sd,
          about.bootstrap.confidence,
          about.bootstrap.resamples,
          static_cast<std::int64_t>(about.bootstrap.seed),
          bound(trend.first_low),
          bound(trend.first_high),
          bound(trend.last_low),
          bound(trend.last_high)};
}

}  // namespace

std::string_view name(TrendOf of) noexcept {
  return of == TrendOf::layer ? "layer" : "length";
}

std::vector<Trend> trends(const LengthStatistics& statistics, const TrendOptions& options) {
  if (statistics.by != BinnedBy::length || statistics.bin_means.size() != statistics.bin_sentences.size()) {
    throw UsageError(
        "trends: they need bins of sentence length and the means of every sentence (bins of position have no "
        "trend)");
  }
  return trends_of(sample_of(statistics), options);
}

std::vector<WordTrend> trends(const WordStatistics& statistics, const TrendOptions& options) {
  if (statistics.by != "length" || statistics.group_means.size() != statistics.groups.size()) {
    throw UsageError("trends: they need bins of sentence length and the means of every sentence");
  }
  std::map<std::tuple<std::int64_t, std::int64_t, std::string>, std::vector<std::size_t>> kinds;
  for (std::size_t s = 0; s < statistics.series.size(); ++s) {
    kinds[{statistics.series[s].leaves, statistics.series[s].order, statistics.series[s].kind}].push_back(s);
  }
  std::vector<WordTrend> result;
  for (const auto& [key, series] : kinds) {
    for (Trend& trend : trends_of(sample_of(statistics, series), options)) {
      if (trend.sentences > 0) {
        result.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), std::move(trend)});
      }
    }
  }
  return result;
}

Table trend_table(const LengthStatistics& statistics, const std::vector<Trend>& trends) {
  const About about{statistics.model.name, statistics.corpus_name, std::string(name(statistics.measure)),
                    statistics.words.label(), statistics.bootstrap};
  Table table = empty_table();
  for (const Trend& trend : trends) {
    table.add(cells_of(about, trend));
  }
  return table;
}

Table trend_table(const WordStatistics& statistics, const std::vector<WordTrend>& trends) {
  const About about{statistics.model.name, statistics.corpus_name, statistics.measure,
                    statistics.words.label(), statistics.bootstrap};
  Table table = empty_table();
  table.columns.insert(table.columns.end(), {"leaves", "order", "kind", "grammar"});
  for (const WordTrend& entry : trends) {
    std::vector<Cell> cells = cells_of(about, entry.trend);
    cells.resize(table.columns.size());
    Cell* more = &cells[cells.size() - 4];
    for (const std::int64_t k : {entry.leaves, entry.order}) {
      if (k > 0) {
        *more = k;
      }
      ++more;
    }
    *more = text_cell(entry.kind);
    *++more = text_cell(statistics.grammar);
    table.add(std::move(cells));
  }
  return table;
}

}  // namespace mog::analysis
