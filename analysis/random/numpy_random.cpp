// PCG64: O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms for Random
// Number Generation", 2014. Bounded draws: Lemire, "Fast Random Integer Generation in an Interval", 2019.
//
// Generator, seeding and the way from 64 bits to an index must all be numpy's, or the draws are others: that
// is why a generator of the standard library does not do (decision 25). 128-bit products are the compiler's.
//
// Traps: numpy serves 32-bit draws from halves of a 64-bit one, the low half first, and keeps the other for
// the next call; bits of next_bool() come from a 32-bit draw, the lowest first. So draws of different kinds
// between two others shift everything that follows. index() draws as numpy does below 2^32 items, which any
// corpus is.
#include "analysis/random/numpy_random.h"

#include <array>
#include <bit>
#include <cstddef>

namespace mog::analysis {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::size_t kPool = 4;

Wide wide(std::uint64_t high, std::uint64_t low) {
  return (static_cast<Wide>(high) << 64U) | low;
}

// Spreads the seed over a pool of words and gives as many words as asked for (numpy's SeedSequence).
class SeedSequence {
 public:
  explicit SeedSequence(std::uint64_t seed) {
    const std::array<std::uint32_t, 2> entropy = {static_cast<std::uint32_t>(seed),
                                                  static_cast<std::uint32_t>(seed >> 32U)};
    std::uint32_t constant = 0x43b0d7e5;
    const auto hashed = [&](std::uint32_t value) {
      value ^= constant;
      constant *= 0x931e8875;
      value *= constant;
      return value ^ (value >> 16U);
    };
    for (std::size_t i = 0; i < kPool; ++i) {
      pool_[i] = hashed(i < entropy.size() ? entropy[i] : 0);
    }
    for (std::size_t from = 0; from < kPool; ++from) {
      for (std::size_t to = 0; to < kPool; ++to) {
        if (from != to) {
          const std::uint32_t mixed = 0xca01f9ddU * pool_[to] - 0x4973f715U * hashed(pool_[from]);
          pool_[to] = mixed ^ (mixed >> 16U);
        }
      }
    }
  }

  std::array<std::uint64_t, 4> words() const {
    std::array<std::uint64_t, 4> result{};
    std::uint32_t constant = 0x8b51f9dd;
    for (std::size_t i = 0; i < 2 * result.size(); ++i) {
      std::uint32_t value = pool_[i % kPool] ^ constant;
      constant *= 0x58f38ded;
      value *= constant;
      value ^= value >> 16U;
      result[i / 2] |= static_cast<std::uint64_t>(value) << (32U * (i % 2));
    }
    return result;
  }

 private:
  std::array<std::uint32_t, kPool> pool_{};
};

}  // namespace

NumpyRandom::NumpyRandom(std::uint64_t seed) {
  const std::array<std::uint64_t, 4> words = SeedSequence(seed).words();
  const Wide increment = (wide(words[2], words[3]) << 1U) | 1U;
  increment_[0] = static_cast<std::uint64_t>(increment);
  increment_[1] = static_cast<std::uint64_t>(increment >> 64U);
  state_[0] = 0;
  state_[1] = 0;
  step();
  const Wide state = wide(state_[1], state_[0]) + wide(words[0], words[1]);
  state_[0] = static_cast<std::uint64_t>(state);
  state_[1] = static_cast<std::uint64_t>(state >> 64U);
  step();
}

void NumpyRandom::step() {
  const Wide multiplier = wide(0x2360ED051FC65DA4, 0x4385DF649FCCF645);
  const Wide state = wide(state_[1], state_[0]) * multiplier + wide(increment_[1], increment_[0]);
  state_[0] = static_cast<std::uint64_t>(state);
  state_[1] = static_cast<std::uint64_t>(state >> 64U);
}

std::uint64_t NumpyRandom::next_64() {
  step();
  return std::rotr(state_[1] ^ state_[0], static_cast<int>(state_[1] >> 58U));
}

std::uint32_t NumpyRandom::next_32() {
  if (has_half_) {
    has_half_ = false;
    return half_;
  }
  const std::uint64_t both = next_64();
  has_half_ = true;
  half_ = static_cast<std::uint32_t>(both >> 32U);
  return static_cast<std::uint32_t>(both);
}

std::uint64_t NumpyRandom::index(std::uint64_t items) {
  if (items <= 1) {
    return 0;
  }
  std::uint64_t product = next_32() * items;
  if (static_cast<std::uint32_t>(product) < items) {
    const std::uint64_t threshold = (std::uint64_t{1} << 32U) % items;
    while (static_cast<std::uint32_t>(product) < threshold) {
      product = next_32() * items;
    }
  }
  return product >> 32U;
}

bool NumpyRandom::next_bool() {
  if (bits_left_ == 0) {
    bits_ = next_32();
    bits_left_ = 31;
  } else {
    bits_ >>= 1U;
    --bits_left_;
  }
  return (bits_ & 1U) != 0;
}

}  // namespace mog::analysis
