// Masks of dropout against what independent draws would give: five standard deviations.
#include "model/engine/modules/dropout_mask.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace mog::engine {
namespace {

std::vector<float> mask(std::size_t count, double probability, std::uint64_t key) {
  std::vector<float> result(count, -1.0F);
  fill_dropout_mask(result, probability, key);
  return result;
}

// Share of the places where both are dropped.
double both_dropped(const std::vector<float>& a, const std::vector<float>& b, std::size_t shift) {
  std::size_t count = 0;
  for (std::size_t i = 0; i + shift < a.size(); ++i) {
    count += static_cast<std::size_t>(a[i] == 0.0F && b[i + shift] == 0.0F);
  }
  return static_cast<double>(count) / static_cast<double>(a.size() - shift);
}

double five_deviations(double share, std::size_t count) {
  return 5.0 * std::sqrt(share * (1.0 - share) / static_cast<double>(count));
}

// Two blocks and a part.
constexpr std::size_t kCount = (std::size_t{2} << 20) + 12345;

TEST(DropoutMask, DropsTheShareAndScalesTheRest) {
  for (const double probability : {0.0, 0.1, 0.3, 0.9, 0.99}) {
    const std::vector<float> drawn = mask(kCount, probability, 7);
    std::size_t dropped = 0;
    for (const float value : drawn) {
      if (value == 0.0F) {
        ++dropped;
      } else {
        ASSERT_FLOAT_EQ(value, static_cast<float>(1.0 / (1.0 - probability)));
      }
    }
    EXPECT_NEAR(static_cast<double>(dropped) / kCount, probability, five_deviations(probability, kCount))
        << probability;
  }
}

TEST(DropoutMask, ElementsAreIndependent) {
  constexpr double kProbability = 0.3;
  const std::vector<float> drawn = mask(kCount, kProbability, 11);
  const double both = kProbability * kProbability;
  // Neighbours in a row, in a column of usual widths, and at the same place of the next block.
  for (const std::size_t shift : {1U, 2U, 3U, 16U, 64U, 128U, 512U, 4096U, 1U << 20U}) {
    EXPECT_NEAR(both_dropped(drawn, drawn, shift), both, five_deviations(both, kCount - shift)) << shift;
  }
}

TEST(DropoutMask, KeysGiveMasksOfTheirOwn) {
  constexpr double kProbability = 0.5;
  const std::vector<float> first = mask(kCount, kProbability, 1);
  EXPECT_EQ(first, mask(kCount, kProbability, 1));
  for (const std::uint64_t key :
       {std::uint64_t{0}, std::uint64_t{2}, std::uint64_t{1} << 32, ~std::uint64_t{1}}) {
    EXPECT_NEAR(both_dropped(first, mask(kCount, kProbability, key), 0), 0.25, five_deviations(0.25, kCount))
        << key;
  }
}

// The mix by hand, in another language: element 0, 1, … and the first of the second block.
TEST(DropoutMask, IsTheSameOnEveryProcessor) {
  const std::vector<float> drawn = mask(kCount, 0.5, 42);
  std::string bits;
  for (const std::size_t at : {0U, 1U, 2U, 3U, 4U, 5U, 6U, 7U, 1000U, 1001U, 1002U, 1003U}) {
    bits += drawn[at] == 0.0F ? '0' : '1';
  }
  for (std::size_t at = 0; at < 8; ++at) {
    bits += drawn[(std::size_t{1} << 20) + at] == 0.0F ? '0' : '1';
  }
  EXPECT_EQ(bits, "11001101000111000000");
}

TEST(DropoutMask, CornersOfWhatIsAsked) {
  EXPECT_TRUE(mask(0, 0.5, 1).empty());
  const double almost_one = std::nextafter(1.0, 0.0);
  std::size_t kept = 0;
  for (const float value : mask(kCount, almost_one, 3)) {
    kept += static_cast<std::size_t>(value != 0.0F);
  }
  EXPECT_LE(kept, 2U);  // one in 2^32 is left
}

}  // namespace
}  // namespace mog::engine
