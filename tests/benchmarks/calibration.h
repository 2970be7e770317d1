// How fast this machine is beside the reference machine, so that limits in milliseconds can be compared: a
// chain of dependent integer and floating-point operations, in the cache.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace mog::bench {

// Milliseconds of the loop on the reference machine (Intel Sapphire Rapids, one quiet core, minimum of five).
inline constexpr double kReferenceMs = 20.0;

inline double calibration_loop_ms() {
  const auto start = std::chrono::steady_clock::now();
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
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
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
