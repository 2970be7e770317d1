// Attachment scores of many trees of the same sentences (every layer, part and head), and their bootstrap.
//
// A resample of sentences is a count of how often each was drawn; the score of a row is a quotient of two dot
// products with that count. Rows are kept as 16-bit counts by sentence, so a resample costs rows × sentences
// additions without a look at any tree, and every row sees the same draws: differences between rows are
// paired.
#include "analysis/metrics/attachment.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

double quotient(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? std::numeric_limits<double>::quiet_NaN()
                    : static_cast<double>(part) / static_cast<double>(whole);
}

std::int64_t dot(std::span<const std::int32_t> counts, std::span<const std::int32_t> times) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    sum += std::int64_t{counts[i]} * times[i];
  }
  return sum;
}

}  // namespace

Attachment attachment(std::span<const std::int32_t> gold, std::span<const std::int32_t> predicted,
                      std::span<const char> counts) {
  if (gold.size() != predicted.size() || (!counts.empty() && counts.size() != gold.size())) {
    throw ShapeError(fmt::format("attachment scores: {} gold heads, {} predicted ones, {} marks", gold.size(),
                                 predicted.size(), counts.size()));
  }
  Attachment result;
  for (std::size_t i = 0; i < gold.size(); ++i) {
    if (!counts.empty() && counts[i] == 0) {
      continue;
    }
    const std::int32_t head = gold[i];
    ++result.words;
    result.heads += predicted[i] == head ? 1 : 0;
    if (head > 0) {
      ++result.edges;
      const bool reversed = predicted[static_cast<std::size_t>(head - 1)] == static_cast<std::int32_t>(i) + 1;
      result.pairs += predicted[i] == head || reversed ? 1 : 0;
    }
  }
  return result;
}

AttachmentScores::AttachmentScores(std::size_t rows, std::size_t sentences)
    : rows_(rows), whole_(sentences), set_(sentences, 0), draws_(rows, 1) {
  for (std::vector<std::uint16_t>& parts : parts_) {
    parts.assign(rows * sentences, kMissing);
  }
}

void AttachmentScores::set(std::size_t row, std::size_t sentence, const Attachment& found) {
  if (std::max(found.heads, found.pairs) >= kMissing) {
    throw UsageError(
        fmt::format("attachment scores: a sentence with {} words that are found; the most are {}",
                    std::max(found.heads, found.pairs), kMissing - 1));
  }
  part(AttachmentScore::directed, row, sentence) = static_cast<std::uint16_t>(found.heads);
  part(AttachmentScore::undirected, row, sentence) = static_cast<std::uint16_t>(found.pairs);
  whole_[sentence] = {static_cast<std::int32_t>(found.words), static_cast<std::int32_t>(found.edges)};
  set_[sentence] = 1;
}

std::optional<Attachment> AttachmentScores::found(std::size_t row, std::size_t sentence) const {
  const std::uint16_t heads = part(AttachmentScore::directed, row, sentence);
  if (heads == kMissing) {
    return std::nullopt;
  }
  return Attachment{.words = whole_[sentence].words,
                    .heads = heads,
                    .edges = whole_[sentence].edges,
                    .pairs = part(AttachmentScore::undirected, row, sentence)};
}

std::vector<std::size_t> AttachmentScores::sentences() const {
  std::vector<std::size_t> found;
  for (std::size_t sentence = 0; sentence < set_.size(); ++sentence) {
    if (set_[sentence] != 0) {
      found.push_back(sentence);
    }
  }
  return found;
}

std::int64_t AttachmentScores::counted(std::size_t row) const {
  const auto first = parts_[0].begin() + static_cast<std::ptrdiff_t>(row * whole_.size());
  return std::count_if(first, first + static_cast<std::ptrdiff_t>(whole_.size()),
                       [](std::uint16_t found) { return found != kMissing; });
}

std::int64_t AttachmentScores::words() const {
  return std::accumulate(whole_.begin(), whole_.end(), std::int64_t{0},
                         [](std::int64_t sum, const Whole& sentence) { return sum + sentence.words; });
}

double AttachmentScores::value(std::size_t row, AttachmentScore score,
                               std::span<const std::size_t> sentences) const {
  std::int64_t found = 0;
  std::int64_t all = 0;
  for (const std::size_t sentence : sentences) {
    if (const std::uint16_t here = part(score, row, sentence); here != kMissing) {
      found += here;
      all += whole(score, sentence) * draws_[row];
    }
  }
  return quotient(found, all);
}

double AttachmentScores::value(std::size_t row, AttachmentScore score) const {
  return value(row, score, sentences());
}

std::vector<Interval> AttachmentScores::intervals(AttachmentScore score,
                                                  const BootstrapOptions& options) const {
  // Dense copies of what is counted: the loops below are the cost, rows x sentences x resamples.
  const std::vector<std::size_t> counted = sentences();
  const std::size_t n = counted.size();
  std::vector<std::int32_t> parts(rows_ * n, 0);
  std::vector<std::int32_t> wholes(n);
  std::vector<std::vector<std::int32_t>> own(rows_);  // wholes of rows that lack sentences
  for (std::size_t i = 0; i < n; ++i) {
    wholes[i] = static_cast<std::int32_t>(whole(score, counted[i]));
  }
  for (std::size_t row = 0; row < rows_; ++row) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint16_t found = part(score, row, counted[i]);
      if (found != kMissing) {
        parts[row * n + i] = found;
        continue;
      }
      if (own[row].empty()) {
        own[row] = wholes;
      }
      own[row][i] = 0;
    }
  }
  std::vector<std::vector<double>> values(rows_);
  std::vector<std::int32_t> times(n);  // how often a resample has each sentence
  for (std::int64_t resample = 0;
       resample < options.resamples && n >= static_cast<std::size_t>(kFewestResampled); ++resample) {
    check_stop(options);
    std::fill(times.begin(), times.end(), 0);
    for (std::size_t draw = 0; draw < n; ++draw) {
      ++times[static_cast<std::size_t>(resampled_index(static_cast<std::int64_t>(n), options.seed, 0,
                                                       static_cast<std::uint64_t>(resample), draw))];
    }
    const std::int64_t all = dot(wholes, times);
    for (std::size_t row = 0; row < rows_; ++row) {
      const std::int64_t of_row = own[row].empty() ? all : dot(own[row], times);
      values[row].push_back(quotient(dot(std::span(parts).subspan(row * n, n), times), of_row * draws_[row]));
    }
  }
  std::vector<Interval> intervals;
  for (std::vector<double>& of_row : values) {
    check_stop(options);
    intervals.push_back(percentile_interval(std::move(of_row), options.confidence));
  }
  return intervals;
}

std::optional<std::size_t> AttachmentScores::best(std::span<const std::size_t> candidates,
                                                  AttachmentScore score, std::optional<int> half) const {
  std::vector<std::size_t> chosen;
  for (const std::size_t sentence : sentences()) {
    if (!half || static_cast<int>(sentence % 2) == *half) {
      chosen.push_back(sentence);
    }
  }
  std::optional<std::size_t> best;
  double greatest = -1;
  for (const std::size_t row : candidates) {
    const double here = value(row, score, chosen);
    if (here > greatest) {
      greatest = here;
      best = row;
    }
  }
  return best;
}

std::vector<std::vector<std::size_t>> AttachmentScores::set_cross_chosen(
    std::size_t row, std::span<const std::size_t> candidates) {
  std::vector<std::vector<std::size_t>> chosen(2);
  const std::vector<std::size_t> counted = sentences();
  for (const AttachmentScore score : {AttachmentScore::directed, AttachmentScore::undirected}) {
    const std::optional<std::size_t> first = best(candidates, score, 0);
    const std::optional<std::size_t> second = best(candidates, score, 1);
    if (!first || !second) {
      continue;
    }
    chosen[static_cast<std::size_t>(score)] = {*first, *second};
    for (const std::size_t sentence : counted) {
      part(score, row, sentence) = part(score, sentence % 2 == 0 ? *second : *first, sentence);
    }
  }
  return chosen;
}

}  // namespace mog::analysis
