#include "analysis/neighbours/relative_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

// Of one place: p log2(p / m) + q log2(q / m), m the mean of both.
double divergence(double p, double q) {
  const double mean = (p + q) / 2;
  return (p > 0 ? p * std::log2(p / mean) : 0.0) + (q > 0 ? q * std::log2(q / mean) : 0.0);
}

}  // namespace

RelativeRow relative_row(const Sentence& sentence, std::int64_t word, std::span<const double> row,
                         double unknown) {
  if (row.size() != sentence.tokens.size()) {
    throw ShapeError(fmt::format("an attention row of {} weights in a sentence of {} tokens", row.size(),
                                 sentence.tokens.size()));
  }
  RelativeRow result;
  result.first = -word;
  result.weights.assign(sentence.words.size(), 0.0);
  result.unknown = unknown;
  double sum = unknown;
  for (std::size_t token = 0; token < row.size(); ++token) {
    const std::int64_t of = sentence.tokens[token].word;
    sum += row[token];
    if (of < 0) {
      result.special += row[token];
    } else {
      result.weights.at(static_cast<std::size_t>(of)) += row[token];
    }
  }
  if (!(sum > 0) || !std::isfinite(sum)) {
    return {};
  }
  for (double& weight : result.weights) {
    weight /= sum;
  }
  result.special /= sum;
  result.unknown /= sum;
  return result;
}

double row_similarity(const RelativeRow& left, const RelativeRow& right) {
  if (left.weights.empty() || right.weights.empty()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const std::int64_t from = std::min(left.first, right.first);
  const std::int64_t to = std::max(left.first + static_cast<std::int64_t>(left.weights.size()),
                                   right.first + static_cast<std::int64_t>(right.weights.size()));
  const auto weight = [](const RelativeRow& row, std::int64_t place) {
    const std::int64_t at = place - row.first;
    return at >= 0 && at < static_cast<std::int64_t>(row.weights.size())
               ? row.weights[static_cast<std::size_t>(at)]
               : 0.0;
  };
  double sum = divergence(left.special, right.special) + divergence(left.unknown, right.unknown);
  for (std::int64_t place = from; place < to; ++place) {
    sum += divergence(weight(left, place), weight(right, place));
  }
  return 1 - std::sqrt(std::clamp(sum / 2, 0.0, 1.0));
}

}  // namespace mog::analysis
