// A resample only changes how often an observation counts, never how two of them compare. So the order is
// found once, O(n log n), and each resample walks over it in O(n): the ranks of a run of equal values are
// those of its repeats. Sorting every resample anew would cost a logarithm more and a copy of the
// observations.
//
// Pearson's formula on the ranks is used, not 1 − 6Σd²/(n³ − n), which holds without ties only: a resample
// is full of them.
//
// Trap: ranks of observations that were not drawn are left over from an earlier resample; only weights above
// 0 may be looked at.
#include "analysis/statistics/rank_correlation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Runs of equal values in ascending order.
class Ranking {
 public:
  explicit Ranking(std::span<const double> values) : order_(values.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    for (std::size_t at = 0; at < order_.size(); ++at) {
      if (at == 0 || values[order_[at]] != values[order_[at - 1]]) {
        begins_.push_back(at);
      }
    }
    begins_.push_back(order_.size());
  }
  // Mean ranks from 1 on; `ranks` of observations without weight are not set.
  void ranks(std::span<const std::int64_t> weights, std::span<double> ranks) const {
    std::int64_t before = 0;
    for (std::size_t run = 0; run + 1 < begins_.size(); ++run) {
      std::int64_t count = 0;
      for (std::size_t at = begins_[run]; at < begins_[run + 1]; ++at) {
        count += weights[order_[at]];
      }
      const double rank = static_cast<double>(before) + (static_cast<double>(count) + 1) / 2;
      for (std::size_t at = begins_[run]; at < begins_[run + 1]; ++at) {
        ranks[order_[at]] = rank;
      }
      before += count;
    }
  }

 private:
  std::vector<std::size_t> order_;
  std::vector<std::size_t> begins_;
};

// Pearson's correlation of ranks; their mean is (n + 1) / 2 whatever the ties.
double correlation(std::span<const double> x, std::span<const double> y,
                   std::span<const std::int64_t> weights) {
  std::int64_t n = 0;
  for (const std::int64_t weight : weights) {
    n += weight;
  }
  const double mean = (static_cast<double>(n) + 1) / 2;
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) {
      continue;
    }
    const auto weight = static_cast<double>(weights[i]);
    const double dx = x[i] - mean;
    const double dy = y[i] - mean;
    xx += weight * dx * dx;
    yy += weight * dy * dy;
    xy += weight * dx * dy;
  }
  return xx > 0 && yy > 0 ? std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0) : kNone;
}

class RankedPair {
 public:
  RankedPair(std::span<const double> x, std::span<const double> y)
      : x_(x), y_(y), x_ranks_(x.size()), y_ranks_(y.size()) {}
  double rho(std::span<const std::int64_t> weights) {
    x_.ranks(weights, x_ranks_);
    y_.ranks(weights, y_ranks_);
    return correlation(x_ranks_, y_ranks_, weights);
  }

 private:
  Ranking x_;
  Ranking y_;
  std::vector<double> x_ranks_;
  std::vector<double> y_ranks_;
};

}  // namespace

double weighted_spearman(std::span<const double> x, std::span<const double> y,
                         std::span<const std::int64_t> weights) {
  if (x.size() != y.size() || x.size() != weights.size()) {
    throw UsageError(
        fmt::format("rank correlation of {} and {} values with {} weights: expected equally many", x.size(),
                    y.size(), weights.size()));
  }
  return RankedPair(x, y).rho(weights);
}

double spearman(std::span<const double> x, std::span<const double> y) {
  return weighted_spearman(x, y, std::vector<std::int64_t>(x.size(), 1));
}

RankCorrelation grouped_spearman(std::span<const double> x, std::span<const double> y,
                                 std::span<const std::int64_t> groups, std::int64_t group_count,
                                 const BootstrapOptions& options, std::uint64_t stream) {
  const bool in_range = std::all_of(groups.begin(), groups.end(),
                                    [&](std::int64_t group) { return group >= 0 && group < group_count; });
  if (x.size() != y.size() || x.size() != groups.size() || !in_range) {
    throw UsageError(
        fmt::format("rank correlation of {} and {} values in {} groups named by {} numbers: expected equally "
                    "many, each number below the number of groups",
                    x.size(), y.size(), group_count, groups.size()));
  }
  RankedPair pair(x, y);
  std::vector<std::int64_t> weights(x.size(), 1);
  RankCorrelation result;
  result.observations = static_cast<std::int64_t>(x.size());
  result.rho = pair.rho(weights);
  std::vector<std::int64_t> drawn(static_cast<std::size_t>(group_count));
  const Interval interval = bootstrap_interval(
      group_count,
      [&](std::span<const std::int64_t> indices) {
        std::fill(drawn.begin(), drawn.end(), 0);
        for (const std::int64_t index : indices) {
          ++drawn[static_cast<std::size_t>(index)];
        }
        for (std::size_t i = 0; i < weights.size(); ++i) {
          weights[i] = drawn[static_cast<std::size_t>(groups[i])];
        }
        return pair.rho(weights);
      },
      options, stream);
  result.interval = holding(interval, result.rho);
  return result;
}

}  // namespace mog::analysis
