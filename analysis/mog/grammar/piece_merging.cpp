// A word attends as its pieces do on average, and to a word as to all its pieces together: rows are
// averaged, columns summed. So a row of words is a distribution as the rows of pieces were. What went to
// special tokens is taken out, reported as dropped, and the rest divided by what is left.
//
// One pass, O(heads · pieces²): the heads are averaged into one row at a time, which then falls into its
// word's row. The average over heads comes first because it is linear; dividing by what is kept comes last
// because it is not. Heads merged one by one and averaged then would give other numbers.
//
// The first token of a sentence is where heads with nothing to say often rest, most of all in models that
// read from left to right (an attention sink). Where it is a special token it is dropped with the others;
// where it is a piece of a word, drop_sink() takes it out in the same way: after the mean over heads, before
// the division. So a head that rests there counts for little, as one that rests on a special token does.
//
// Trap: a word that gives all its attention to special tokens has nothing to divide by. It becomes a self
// entry, which makes no join, instead of NaN.
#include <cmath>

#include <fmt/format.h>

#include "analysis/mog/grammar/from_recording.h"

namespace mog::analysis {
namespace {

// A row that keeps no more than this becomes a self entry.
constexpr double kNothingLeft = 1e-9;

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

std::vector<double> weights_of_heads(std::span<const double> given, std::int64_t heads) {
  if (given.empty()) {
    return std::vector<double>(at(heads), 1.0 / static_cast<double>(heads));
  }
  double sum = 0;
  for (const double weight : given) {
    sum += weight;
  }
  if (static_cast<std::int64_t>(given.size()) != heads || !(std::abs(sum - 1) <= 1e-3)) {
    throw ShapeError(fmt::format("head weights: expected {} numbers with sum 1, found {} with sum {}", heads,
                                 given.size(), sum));
  }
  return {given.begin(), given.end()};
}

// Whether a piece is of another word than the first token, and of a word at all.
bool is_other(std::span<const std::int64_t> word_of_piece, std::size_t piece) {
  return word_of_piece[piece] > 0 && word_of_piece[piece] != word_of_piece.front();
}

void check_map(std::size_t values, std::int64_t heads, std::int64_t pieces) {
  if (static_cast<std::int64_t>(values) != heads * pieces * pieces) {
    throw ShapeError(
        fmt::format("merging pieces: expected an attention map [head={}, query={}, key={}], found {} values",
                    heads, pieces, pieces, values));
  }
}

}  // namespace

void drop_sink(std::span<double> map, std::int64_t heads, std::span<const std::int64_t> word_of_piece) {
  const auto pieces = static_cast<std::int64_t>(word_of_piece.size());
  check_map(map.size(), heads, pieces);
  if (word_of_piece.empty() || word_of_piece.front() == 0) {
    return;  // a special token: what it takes is dropped, and counted, with the others
  }
  for (std::int64_t head = 0; head < heads; ++head) {
    for (std::int64_t q = 0; q < pieces; ++q) {
      if (is_other(word_of_piece, at(q))) {
        map[at((head * pieces + q) * pieces)] = 0;
      }
    }
  }
}

MapMerger::MapMerger(std::int64_t heads, std::span<const std::int64_t> word_of_piece, std::int64_t words,
                     std::span<const double> head_weights, bool drop_sink)
    : word_of_piece_(word_of_piece),
      words_(words),
      alpha_(weights_of_heads(head_weights, heads)),
      drop_sink_(drop_sink),
      merged_(at(words * words), 0.0),
      rows_(at(words), 0.0),
      dropped_(at(words), 0.0) {}

void MapMerger::add(std::span<const double> rows) {
  const std::size_t pieces = word_of_piece_.size();
  const std::size_t a_query = alpha_.size() * pieces;
  const std::size_t queries = a_query == 0 ? 0 : rows.size() / a_query;
  if (queries * a_query != rows.size() || next_ + queries > pieces) {
    throw ShapeError(fmt::format(
        "merging pieces: expected whole rows of an attention map [head={}, query={}, key={}] from query "
        "{} on, found {} values",
        alpha_.size(), pieces, pieces, next_ + 1, rows.size()));
  }
  const auto words = static_cast<std::size_t>(words_);
  const bool drops = drop_sink_ && pieces > 0 && word_of_piece_.front() > 0;
  std::vector<double> row(pieces);
  for (std::size_t q = 0; q < queries; ++q, ++next_) {
    const std::int64_t word = word_of_piece_[next_] - 1;
    if (word < 0) {
      continue;
    }
    std::fill(row.begin(), row.end(), 0.0);
    for (std::size_t head = 0; head < alpha_.size(); ++head) {
      const double* const values = rows.data() + (head * queries + q) * pieces;
      for (std::size_t k = 0; k < pieces; ++k) {
        row[k] += alpha_[head] * values[k];
      }
    }
    if (is_other(word_of_piece_, next_)) {
      ++sink_rows_;
      sink_ += row.front();
      row.front() = drops ? 0 : row.front();
    }
    rows_[at(word)] += 1;
    for (std::size_t k = 0; k < pieces; ++k) {
      const std::int64_t key = word_of_piece_[k] - 1;
      (key < 0 ? dropped_[at(word)] : merged_[at(word) * words + at(key)]) += row[k];
    }
  }
}

std::optional<double> MapMerger::sink() const {
  return sink_rows_ == 0 ? std::nullopt : std::optional(sink_ / static_cast<double>(sink_rows_));
}

std::vector<double> MapMerger::finish(std::vector<double>& dropped) {
  if (next_ != word_of_piece_.size()) {
    throw ShapeError(fmt::format("merging pieces: expected an attention map of {} queries, found {}",
                                 word_of_piece_.size(), next_));
  }
  for (std::int64_t m = 0; m < words_; ++m) {
    double* const values = merged_.data() + m * words_;
    dropped_[at(m)] /= rows_[at(m)];
    double kept = 0;
    for (std::int64_t n = 0; n < words_; ++n) {
      values[n] /= rows_[at(m)];
      kept += values[n];
    }
    for (std::int64_t n = 0; n < words_; ++n) {
      values[n] = kept > kNothingLeft ? values[n] / kept : (n == m ? 1.0 : 0.0);
    }
  }
  dropped = std::move(dropped_);
  return std::move(merged_);
}

std::vector<double> merge_map(std::span<const double> map, std::int64_t heads,
                              std::span<const std::int64_t> word_of_piece, std::int64_t words,
                              std::span<const double> head_weights, std::vector<double>& dropped) {
  MapMerger merger(heads, word_of_piece, words, head_weights);
  merger.add(map);
  return merger.finish(dropped);
}

std::vector<double> merge_values(std::span<const double> values, std::int64_t width,
                                 std::span<const std::int64_t> word_of_piece, std::int64_t words) {
  if (values.size() != word_of_piece.size() * at(width)) {
    throw ShapeError(fmt::format("merging pieces: expected [token={}, {}] values, found {}",
                                 word_of_piece.size(), width, values.size()));
  }
  std::vector<double> merged(at(words * width), 0.0);
  std::vector<double> pieces(at(words), 0.0);
  for (std::size_t piece = 0; piece < word_of_piece.size(); ++piece) {
    const std::int64_t word = word_of_piece[piece] - 1;
    if (word >= 0) {
      pieces[at(word)] += 1;
      for (std::int64_t i = 0; i < width; ++i) {
        merged[at(word * width + i)] += values[piece * at(width) + at(i)];
      }
    }
  }
  for (std::int64_t i = 0; i < words * width; ++i) {
    merged[at(i)] /= pieces[at(i / width)];
  }
  return merged;
}

std::int64_t count_words(std::span<const std::int64_t> word_of_piece) {
  std::int64_t words = 0;
  for (const std::int64_t word : word_of_piece) {
    words = std::max(words, word);
  }
  std::vector<char> seen(at(words) + 1, 0);
  for (const std::int64_t word : word_of_piece) {
    if (word < 0) {
      throw ShapeError(fmt::format("merging pieces: expected words from 1, or 0 for none, found {}", word));
    }
    seen[at(word)] = 1;
  }
  for (std::int64_t word = 1; word <= words; ++word) {
    if (seen[at(word)] == 0) {
      throw ShapeError(fmt::format("merging pieces: word {} of {} has no piece", word, words));
    }
  }
  return words;
}

WordMaps merge_pieces(const PieceMaps& maps, std::span<const std::int64_t> word_of_piece,
                      std::span<const double> head_weights) {
  const std::int64_t words = count_words(word_of_piece);
  WordMaps result;
  for (const auto& layer : maps.attention) {
    auto& attention = result.attention.emplace_back();
    auto& dropped = result.dropped.emplace_back();
    for (const auto& map : layer) {
      attention.push_back(
          merge_map(map, maps.heads, word_of_piece, words, head_weights, dropped.emplace_back()));
    }
  }
  for (const auto& values : maps.per_piece) {
    result.per_word.push_back(merge_values(values, 1, word_of_piece, words));
  }
  return result;
}

}  // namespace mog::analysis
