// How fast this machine is beside the reference machine, so that limits in milliseconds can be compared: a
// chain of dependent integer and floating-point operations, in the cache.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ctime>

namespace mog::bench {

// Processor milliseconds of the loop on the reference machine (Intel Sapphire Rapids, one quiet core, minimum
// of five).
inline constexpr double kReferenceMs = 7.4;

inline double calibration_loop_ms() {
  const std::clock_t start = std::clock();
  std::uint64_t x = 88172645463325252U;
  double sum = 0;
  for (int i = 0; i < 4'000'000; ++i) {
    x ^= x << 13U;
    x ^= x >> 7U;
    x ^= x << 17U;
    sum = sum * 0.5 + static_cast<double>(x >> 40U);
  }
  volatile double keep = sum;
  static_cast<void>(keep);
  return static_cast<double>(std::clock() - start) * 1e3 / CLOCKS_PER_SEC;
}

// Above 1 on a slower machine: multiply limits by it.
inline double calibration_factor() {
  double best = calibration_loop_ms();
  for (int round = 0; round < 5; ++round) {
    best = std::min(best, calibration_loop_ms());
  }
  return best / kReferenceMs;
}

}  // namespace mog::bench
