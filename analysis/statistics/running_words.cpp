// Columns, each [series]: weights and weighted sums, which are resampled; squares, words, sentences; squared
// errors of what was sampled, and the sentences of these. A sentence may have values of some series alone, so
// each has weights of its own.
//
// Bins share one set of sums; groups by label have one each, since nobody knows them before they come.
#include "analysis/statistics/running_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "analysis/statistics/grouped_sums.h"
#include "analysis/statistics/kept_sentences.h"
#include "analysis/statistics/word_cells.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

enum Column : std::uint8_t { weight, sum, squares, words, sentences, errors, sampled, columns };
constexpr std::int64_t kResampled = 2;

void check_memory(const WordStatistics& header, std::int64_t bins) {
  constexpr double kMostBytes = 4e9;
  const double bytes = sizeof(ExactSum) * static_cast<double>(kResampled * bins) *
                       static_cast<double>(header.series.size()) *
                       static_cast<double>(std::max<std::int64_t>(header.bootstrap.resamples, 1));
  if (bytes > kMostBytes) {
    throw UsageError(fmt::format(
        "statistics of \"{}\": {} resamples of {} series in {} bins take {:.0f} GB; ask for fewer resamples, "
        "orders or bins (--bootstrap, --orders, --bins 0,10,20,40)",
        header.measure, header.bootstrap.resamples, header.series.size(), bins, bytes / 1e9));
  }
}

// [column, series] of what a sentence has in a group.
std::vector<double> columns_of(const WordStatistics& header, const WordRow& row) {
  const std::size_t width = header.series.size();
  const bool micro = header.averaging == Averaging::micro;
  std::vector<double> values(columns * width);
  for (std::size_t s = 0; s < width; ++s) {
    const double count = row.count[s];
    const WordShare share = share_of(count, row.sum[s], header.averaging);
    if (share.weight <= 0) {
      continue;
    }
    values[weight * width + s] = share.weight;
    values[sum * width + s] = share.sum;
    values[squares * width + s] = micro ? row.squares[s] : share.sum * share.sum;
    values[words * width + s] = count;
    values[sentences * width + s] = 1;
    if (!row.errors.empty()) {
      values[errors * width + s] = row.errors[s] / (micro ? 1 : count * count);
      values[sampled * width + s] = 1;
    }
  }
  return values;
}

// What was counted of one group: a bin of sums and sketches.
struct Counted {
  WordGroup group;
  const RunningSums* sums = nullptr;
  const QuantileSketches* sketches = nullptr;
  std::int64_t bin = 0;
};

WordCell cell_of(const WordStatistics& header, const Counted& of, std::int64_t series) {
  const auto width = static_cast<std::int64_t>(header.series.size());
  const auto total = [&](Column column) { return of.sums->sum(of.bin, column * width + series).value(); };
  WordCell cell{.series = header.series[static_cast<std::size_t>(series)]};
  cell.words = std::llround(total(words));
  cell.sentences = std::llround(total(sentences));
  if (cell.words > 0) {
    const long double all = total(weight);
    const long double mean = total(sum) / all;
    cell.mean = static_cast<double>(mean);
    cell.variance = static_cast<double>(std::max(total(squares) / all - mean * mean, 0.0L));
    cell.sampling_error = total(sampled) > 0 ? static_cast<double>(std::sqrt(total(errors)) / all) : kNone;
  }
  if (header.quantiles) {
    cell.quartiles = quartiles(of.sketches->at(of.bin, series), header.bootstrap);
  }
  return cell;
}

// Means of resamples, [series, resample].
std::vector<double> resampled(const WordStatistics& header, const Counted& of) {
  const auto width = static_cast<std::int64_t>(header.series.size());
  std::vector<double> result;
  if (header.bootstrap.resamples == 0) {
    return result;
  }
  for (std::int64_t s = 0; s < width; ++s) {
    const auto shares = of.sums->resampled(of.bin, weight * width + s);
    const auto totals = of.sums->resampled(of.bin, sum * width + s);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const long double share = shares[i].value();
      result.push_back(share > 0 ? static_cast<double>(totals[i].value() / share) : kNone);
    }
  }
  return result;
}

// groups: in their order.
WordStatistics statistics_of(const WordStatistics& header, std::span<const Counted> groups) {
  WordStatistics result = header;
  WordCells cells;
  for (const Counted& of : groups) {
    result.groups.push_back(of.group);
    WordGroupCells of_group{of.group, {}, resampled(header, of)};
    for (std::int64_t s = 0; s < std::ssize(header.series); ++s) {
      of_group.cells.push_back(cell_of(header, of, s));
    }
    cells.add(result, std::move(of_group));
  }
  std::stable_sort(result.cells.begin(), result.cells.end(),
                   [](const WordCell& a, const WordCell& b) { return a.series < b.series; });
  return result;
}

class OfBins final : public RunningWords {
 public:
  OfBins(WordStatistics header, LengthBins bins) : header_(std::move(header)), bins_(std::move(bins)) {
    check_memory(header_, bins_.size());
    const auto series = static_cast<std::int64_t>(header_.series.size());
    sums_ = {bins_.size(), columns * series, kResampled * series, header_.bootstrap.resamples};
    sketches_ = {header_.quantiles ? bins_.size() : 0, series};
  }

  void add(const SentenceValues& sentence, std::span<const std::int64_t> group_of,
           std::span<const WordGroup> /*groups*/) override {
    const auto weights =
        poisson_weights(sentence.number, header_.bootstrap.seed, header_.bootstrap.resamples);
    for (const auto& [bin, row] : word_rows(header_, sentence, group_of)) {
      sums_.add(bin, columns_of(header_, row), weights);
      sketches_.add(bin, row.values);
    }
  }

  WordStatistics finish() const override {
    std::vector<Counted> there;
    for (std::int64_t bin = 0; bin < bins_.size(); ++bin) {
      if (sums_.rows(bin) > 0) {
        there.push_back({{.low = bins_.low(bin), .high = bins_.high(bin), .label = bins_.label(bin)},
                         &sums_,
                         &sketches_,
                         bin});
      }
    }
    return statistics_of(header_, there);
  }

  std::vector<Additive*> sums() override {
    return header_.quantiles ? std::vector<Additive*>{&sums_, &sketches_} : std::vector<Additive*>{&sums_};
  }

 private:
  WordStatistics header_;
  LengthBins bins_;
  RunningSums sums_;
  QuantileSketches sketches_;  // [bin, series]; none without quantiles
};

class OfLabels final : public RunningWords {
 public:
  explicit OfLabels(WordStatistics header) : header_(std::move(header)) {
    check_memory(header_, 1);
    const auto series = static_cast<std::int64_t>(header_.series.size());
    sums_ = {columns * series, kResampled * series, header_.bootstrap.resamples,
             header_.quantiles ? series : 0};
  }

  void add(const SentenceValues& sentence, std::span<const std::int64_t> group_of,
           std::span<const WordGroup> groups) override {
    const auto weights =
        poisson_weights(sentence.number, header_.bootstrap.seed, header_.bootstrap.resamples);
    for (const auto& [group, row] : word_rows(header_, sentence, group_of)) {
      GroupedSums::Group& own = sums_.at(groups[static_cast<std::size_t>(group)].label);
      own.sums.add(0, columns_of(header_, row), weights);
      own.sketches.add(0, row.values);
    }
  }

  WordStatistics finish() const override {
    std::vector<Counted> there;
    for (const auto& [label, group] : sums_.groups()) {
      there.push_back({{.label = label}, &group.sums, &group.sketches, 0});
    }
    return statistics_of(header_, there);
  }

  std::vector<Additive*> sums() override { return {&sums_}; }

 private:
  WordStatistics header_;
  GroupedSums sums_;
};

class Trends final : public RunningWords {
 public:
  Trends(WordStatistics header, LengthBins bins, const TrendOptions& trend)
      : header_(std::move(header)), bins_(std::move(bins)), trend_(trend), kept_(header_.series.size()) {}

  void expect(std::int64_t sentences) override { kept_.expect(sentences, header_.measure); }

  void add(const SentenceValues& sentence, std::span<const std::int64_t> group_of,
           std::span<const WordGroup> /*groups*/) override {
    for (const auto& [bin, row] : word_rows(header_, sentence, group_of)) {
      std::vector<double> means;
      for (std::size_t s = 0; s < row.count.size(); ++s) {
        means.push_back(row.count[s] > 0 ? row.sum[s] / row.count[s] : kNone);
      }
      kept_.add(row.number, row.length, means);
    }
  }

  WordStatistics finish() const override {
    WordStatistics all = header_;
    std::map<std::int64_t, std::vector<WordSentenceMeans>> by_bin;
    for (const std::size_t at : kept_.sorted()) {
      if (const std::int64_t bin = bins_.bin(kept_.length(at)); bin >= 0) {
        const std::span<const double> means = kept_.means(at);
        by_bin[bin].push_back({kept_.number(at), kept_.length(at), {means.begin(), means.end()}});
        ++all.sentences;
      }
    }
    for (auto& [bin, means] : by_bin) {
      all.groups.push_back({.low = bins_.low(bin), .high = bins_.high(bin), .label = bins_.label(bin)});
      all.group_means.push_back(std::move(means));
    }
    return all;
  }
  Table table() const override {
    const WordStatistics all = finish();
    return trend_table(all, trends(all, trend_));
  }

  std::vector<Additive*> sums() override { return {&kept_}; }

 private:
  WordStatistics header_;
  LengthBins bins_;
  TrendOptions trend_;
  KeptSentences kept_;
};

}  // namespace

std::unique_ptr<RunningWords> running_words(WordStatistics header, LengthBins bins) {
  return std::make_unique<OfBins>(std::move(header), std::move(bins));
}

std::unique_ptr<RunningWords> running_groups(WordStatistics header) {
  return std::make_unique<OfLabels>(std::move(header));
}

std::unique_ptr<RunningWords> running_word_trends(WordStatistics header, LengthBins bins,
                                                  const TrendOptions& trend) {
  return std::make_unique<Trends>(std::move(header), std::move(bins), trend);
}

}  // namespace mog::analysis
