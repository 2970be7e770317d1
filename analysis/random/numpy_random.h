// The draws of numpy.random.default_rng(seed): PCG64 (XSL RR 128/64) seeded by numpy's SeedSequence.
// sacreBLEU draws its resamples with it; the same draws give the same intervals and p values.
#pragma once

#include <cstdint>

namespace mog::analysis {

class NumpyRandom {
 public:
  explicit NumpyRandom(std::uint64_t seed);
  std::uint64_t next_64();
  // Both halves of one 64-bit draw, the lower first.
  std::uint32_t next_32();
  // In [0, items), as integers(0, items) and choice(items) draw; items >= 1, at most 2^32.
  std::uint64_t index(std::uint64_t items);
  // As integers(2, dtype=bool): 32 of one draw. Not to be mixed with the others, whose arrays numpy draws one
  // after another: a new array begins with a new draw.
  bool next_bool();

 private:
  void step();
  std::uint64_t state_[2];      // low, high
  std::uint64_t increment_[2];  // low, high
  bool has_half_ = false;
  std::uint32_t half_ = 0;
  std::uint32_t bits_ = 0;
  int bits_left_ = 0;
};

}  // namespace mog::analysis
