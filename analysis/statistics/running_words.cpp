// Columns, each [series]: weights and weighted sums, which are resampled; squares, words, sentences; squared
// errors of what was sampled, and the sentences of these. A sentence may have values of some series alone, so
// each has weights of its own.
#include "analysis/statistics/running_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

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

}  // namespace

RunningWords::RunningWords(WordStatistics header, LengthBins bins)
    : header_(std::move(header)), bins_(std::move(bins)) {
  check_memory(header_, bins_.size());
  const auto series = static_cast<std::int64_t>(header_.series.size());
  sums_ = {bins_.size(), columns * series, kResampled * series, header_.bootstrap.resamples};
  sketches_ = {header_.quantiles ? bins_.size() : 0, series};
}

void RunningWords::add(const SentenceValues& sentence, std::span<const std::int64_t> bin_of) {
  const std::size_t width = header_.series.size();
  const bool micro = header_.averaging == Averaging::micro;
  const auto weights = poisson_weights(sentence.number, header_.bootstrap.seed, header_.bootstrap.resamples);
  for (const auto& [bin, row] : word_rows(header_, sentence, bin_of)) {
    std::vector<double> values(columns * width);
    for (std::size_t s = 0; s < width; ++s) {
      const double count = row.count[s];
      const WordShare share = share_of(count, row.sum[s], header_.averaging);
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
    sums_.add(bin, values, weights);
    for (const auto& [series, value] : row.values) {
      sketches_.at(bin, static_cast<std::int64_t>(series)).add(value);
    }
  }
}

WordCell RunningWords::cell_of(std::int64_t bin, std::int64_t series) const {
  const auto width = static_cast<std::int64_t>(header_.series.size());
  const auto total = [&](Column column) { return sums_.sum(bin, column * width + series).value(); };
  WordCell cell{.series = header_.series[static_cast<std::size_t>(series)]};
  cell.words = std::llround(total(words));
  cell.sentences = std::llround(total(sentences));
  if (cell.words > 0) {
    const long double all = total(weight);
    const long double mean = total(sum) / all;
    cell.mean = static_cast<double>(mean);
    cell.variance = static_cast<double>(std::max(total(squares) / all - mean * mean, 0.0L));
    cell.sampling_error = total(sampled) > 0 ? static_cast<double>(std::sqrt(total(errors)) / all) : kNone;
  }
  if (header_.quantiles) {
    cell.quartiles = quartiles(sketches_.at(bin, series));
  }
  return cell;
}

std::vector<double> RunningWords::resampled(std::int64_t bin) const {
  const auto width = static_cast<std::int64_t>(header_.series.size());
  std::vector<double> result;
  if (header_.bootstrap.resamples == 0) {
    return result;
  }
  for (std::int64_t s = 0; s < width; ++s) {
    const auto shares = sums_.resampled(bin, weight * width + s);
    const auto totals = sums_.resampled(bin, sum * width + s);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const long double share = shares[i].value();
      result.push_back(share > 0 ? static_cast<double>(totals[i].value() / share) : kNone);
    }
  }
  return result;
}

WordStatistics RunningWords::finish() const {
  WordStatistics result = header_;
  WordCells cells;
  for (std::int64_t bin = 0; bin < bins_.size(); ++bin) {
    if (sums_.rows(bin) == 0) {
      continue;
    }
    const WordGroup group{.low = bins_.low(bin), .high = bins_.high(bin), .label = bins_.label(bin)};
    result.groups.push_back(group);
    WordGroupCells of_group{group, {}, resampled(bin)};
    for (std::int64_t s = 0; s < std::ssize(header_.series); ++s) {
      of_group.cells.push_back(cell_of(bin, s));
    }
    cells.add(result, std::move(of_group));
  }
  std::stable_sort(result.cells.begin(), result.cells.end(),
                   [](const WordCell& a, const WordCell& b) { return a.series < b.series; });
  return result;
}

std::vector<Additive*> RunningWords::sums() {
  return header_.quantiles ? std::vector<Additive*>{&sums_, &sketches_} : std::vector<Additive*>{&sums_};
}

}  // namespace mog::analysis
