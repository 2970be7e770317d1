#include "analysis/statistics/word_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "io/recording/errors.h"

namespace mog::analysis {

WordShare share_of(double count, double sum, Averaging averaging) {
  if (count <= 0) {
    return {};
  }
  return averaging == Averaging::micro ? WordShare{count, sum} : WordShare{1, sum / count};
}

std::map<std::int64_t, WordRow> word_rows(const WordStatistics& header, const SentenceValues& sentence,
                                          std::span<const std::int64_t> group_of) {
  const std::size_t width = header.series.size();
  const auto all = static_cast<std::size_t>(sentence.words);
  if (sentence.values.size() != width * all) {
    throw ShapeError(fmt::format("statistics of {}: sentence {} has {} values for {} words and {} series",
                                 header.measure, sentence.number, sentence.values.size(), sentence.words,
                                 width));
  }
  std::map<std::int64_t, WordRow> rows;
  for (std::size_t word = 0; word < std::min(all, group_of.size()); ++word) {
    if (group_of[word] < 0) {
      continue;
    }
    WordRow& row = rows[group_of[word]];
    if (row.count.empty()) {
      row.number = sentence.number;
      row.length = sentence.length > 0 ? sentence.length : sentence.words;
      row.count.assign(width, 0.0);
      row.sum.assign(width, 0.0);
      row.squares.assign(width, 0.0);
      row.errors.assign(sentence.errors.empty() ? 0 : width, 0.0);
    }
    for (std::size_t s = 0; s < width; ++s) {
      const std::size_t place = s * all + word;
      const double value = sentence.values[place];
      if (std::isnan(value)) {
        continue;
      }
      row.count[s] += 1;
      row.sum[s] += value;
      row.squares[s] += value * value;
      if (!row.errors.empty()) {
        row.errors[s] += sentence.errors[place];
      }
      if (header.quantiles && header.averaging == Averaging::micro) {
        row.values.emplace_back(s, value);
      }
    }
  }
  if (header.quantiles && header.averaging == Averaging::macro) {
    for (auto& [group, row] : rows) {
      for (std::size_t s = 0; s < width; ++s) {
        if (row.count[s] > 0) {
          row.values.emplace_back(s, row.sum[s] / row.count[s]);
        }
      }
    }
  }
  return rows;
}

void WordCells::add(WordStatistics& result, WordGroupCells of_group) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const auto resamples = static_cast<std::size_t>(result.bootstrap.resamples);
  const auto interval_of = [&](std::span<const double> values) {
    return percentile_interval(std::vector<double>(values.begin(), values.end()),
                               result.bootstrap.confidence);
  };
  const bool binned = of_group.group.low >= 0;
  for (std::size_t s = 0; s < of_group.cells.size(); ++s) {
    check_stop(result.bootstrap);  // a million resamples take their time to be sorted
    WordCell& cell = of_group.cells[s];
    cell.group = of_group.group;
    cell.difference = cell.difference_low = cell.difference_high = kNone;
    if (cell.words == 0) {
      continue;
    }
    const std::span<double> own = std::span(of_group.resampled).subspan(s * resamples, resamples);
    if (cell.sentences < kFewestResampled) {
      std::fill(own.begin(), own.end(), kNone);  // nor is there one of a difference to it
    }
    const Interval interval = holding(interval_of(own), cell.mean);
    cell.low = interval.low;
    cell.high = interval.high;
    if (base_ ? base_->cells[s].words > 0 : binned) {
      cell.difference = base_ ? cell.mean - base_->cells[s].mean : 0;
      std::vector<double> differences(resamples, 0.0);
      for (std::size_t i = 0; base_ && i < resamples; ++i) {
        differences[i] = own[i] - base_->resampled[s * resamples + i];
      }
      const Interval of_difference = holding(interval_of(differences), cell.difference);
      cell.difference_low = of_difference.low;
      cell.difference_high = of_difference.high;
    }
    result.cells.push_back(cell);
  }
  if (!base_ && binned) {
    base_ = std::move(of_group);
  }
}

}  // namespace mog::analysis
