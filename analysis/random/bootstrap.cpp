#include "analysis/random/bootstrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

// The finaliser of SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t mixed(std::uint64_t state) noexcept {
  state += 0x9E3779B97F4A7C15U;
  state = (state ^ (state >> 30U)) * 0xBF58476D1CE4E5B9U;
  state = (state ^ (state >> 27U)) * 0x94D049BB133111EBU;
  return state ^ (state >> 31U);
}

}  // namespace

void check_stop(const BootstrapOptions& options) {
  if (options.stop.stop_requested()) {
    throw Interrupted("the intervals were stopped before all resamples were drawn");
  }
}

std::uint64_t keyed_random(std::uint64_t seed, std::uint64_t stream, std::uint64_t resample,
                           std::uint64_t draw) noexcept {
  return mixed(mixed(mixed(mixed(seed) ^ stream) ^ resample) ^ draw);
}

std::int64_t resampled_index(std::int64_t items, std::uint64_t seed, std::uint64_t stream,
                             std::uint64_t resample, std::uint64_t draw) noexcept {
  // The high half of a 64 × 64 bit product: uniform up to a bias of items / 2^64.
  __extension__ using Wide = unsigned __int128;
  const auto product =
      static_cast<Wide>(keyed_random(seed, stream, resample, draw)) * static_cast<std::uint64_t>(items);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(product >> 64U));
}

double quantile(std::span<double> values, double q) {
  if (values.empty()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const double place = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(values.begin(), middle, values.end());
  const double low = *middle;
  if (below + 1 >= values.size()) {
    return low;
  }
  const double high = *std::min_element(middle + 1, values.end());
  return low + (high - low) * (place - static_cast<double>(below));
}

Interval percentile_interval(std::vector<double> values, double confidence) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  const double tail = (1 - confidence) / 2;
  return {quantile(values, tail), quantile(values, 1 - tail)};
}

Interval holding(Interval interval, double estimate) noexcept {
  if (std::isnan(interval.low) || std::isnan(interval.high) || std::isnan(estimate)) {
    return interval;
  }
  return {std::min(interval.low, estimate), std::max(interval.high, estimate)};
}

Interval bootstrap_interval(std::int64_t items,
                            const std::function<double(std::span<const std::int64_t>)>& statistic,
                            const BootstrapOptions& options, std::uint64_t stream) {
  if (items < 0 || options.resamples < 0 || !(options.confidence > 0 && options.confidence < 1)) {
    throw UsageError(fmt::format(
        "bootstrap over {} items with {} resamples and confidence {}: expected sizes from 0 and a confidence "
        "between 0 and 1, for example 0.95",
        items, options.resamples, options.confidence));
  }
  std::vector<double> values;
  if (items >= kFewestResampled) {
    std::vector<std::int64_t> indices(static_cast<std::size_t>(items));
    for (std::int64_t resample = 0; resample < options.resamples; ++resample) {
      check_stop(options);
      for (std::int64_t draw = 0; draw < items; ++draw) {
        indices[static_cast<std::size_t>(draw)] =
            resampled_index(items, options.seed, stream, static_cast<std::uint64_t>(resample),
                            static_cast<std::uint64_t>(draw));
      }
      values.push_back(statistic(indices));
    }
  }
  return percentile_interval(std::move(values), options.confidence);
}

}  // namespace mog::analysis
