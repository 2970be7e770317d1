// Expected: numpy 2.4, default_rng(12345) and default_rng(2**40 + 7).
#include "analysis/random/numpy_random.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mog::analysis {
namespace {

std::vector<std::uint64_t> indices(std::uint64_t seed, std::uint64_t items, int count) {
  NumpyRandom random(seed);
  std::vector<std::uint64_t> result;
  for (int i = 0; i < count; ++i) {
    result.push_back(random.index(items));
  }
  return result;
}

TEST(NumpyRandom, DrawsTheIndicesOfNumpy) {
  EXPECT_EQ(indices(12345, 1000, 10),
            (std::vector<std::uint64_t>{699, 227, 788, 316, 204, 797, 642, 676, 988, 391}));
}

TEST(NumpyRandom, SeedsMayHaveTwoWords) {
  EXPECT_EQ(indices(1099511627783, 3000000000, 4),
            (std::vector<std::uint64_t>{2489438675, 1828512392, 765915474, 51031264}));
}

TEST(NumpyRandom, DrawsTheBoolsOfNumpy) {
  NumpyRandom random(12345);
  std::string bits;
  for (int i = 0; i < 40; ++i) {
    bits += random.next_bool() ? '1' : '0';
  }
  EXPECT_EQ(bits, "1011100110000011111111110100110110110001");
}

TEST(NumpyRandom, OneItemNeedsNoDraw) {
  NumpyRandom random(12345);
  EXPECT_EQ(random.index(1), 0U);
  EXPECT_EQ(random.index(1000), 699U);
}

}  // namespace
}  // namespace mog::analysis
