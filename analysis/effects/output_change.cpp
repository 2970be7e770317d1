// One pass over the rows of both outputs: x·x, y·y, x·y and (y - x)·(y - x) of a token give all its numbers.
// Sums are in double, so that a small change between float32 states is not lost: 1 - cosine of nearly equal
// vectors is a difference of nearly equal numbers. Scores become log-probabilities with the greatest taken
// off first, so no exponential overflows. O(token · width), nothing is kept but the two means.
#include "analysis/effects/output_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Values of a row.
std::size_t width_of(const Sentence& sentence, std::span<const float> before, std::span<const float> after) {
  const std::size_t tokens = sentence.tokens.size();
  if (tokens == 0 || before.size() != after.size() || before.size() % tokens != 0) {
    throw ShapeError(fmt::format(
        "outputs of sentence {} before and after a cut: expected rows of one width for each of {} "
        "tokens, found {} and {} values",
        sentence.number, tokens, before.size(), after.size()));
  }
  return before.size() / tokens;
}

// 1 - cosine of the means over all rows.
double pooled_difference(std::span<const float> before, std::span<const float> after, std::size_t width) {
  std::vector<double> x(width, 0.0);
  std::vector<double> y(width, 0.0);
  for (std::size_t i = 0; i < before.size(); ++i) {
    x[i % width] += static_cast<double>(before[i]);
    y[i % width] += static_cast<double>(after[i]);
  }
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (std::size_t d = 0; d < width; ++d) {
    xx += x[d] * x[d];
    yy += y[d] * y[d];
    xy += x[d] * y[d];
  }
  return xx > 0 && yy > 0 ? 1 - xy / std::sqrt(xx * yy) : (xx == yy ? 0 : 1);
}

std::vector<double> log_probabilities(std::span<const float> scores) {
  std::vector<double> result(scores.begin(), scores.end());
  const double most = *std::max_element(result.begin(), result.end());
  double sum = 0;
  for (const double score : result) {
    sum += std::exp(score - most);
  }
  for (double& score : result) {
    score -= most + std::log(sum);
  }
  return result;
}

}  // namespace

double mean_over_words(const Sentence& sentence, std::span<const float> values) {
  if (values.size() != sentence.tokens.size()) {
    throw ShapeError(fmt::format("a mean over the words of sentence {}: {} values of {} tokens",
                                 sentence.number, values.size(), sentence.tokens.size()));
  }
  double sum = 0;
  std::int64_t count = 0;
  for (std::size_t token = 0; token < sentence.tokens.size(); ++token) {
    if (sentence.tokens[token].word >= 0) {
      sum += static_cast<double>(values[token]);
      ++count;
    }
  }
  return count == 0 ? kNone : sum / static_cast<double>(count);
}

StateDifference state_difference(const Sentence& sentence, std::span<const float> before,
                                 std::span<const float> after) {
  const std::size_t width = width_of(sentence, before, after);
  StateDifference result;
  double count = 0;
  for (std::size_t token = 0; token < sentence.tokens.size(); ++token) {
    if (sentence.tokens[token].word < 0) {
      continue;
    }
    double xx = 0;
    double yy = 0;
    double xy = 0;
    double dd = 0;
    for (std::size_t d = token * width; d < (token + 1) * width; ++d) {
      const double x = static_cast<double>(before[d]);
      const double y = static_cast<double>(after[d]);
      xx += x * x;
      yy += y * y;
      xy += x * y;
      dd += (y - x) * (y - x);
    }
    result.change += xx > 0 ? std::sqrt(dd / xx) : 0;
    result.cosine += xx > 0 && yy > 0 ? 1 - xy / std::sqrt(xx * yy) : (dd > 0 ? 1 : 0);
    count += 1;
  }
  result.change /= count;
  result.cosine /= count;
  result.pooled = pooled_difference(before, after, width);
  return result;
}

double tag_divergence(const Sentence& sentence, std::span<const float> before, std::span<const float> after) {
  const std::size_t width = width_of(sentence, before, after);
  double sum = 0;
  double count = 0;
  for (std::size_t token = 0; width > 0 && token < sentence.tokens.size(); ++token) {
    const std::int64_t word = sentence.tokens[token].word;
    if (word < 0 || (token > 0 && sentence.tokens[token - 1].word == word)) {
      continue;
    }
    const std::vector<double> p = log_probabilities(before.subspan(token * width, width));
    const std::vector<double> q = log_probabilities(after.subspan(token * width, width));
    for (std::size_t tag = 0; tag < width; ++tag) {
      sum += std::exp(p[tag]) * (p[tag] - q[tag]);
    }
    count += 1;
  }
  return count > 0 ? sum / count : kNone;
}

double share_of_changed_tags(std::span<const std::string> before, std::span<const std::string> after) {
  if (before.size() != after.size()) {
    throw ShapeError(fmt::format("tags before and after a cut: of {} and of {} words, expected equally many",
                                 before.size(), after.size()));
  }
  std::int64_t changed = 0;
  std::int64_t words = 0;
  for (std::size_t word = 0; word < before.size(); ++word) {
    if (!before[word].empty()) {
      ++words;
      changed += before[word] != after[word] ? 1 : 0;
    }
  }
  return words == 0 ? 0 : static_cast<double>(changed) / static_cast<double>(words);
}

}  // namespace mog::analysis
