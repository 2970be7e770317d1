#include "analysis/statistics/trends.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "analysis/statistics/running_moments.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// The sentences of all bins in one list.
struct Sample {
  std::vector<double> lengths;       // [sentence], words
  std::vector<std::int64_t> bins;    // [sentence]
  std::vector<const double*> means;  // [sentence]: [series]
  std::int64_t size() const { return static_cast<std::int64_t>(lengths.size()); }
};

Sample sample_of(const LengthStatistics& statistics) {
  Sample sample;
  const std::size_t width = statistics.series.size();
  for (std::size_t bin = 0; bin < statistics.bin_sentences.size(); ++bin) {
    const auto& sentences = statistics.bin_sentences[bin];
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      sample.lengths.push_back(static_cast<double>(sentences[i].words));
      sample.bins.push_back(static_cast<std::int64_t>(bin));
      sample.means.push_back(statistics.bin_means[bin].data() + i * width);
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

double weighted_mean(const std::vector<Ends::Item>& items, const std::vector<std::int64_t>& weights) {
  double sum = 0;
  std::int64_t count = 0;
  for (const Ends::Item& item : items) {
    const std::int64_t weight = weights[item.sentence];
    sum += static_cast<double>(weight) * item.value;
    count += weight;
  }
  return count == 0 ? kNone : sum / static_cast<double>(count);
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
  trend.first_mean = first.mean();
  trend.last_mean = last.mean();
  trend.effect = last.mean() - first.mean();
  const std::int64_t freedom = first.count() + last.count() - 2;
  const double variance = freedom > 0 ? (first.m2() + last.m2()) / static_cast<double>(freedom) : 0;
  trend.effect_sd = variance > 0 ? trend.effect / std::sqrt(variance) : kNone;
  std::vector<std::int64_t> weights(static_cast<std::size_t>(sentences));
  trend.effect_interval = bootstrap_interval(
      sentences,
      [&](std::span<const std::int64_t> drawn) {
        std::fill(weights.begin(), weights.end(), 0);
        for (const std::int64_t index : drawn) {
          ++weights[static_cast<std::size_t>(index)];
        }
        return weighted_mean(ends.last, weights) - weighted_mean(ends.first, weights);
      },
      bootstrap, stream);
}

// The series of one part and head, by ascending layer.
using Group = std::vector<std::size_t>;

std::map<std::pair<Part, std::int64_t>, Group> groups_of(const LengthStatistics& statistics) {
  std::map<std::pair<Part, std::int64_t>, Group> groups;
  for (std::size_t i = 0; i < statistics.series.size(); ++i) {
    groups[{statistics.series[i].part, statistics.series[i].head}].push_back(i);
  }
  return groups;
}

Trend layer_trend(const LengthStatistics& statistics, const Sample& sample, const Group& group) {
  Trend trend;
  trend.of = TrendOf::layer;
  trend.series = statistics.series[group.front()];
  trend.series.layer = 0;
  trend.sentences = sample.size();
  std::vector<double> layers;
  std::vector<double> values;
  std::vector<std::int64_t> sentences;
  Ends ends;
  std::vector<double> numbers;
  std::vector<double> means;
  for (const std::size_t s : group) {
    const auto layer = static_cast<double>(statistics.series[s].layer);
    double sum = 0;
    for (std::size_t i = 0; i < sample.means.size(); ++i) {
      const double value = sample.means[i][s];
      layers.push_back(layer);
      values.push_back(value);
      sentences.push_back(static_cast<std::int64_t>(i));
      sum += value;
      if (s == group.front()) {
        ends.first.push_back({i, value});
      } else if (s == group.back()) {
        ends.last.push_back({i, value});
      }
    }
    numbers.push_back(layer);
    means.push_back(sum);
  }
  trend.rank = grouped_spearman(layers, values, sentences, sample.size(), statistics.bootstrap, 0);
  trend.rank_of_means = spearman(numbers, means);
  trend.first = fmt::format("{}", statistics.series[group.front()].layer);
  trend.last = fmt::format("{}", statistics.series[group.back()].layer);
  fill_effect(trend, ends, sample.size(), statistics.bootstrap, 0);
  return trend;
}

// The shortest and the longest bin that has enough sentences; equal: there are not two.
std::pair<std::int64_t, std::int64_t> end_bins(const LengthStatistics& statistics,
                                               const TrendOptions& options) {
  std::pair<std::int64_t, std::int64_t> ends = {-1, -1};
  for (std::size_t bin = 0; bin < statistics.bin_sentences.size(); ++bin) {
    const auto count = static_cast<std::int64_t>(statistics.bin_sentences[bin].size());
    if (count >= std::max<std::int64_t>(options.minimum_sentences, 1)) {
      ends.first = ends.first < 0 ? static_cast<std::int64_t>(bin) : ends.first;
      ends.second = static_cast<std::int64_t>(bin);
    }
  }
  return ends;
}

// Of the mean over the series of `group`; `series` says what that is.
Trend length_trend(const LengthStatistics& statistics, const Sample& sample, const Group& group,
                   MeasuredSeries series, const TrendOptions& options) {
  Trend trend;
  trend.of = TrendOf::length;
  trend.series = series;
  trend.sentences = sample.size();
  trend.rank_of_means = kNone;
  std::vector<double> values;
  std::vector<std::int64_t> sentences;
  for (std::size_t i = 0; i < sample.means.size(); ++i) {
    double sum = 0;
    for (const std::size_t s : group) {
      sum += sample.means[i][s];
    }
    values.push_back(sum / static_cast<double>(group.size()));
    sentences.push_back(static_cast<std::int64_t>(i));
  }
  trend.rank = grouped_spearman(sample.lengths, values, sentences, sample.size(), statistics.bootstrap, 0);
  const auto [first, last] = end_bins(statistics, options);
  Ends ends;
  if (first < last) {
    trend.first = statistics.bins.label(first);
    trend.last = statistics.bins.label(last);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (sample.bins[i] == first) {
        ends.first.push_back({i, values[i]});
      } else if (sample.bins[i] == last) {
        ends.last.push_back({i, values[i]});
      }
    }
  }
  fill_effect(trend, ends, sample.size(), statistics.bootstrap, 0);
  return trend;
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
  const Sample sample = sample_of(statistics);
  std::vector<Trend> result;
  for (const auto& [key, group] : groups_of(statistics)) {
    if (group.size() > 1) {
      result.push_back(layer_trend(statistics, sample, group));
    }
    MeasuredSeries all = statistics.series[group.front()];
    all.layer = 0;
    if (group.size() > 1) {
      result.push_back(length_trend(statistics, sample, group, all, options));
    }
    for (const std::size_t s : group) {
      result.push_back(length_trend(statistics, sample, {s}, statistics.series[s], options));
    }
  }
  return result;
}

Table trend_table(const LengthStatistics& statistics, const std::vector<Trend>& trends) {
  Table table;
  table.columns = {"model",          "corpus",      "measure",   "words",
                   "trend",          "layer",       "part",      "head",
                   "sentences",      "rho",         "rho_low",   "rho_high",
                   "rho_of_means",   "first",       "last",      "first_sentences",
                   "last_sentences", "first_mean",  "last_mean", "effect",
                   "effect_low",     "effect_high", "effect_sd", "confidence",
                   "resamples",      "seed"};
  const auto text = [](const std::string& value) { return value.empty() ? Cell() : Cell(value); };
  const auto number = [](std::int64_t value) { return value == 0 ? Cell() : Cell(value); };
  for (const Trend& trend : trends) {
    table.add({statistics.model.name,
               statistics.corpus_name,
               std::string(name(statistics.measure)),
               text(statistics.words.label()),
               std::string(name(trend.of)),
               number(trend.series.layer),
               trend.series.part == Part::none ? Cell() : Cell(std::string(mog::name(trend.series.part))),
               number(trend.series.head),
               trend.sentences,
               trend.rank.rho,
               trend.rank.interval.low,
               trend.rank.interval.high,
               trend.rank_of_means,
               text(trend.first),
               text(trend.last),
               trend.first_sentences,
               trend.last_sentences,
               trend.first_mean,
               trend.last_mean,
               trend.effect,
               trend.effect_interval.low,
               trend.effect_interval.high,
               trend.effect_sd,
               statistics.bootstrap.confidence,
               statistics.bootstrap.resamples,
               static_cast<std::int64_t>(statistics.bootstrap.seed)});
  }
  return table;
}

}  // namespace mog::analysis
