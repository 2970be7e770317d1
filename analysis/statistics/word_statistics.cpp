// The scheme of weight_by_length.cpp for values that belong to words: a sentence leaves, in each group that
// one of its words is in, counts, sums and sums of squares by series. Groups are sorted, and within them
// sentences by number, before anything is added up, so that the order of arrival cannot show.
//
// O(resamples · sentences · series) over all groups. A distribution has thousands of series (P(leaves = k)),
// and series · resamples doubles are held for the group at hand and for the first bin, to which differences
// are taken; above 4 GB the request is refused with advice rather than left to the system.
//
// Sampling errors of values that were sampled are independent of each other: their squares are added and
// divided by the weight once.
//
// Traps: the variance is that of the values themselves, Σx²/n less the square of the mean, without the n − 1
// of RunningMoments. A group draws from the stream of its place among the groups, so that a further group
// gives those behind it other draws.
#include "analysis/statistics/word_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "analysis/statistics/binned_rows.h"
#include "analysis/statistics/word_cells.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

WordAccumulator::WordAccumulator(WordStatistics header) : header_(std::move(header)) {
  const BootstrapOptions& bootstrap = header_.bootstrap;
  if (bootstrap.resamples < 0 || !(bootstrap.confidence > 0 && bootstrap.confidence < 1)) {
    throw UsageError(fmt::format(
        "statistics with {} resamples and confidence {}: expected resamples from 0 and a confidence between "
        "0 and 1",
        bootstrap.resamples, bootstrap.confidence));
  }
}

void WordAccumulator::add(const SentenceValues& sentence, std::span<const std::int64_t> group_of,
                          std::span<const WordGroup> groups) {
  std::map<std::int64_t, WordRow> by_group = word_rows(header_, sentence, group_of);
  if (!seen_.emplace(sentence.number, true).second) {
    throw UsageError(
        fmt::format("statistics over several recordings: sentence {} comes twice; shards of one corpus count "
                    "each sentence once, other recordings are counted one by one",
                    sentence.number));
  }
  for (auto& [number, row] : by_group) {
    const WordGroup& group = groups[at(number)];
    if (header_.quantiles) {
      const auto width = static_cast<std::int64_t>(header_.series.size());
      QuantileSketches& sketches = sketches_.try_emplace(group, 1, width).first->second;
      sketches.add(0, row.values);
      row.values = {};
    }
    rows_[group].push_back(std::move(row));
  }
}

WordStatistics WordAccumulator::finish() const {
  WordStatistics result = header_;
  result.sentences = static_cast<std::int64_t>(seen_.size());
  std::uint64_t stream = 0;
  WordCells cells;
  for (const auto& [group, rows] : rows_) {
    std::vector<const WordRow*> sorted;
    for (const WordRow& row : rows) {
      sorted.push_back(&row);
    }
    std::sort(sorted.begin(), sorted.end(),
              [](const WordRow* a, const WordRow* b) { return a->number < b->number; });
    result.groups.push_back(group);
    WordGroupCells of_group{group, {}, resample(sorted, stream++)};
    for (std::size_t s = 0; s < header_.series.size(); ++s) {
      WordCell& cell = of_group.cells.emplace_back(cell_of(sorted, s));
      if (header_.quantiles) {
        cell.quartiles =
            quartiles(sketches_.at(group).at(0, static_cast<std::int64_t>(s)), header_.bootstrap);
      }
    }
    cells.add(result, std::move(of_group));
    if (header_.keep_means) {
      auto& kept = result.group_means.emplace_back();
      for (const WordRow* const row : sorted) {
        WordSentenceMeans& means = kept.emplace_back(WordSentenceMeans{row->number, row->length, {}});
        for (std::size_t s = 0; s < row->count.size(); ++s) {
          means.means.push_back(row->count[s] > 0 ? row->sum[s] / row->count[s] : kNone);
        }
      }
    }
  }
  std::stable_sort(result.cells.begin(), result.cells.end(),
                   [](const WordCell& a, const WordCell& b) { return a.series < b.series; });
  return result;
}

// Means of resampled sentences, [series, resample].
std::vector<double> WordAccumulator::resample(const std::vector<const WordRow*>& rows,
                                              std::uint64_t stream) const {
  const std::size_t width = header_.series.size();
  const auto items = static_cast<std::int64_t>(rows.size());
  const auto resamples = at(header_.bootstrap.resamples);
  constexpr double kMostBytes = 4e9;
  const double bytes = 8 * static_cast<double>(width) * static_cast<double>(resamples);
  if (bytes > kMostBytes) {
    throw UsageError(fmt::format(
        "statistics of \"{}\": {} resamples of {} series take {:.0f} GB; ask for fewer resamples or "
        "orders",
        header_.measure, resamples, width, bytes / 1e9));
  }
  std::vector<double> resampled(width * resamples, kNone);
  std::vector<WordShare> sums(width);
  std::vector<WordShare> shares(width * rows.size());  // [row, series]
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t s = 0; s < width; ++s) {
      shares[r * width + s] = share_of(rows[r]->count[s], rows[r]->sum[s], header_.averaging);
    }
  }
  for (std::size_t resample = 0; resample < resamples; ++resample) {
    check_stop(header_.bootstrap);
    std::fill(sums.begin(), sums.end(), WordShare());
    for (std::int64_t draw = 0; draw < items; ++draw) {
      const auto row = at(
          resampled_index(items, header_.bootstrap.seed, stream, resample, static_cast<std::uint64_t>(draw)));
      for (std::size_t s = 0; s < width; ++s) {
        sums[s].weight += shares[row * width + s].weight;
        sums[s].sum += shares[row * width + s].sum;
      }
    }
    for (std::size_t s = 0; s < width; ++s) {
      resampled[s * resamples + resample] = sums[s].weight > 0 ? sums[s].sum / sums[s].weight : kNone;
    }
  }
  return resampled;
}

// Counts, mean and variance of one series; no words: the group has no value of it.
WordCell WordAccumulator::cell_of(const std::vector<const WordRow*>& rows, std::size_t series) const {
  WordCell cell{.series = header_.series[series]};
  WordShare total;
  double squares = 0;
  double errors = 0;
  bool sampled = false;
  const bool micro = header_.averaging == Averaging::micro;
  for (const WordRow* const row : rows) {
    const double count = row->count[series];
    const WordShare share = share_of(count, row->sum[series], header_.averaging);
    if (share.weight <= 0) {
      continue;
    }
    cell.sentences += 1;
    cell.words += static_cast<std::int64_t>(count);
    total.weight += share.weight;
    total.sum += share.sum;
    squares += micro ? row->squares[series] : share.sum * share.sum;
    if (!row->errors.empty()) {
      sampled = true;
      errors += row->errors[series] / (micro ? 1 : count * count);
    }
  }
  if (cell.words > 0) {
    cell.mean = total.sum / total.weight;
    cell.variance = std::max(squares / total.weight - cell.mean * cell.mean, 0.0);
    cell.sampling_error = sampled ? std::sqrt(errors) / total.weight : kNone;
  }
  return cell;
}

const WordCell* WordStatistics::find(const WordSeries& wanted, const WordGroup& group) const {
  const auto found = std::find_if(cells.begin(), cells.end(), [&](const WordCell& cell) {
    return cell.series == wanted && cell.group == group;
  });
  return found == cells.end() ? nullptr : &*found;
}

Table WordStatistics::table() const {
  Table result = binned_table(quantiles);
  result.columns.insert(result.columns.end(),
                        {"leaves", "order", "kind", "samples", "sampling_error", "grammar"});
  const auto optional = [](std::int64_t value, bool there) { return there ? Cell(value) : Cell(); };
  const auto text = [](std::string value) { return value.empty() ? Cell() : Cell(std::move(value)); };
  for (const WordCell& cell : cells) {
    const bool sampled = !std::isnan(cell.sampling_error);
    std::vector<Cell> row = {
        text(model.name),
        text(corpus_name),
        measure,
        units,
        std::string(averaging == Averaging::micro ? "micro" : "macro"),
        optional(cell.series.layer, cell.series.layer > 0),
        cell.series.part == Part::none ? Cell() : Cell(std::string(mog::name(cell.series.part))),
        optional(cell.series.head, cell.series.head > 0),
        cell.group.label,
        optional(cell.group.low, cell.group.low >= 0),
        optional(cell.group.high, cell.group.high >= 0)};
    add_means(row, cell, cell.words, bootstrap);
    row.insert(row.end(), {by, words.all() ? Cell() : Cell(words.label())});
    if (quantiles) {
      add_quartiles(row, cell.quartiles);
    }
    row.insert(row.end(), {optional(cell.series.leaves, cell.series.leaves > 0),
                           optional(cell.series.order, cell.series.order > 0), text(cell.series.kind),
                           optional(samples, sampled), cell.sampling_error, text(grammar)});
    result.add(std::move(row));
  }
  return result;
}

}  // namespace mog::analysis
