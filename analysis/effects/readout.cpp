// A target is a weighted mean over tokens: 1/n of every token, or 1/k of the k tokens of a word. An erasure
// that takes tokens away takes their weights too, and the mean is divided by what is left.
//
// With c = cosine(b, a): ∂c/∂a = b / (|a||b|) - c a / |a|². With p = softmax(s): ∂p_t/∂s_i = p_t ([i = t] -
// p_i). Everything is O(rows · width).
#include "analysis/effects/readout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "analysis/statistics/softmax.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

double dot(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += x[i] * y[i];
  }
  return sum;
}

std::size_t best_of(const std::vector<double>& values) {
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

// Tokens that can be the head of a word.
std::vector<bool> possible_heads(const Sentence& sentence, std::int64_t word) {
  std::vector<bool> possible;
  std::vector<bool> seen(sentence.words.size() + 1, false);
  for (const Token& token : sentence.tokens) {
    const auto vertex = static_cast<std::size_t>(token.word + 1);  // 0: the root
    possible.push_back(token.word != word && !seen[vertex]);
    seen[vertex] = true;
  }
  return possible;
}

// p_best's slope by the scores.
std::vector<double> tag_slope(const std::vector<double>& probabilities, std::size_t best) {
  std::vector<double> slope(probabilities.size());
  for (std::size_t i = 0; i < slope.size(); ++i) {
    slope[i] = probabilities[best] * ((i == best ? 1.0 : 0.0) - probabilities[i]);
  }
  return slope;
}

}  // namespace

std::optional<Readout> Readout::of(const Sentence& sentence, const ReadoutOptions& options) {
  Readout readout;
  readout.target_ = options.target;
  const auto words = static_cast<std::int64_t>(sentence.words.size());
  std::int64_t word = -1;
  if (options.target != TargetKind::pooled) {
    word = options.word > 0 ? options.word - 1 : words + options.word;
    if (word < 0 || word >= words) {
      return std::nullopt;
    }
  }
  const std::size_t count = sentence.tokens.size();
  readout.shrinks_ = word < 0 && options.takes_away;
  readout.weights_.assign(count, word < 0 ? 1.0 / static_cast<double>(count) : 0.0);
  readout.units_ = erased_units(sentence, word, options.unit, options.special);
  if (word < 0) {
    return readout;
  }
  std::vector<std::size_t> own;
  for (std::size_t token = 0; token < count; ++token) {
    if (sentence.tokens[token].word == word) {
      own.push_back(token);
    }
  }
  if (own.empty()) {
    return std::nullopt;  // all its characters are unknown to the tokenizer
  }
  if (readout.reads_probabilities()) {
    own.erase(own.begin() + 1, own.end());
  }
  if (options.target == TargetKind::head) {
    readout.heads_ = possible_heads(sentence, word);
  }
  for (const std::size_t token : own) {
    readout.weights_[token] = 1.0 / static_cast<double>(own.size());
  }
  return readout;
}

std::vector<double> Readout::read(std::span<const double> values, std::span<const std::int64_t> tokens,
                                  const ErasedTokens& erased) const {
  if (tokens.empty() || values.empty() || values.size() % tokens.size() != 0 ||
      erased.size() != weights_.size()) {
    throw ShapeError(
        fmt::format("reading a target: {} values of {} tokens, of {} known whether they are erased; expected "
                    "rows of one width and the {} tokens of the sentence",
                    values.size(), tokens.size(), erased.size(), weights_.size()));
  }
  const std::size_t width = values.size() / tokens.size();
  std::vector<double> result(width, 0.0);
  double total = 0;
  for (std::size_t row = 0; row < tokens.size(); ++row) {
    const auto token = static_cast<std::size_t>(tokens[row]);
    if (token >= weights_.size()) {
      throw ShapeError(fmt::format("reading a target: a row of token {} in a sentence of {} tokens",
                                   tokens[row], weights_.size()));
    }
    const double weight = shrinks_ && erased[token] ? 0.0 : weights_[token];
    total += weight;
    for (std::size_t d = 0; weight > 0 && d < width; ++d) {
      result[d] += weight * values[row * width + d];
    }
  }
  for (double& value : result) {
    value /= total;
  }
  if (!heads_.empty() && heads_.size() != width) {
    throw ShapeError(fmt::format("reading the head of a word: scores of {} tokens in a sentence of {}", width,
                                 heads_.size()));
  }
  for (std::size_t token = 0; token < heads_.size(); ++token) {
    result[token] = heads_[token] ? result[token] : -std::numeric_limits<double>::infinity();
  }
  if (reads_probabilities()) {
    softmax(result);
  }
  return result;
}

std::vector<double> Readout::read(std::span<const double> values, const ErasedTokens& erased) const {
  std::vector<std::int64_t> tokens(weights_.size());
  std::iota(tokens.begin(), tokens.end(), std::int64_t{0});
  return read(values, tokens, erased);
}

double Readout::effect(const std::vector<double>& before, const std::vector<double>& after) const {
  if (reads_probabilities()) {
    const std::size_t best = best_of(before);
    return before[best] - after[best];
  }
  const double square = dot(before, before) * dot(after, after);
  return square > 0 ? 1.0 - dot(before, after) / std::sqrt(square) : 1.0;
}

std::vector<double> Readout::slope(const std::vector<double>& before, const std::vector<double>& at) const {
  if (reads_probabilities()) {
    return tag_slope(at, best_of(before));
  }
  const double own = dot(at, at);
  const double length = std::sqrt(own * dot(before, before));
  const double along = dot(before, at);
  std::vector<double> slope(at.size(), 0.0);
  for (std::size_t i = 0; length > 0 && i < slope.size(); ++i) {
    slope[i] = before[i] / length - along / length * at[i] / own;
  }
  return slope;
}

std::vector<double> Readout::own_slope(const std::vector<double>& before) const {
  if (reads_probabilities()) {
    return tag_slope(before, best_of(before));
  }
  const double length = std::sqrt(dot(before, before));
  std::vector<double> slope = before;
  for (double& value : slope) {
    value = length > 0 ? value / length : 0.0;
  }
  return slope;
}

std::vector<double> Readout::own_cotangent(const std::vector<double>& before) const {
  const std::vector<double> slope = own_slope(before);
  std::vector<double> result;
  result.reserve(weights_.size() * slope.size());
  for (const double weight : weights_) {
    for (const double value : slope) {
      result.push_back(weight * value);
    }
  }
  return result;
}

}  // namespace mog::analysis
