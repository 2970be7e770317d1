#include "analysis/figure_data/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mog::analysis {
namespace {

// The smallest 1, 2, 5 × 10^k that is at least `least`.
double round_step(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) {
      return factor * power;
    }
  }
  return 10 * power;
}

void widen(double& low, double& high) {
  if (!std::isfinite(low) || !std::isfinite(high)) {
    low = 0;
    high = 1;
  }
  if (high < low) {
    std::swap(low, high);
  }
  const double least = std::max(1e-9, 1e-9 * std::max(std::abs(low), std::abs(high)));
  if (high - low < least) {
    const double middle = (low + high) / 2;
    const double half = middle == 0 ? 0.5 : std::max(least, std::abs(middle) * 0.05);
    low = middle - half;
    high = middle + half;
  }
}

}  // namespace

std::vector<std::string> Ticks::labels() const {
  const int decimals = std::clamp(static_cast<int>(-std::floor(std::log10(step) + 1e-9)), 0, 12);
  std::vector<std::string> result;
  for (const double value : values) {
    const bool zero = std::abs(value) < step / 2;
    result.push_back(fmt::format("{:.{}f}", zero ? 0.0 : value, decimals));
    if (!result.back().empty() && result.back().front() == '-') {
      result.back() = "−" + result.back().substr(1);  // a minus sign, as wide as a plus
    }
  }
  return result;
}

Ticks ticks(double low, double high, std::int64_t at_most) {
  widen(low, high);
  Ticks result;
  const auto intervals = static_cast<double>(std::max<std::int64_t>(at_most, 2) - 1);
  result.step = round_step((high - low) / intervals);
  while (true) {
    result.values.clear();
    const double first = std::ceil(low / result.step - 1e-6);
    const double last = std::floor(high / result.step + 1e-6);
    for (double i = first; i <= last; ++i) {
      result.values.push_back(i * result.step);
    }
    if (static_cast<std::int64_t>(result.values.size()) <= std::max<std::int64_t>(at_most, 2)) {
      return result;
    }
    result.step = round_step(result.step * 1.5);
  }
}

RoundRange round_range(double low, double high, std::int64_t steps) {
  widen(low, high);
  const double step = round_step((high - low) / static_cast<double>(std::max<std::int64_t>(steps, 1)));
  return {std::floor(low / step + 1e-6) * step, std::ceil(high / step - 1e-6) * step};
}

std::string readable(double value) {
  if (!std::isfinite(value)) {
    return "absent";
  }
  const double size = std::abs(value);
  if (size != 0 && (size < 1e-4 || size >= 1e6)) {
    return fmt::format("{:.3e}", value);
  }
  const int before = size < 1 ? 0 : static_cast<int>(std::floor(std::log10(size))) + 1;
  return fmt::format("{:.{}f}", value, std::max(0, 4 - before));
}

}  // namespace mog::analysis
