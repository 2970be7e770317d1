#include "analysis/neighbours/k_occurrence.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mog::analysis {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

struct Moments {
  double mean = kNone;
  double deviation = kNone;
};

Moments moments(std::span<const double> values) {
  double sum = 0;
  double count = 0;
  for (const double value : values) {
    if (!std::isnan(value)) {
      sum += value;
      count += 1;
    }
  }
  if (count == 0) {
    return {};
  }
  double squares = 0;
  for (const double value : values) {
    if (!std::isnan(value)) {
      squares += (value - sum / count) * (value - sum / count);
    }
  }
  return {sum / count, std::sqrt(squares / count)};
}

double skewness(std::span<const std::int64_t> counts) {
  double mean = 0;
  for (const std::int64_t count : counts) {
    mean += static_cast<double>(count) / static_cast<double>(counts.size());
  }
  double second = 0;
  double third = 0;
  for (const std::int64_t count : counts) {
    const double off = static_cast<double>(count) - mean;
    second += off * off / static_cast<double>(counts.size());
    third += off * off * off / static_cast<double>(counts.size());
  }
  return second > 0 ? third / (second * std::sqrt(second)) : kNone;
}

}  // namespace

KOccurrence k_occurrence(std::int64_t sample, std::int64_t others, std::int64_t k,
                         const std::function<double(std::int64_t, std::int64_t)>& similarity,
                         const std::function<bool()>& stop) {
  KOccurrence result;
  result.k = k;
  result.sample.assign(static_cast<std::size_t>(sample), 0);
  result.others.assign(static_cast<std::size_t>(others), 0);
  // The upper triangle, row by row.
  std::vector<double> pairs;
  pairs.reserve(static_cast<std::size_t>(sample * std::max<std::int64_t>(sample - 1, 0) / 2));
  for (std::int64_t i = 0; i < sample && !(stop && stop()); ++i) {
    for (std::int64_t j = i + 1; j < sample; ++j) {
      pairs.push_back(similarity(i, j));
    }
  }
  const auto pair = [&](std::int64_t i, std::int64_t j) {
    const std::int64_t low = std::min(i, j);
    const auto at = static_cast<std::size_t>(low * (2 * sample - low - 1) / 2 + std::max(i, j) - low - 1);
    return at < pairs.size() ? pairs[at] : kNone;
  };
  struct Near {
    double similarity;
    std::int64_t word;
  };
  std::vector<Near> near;
  for (std::int64_t i = 0; i < sample && !(stop && stop()); ++i) {
    near.clear();
    for (std::int64_t j = 0; j < sample; ++j) {
      if (const double one = j == i ? kNone : pair(i, j); !std::isnan(one)) {
        near.push_back({one, j});
      }
    }
    const auto kept =
        static_cast<std::ptrdiff_t>(std::min<std::int64_t>(k, static_cast<std::int64_t>(near.size())));
    std::partial_sort(near.begin(), near.begin() + kept, near.end(), [](const Near& left, const Near& right) {
      return left.similarity != right.similarity ? left.similarity > right.similarity
                                                 : left.word < right.word;
    });
    for (std::ptrdiff_t place = 0; place < kept; ++place) {
      ++result.sample[static_cast<std::size_t>(near[static_cast<std::size_t>(place)].word)];
    }
    const bool full = kept == k && k > 0;
    const double last = kept > 0 ? near[static_cast<std::size_t>(kept - 1)].similarity : 0;
    for (std::int64_t other = 0; k > 0 && other < others; ++other) {
      const double one = similarity(i, sample + other);
      result.others[static_cast<std::size_t>(other)] += !std::isnan(one) && (!full || one > last) ? 1 : 0;
    }
  }
  const Moments all = moments(pairs);
  result.pair_mean = all.mean;
  result.pair_deviation = all.deviation;
  result.skewness = skewness(result.sample);
  if (sample > 0) {
    result.most = *std::max_element(result.sample.begin(), result.sample.end());
    result.never = static_cast<double>(std::count(result.sample.begin(), result.sample.end(), 0)) /
                   static_cast<double>(sample);
  }
  return result;
}

}  // namespace mog::analysis
