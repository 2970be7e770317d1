// Optimal partitioning (Jackson et al. 2005): the cheapest cover of the first j points ends with a piece from
// some i, so best(j) = min over i of best(i) + cost(i, j). The cost of a piece is its squared residual around
// its least-squares line, from sums of x, y, x², xy, y² over a prefix, in units of the noise's variance; a
// further piece costs 6 log n: twice what the Bayesian information criterion takes for three numbers more (a
// place, a slope, a height), since the place is chosen among many. On independent normal noise that says
// nothing 4 % of series of 10 points get a change, fewer longer ones. O(n²) for n points, which are the
// validations of a training run.
//
// The noise comes from second differences, in which lines vanish: of independent noise σ their standard
// deviation is σ √6. Their median absolute value stands for it, so that the changes themselves do not count.
//
// Trap: a series without noise has variance 0 and would be cut everywhere; the variance is at least that of
// rounding, and of one part in a thousand of the series' range.
#include "analysis/statistics/change_points.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mog::analysis {
namespace {

constexpr double kOfMedian = 1.4826;  // standard deviation of normal noise over its median absolute value
constexpr double kOfRange = 1e-3;     // least noise, of the range
constexpr double kPenalty = 6;        // of a further piece, times log n

// Sums over the first points, of coordinates around their means.
struct Sums {
  double n = 0;
  double x = 0;
  double y = 0;
  double xx = 0;
  double xy = 0;
  double yy = 0;
};

Sums operator-(const Sums& a, const Sums& b) {
  return {a.n - b.n, a.x - b.x, a.y - b.y, a.xx - b.xx, a.xy - b.xy, a.yy - b.yy};
}

// Squared residual around the line through these points.
double residual(const Sums& sums) {
  const double xx = sums.xx - sums.x * sums.x / sums.n;
  const double xy = sums.xy - sums.x * sums.y / sums.n;
  const double yy = sums.yy - sums.y * sums.y / sums.n;
  return std::max(0.0, xx > 0 ? yy - xy * xy / xx : yy);
}

double noise_of(const std::vector<double>& x, const std::vector<double>& y) {
  const auto [least, greatest] = std::minmax_element(y.begin(), y.end());
  std::vector<double> bends;
  for (std::size_t i = 1; i + 1 < y.size(); ++i) {
    // The middle point against the line through its neighbours: variance σ² (1 + a² + b²).
    const double a = (x[i + 1] - x[i]) / (x[i + 1] - x[i - 1]);
    const double b = 1 - a;
    bends.push_back(std::abs(y[i] - a * y[i - 1] - b * y[i + 1]) / std::sqrt(1 + a * a + b * b));
  }
  const auto middle = bends.begin() + static_cast<std::ptrdiff_t>(bends.size() / 2);
  std::nth_element(bends.begin(), middle, bends.end());
  return std::max({kOfMedian * *middle, kOfRange * (*greatest - *least),
                   std::numeric_limits<double>::epsilon() * std::max(std::abs(*least), std::abs(*greatest))});
}

}  // namespace

std::vector<std::size_t> change_points(std::span<const double> all_x, std::span<const double> all_y) {
  std::vector<std::size_t> places;
  std::vector<double> x;
  std::vector<double> y;
  for (std::size_t i = 0; i < std::min(all_x.size(), all_y.size()); ++i) {
    if (std::isfinite(all_y[i])) {
      places.push_back(i);
      x.push_back(all_x[i]);
      y.push_back(all_y[i]);
    }
  }
  const std::size_t n = y.size();
  if (n < 2 * kLeastSegment) {
    return {};
  }
  const double noise = noise_of(x, y);
  if (!(noise > 0)) {
    return {};  // one value throughout
  }
  const double centre_x = x[n / 2];
  const double centre_y = y[n / 2];
  std::vector<Sums> before(n + 1);
  for (std::size_t i = 0; i < n; ++i) {
    const double u = x[i] - centre_x;
    const double v = (y[i] - centre_y) / noise;
    const Sums& last = before[i];
    before[i + 1] = {last.n + 1, last.x + u, last.y + v, last.xx + u * u, last.xy + u * v, last.yy + v * v};
  }
  const double further = kPenalty * std::log(static_cast<double>(n));
  std::vector<double> best(n + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> from(n + 1, 0);
  best[0] = -further;
  for (std::size_t end = kLeastSegment; end <= n; ++end) {
    for (std::size_t begin = 0; begin + kLeastSegment <= end; ++begin) {
      const double cost = best[begin] + residual(before[end] - before[begin]) + further;
      if (cost < best[end]) {
        best[end] = cost;
        from[end] = begin;
      }
    }
  }
  std::vector<std::size_t> changes;
  for (std::size_t at = from[n]; at > 0; at = from[at]) {
    changes.push_back(places[at]);
  }
  std::reverse(changes.begin(), changes.end());
  return changes;
}

}  // namespace mog::analysis
