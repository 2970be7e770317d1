#include "analysis/neighbours/share_ratio.h"

#include <cmath>
#include <limits>

namespace mog::analysis {

ShareRatio share_ratio(std::int64_t count, std::int64_t few, std::int64_t all_count, std::int64_t all) {
  constexpr double kZ = 1.959963984540054;
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  ShareRatio result{kNone, kNone, kNone, kNone, kNone};
  if (all > 0) {
    result.of_all = static_cast<double>(all_count) / static_cast<double>(all);
  }
  if (few <= 0) {
    return result;
  }
  const auto n = static_cast<double>(few);
  result.share = static_cast<double>(count) / n;
  if (!(result.of_all > 0)) {
    return result;
  }
  const double middle = (result.share + kZ * kZ / (2 * n)) / (1 + kZ * kZ / n);
  const double half =
      kZ / (1 + kZ * kZ / n) * std::sqrt(result.share * (1 - result.share) / n + kZ * kZ / (4 * n * n));
  result.ratio = result.share / result.of_all;
  // At the ends the difference is 0 but for rounding.
  result.low = count == 0 ? 0 : (middle - half) / result.of_all;
  result.high = (count == few ? 1 : middle + half) / result.of_all;
  return result;
}

}  // namespace mog::analysis
