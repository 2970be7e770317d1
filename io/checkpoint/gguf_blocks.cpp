// Blocks of quantised weights as float32. Each number is a few products of a block's scale (float16), small
// whole numbers and, in some types, a minimum that is added or taken away. They are computed in float32 in
// the order of the package `gguf`, whose numbers these are to the last bit.
//
// Trap: a product and a sum must not become one operation with one rounding. This file is compiled with
// -ffp-contract=off.
#include <array>
#include <cstring>
#include <utility>

#include "io/checkpoint/gguf.h"
#include "io/recording/host_tensor.h"

namespace mog::io {
namespace {

// One block of bytes.
class Block {
 public:
  explicit Block(std::span<const std::byte> bytes) : bytes_(bytes) {}
  unsigned at(std::size_t i) const { return std::to_integer<unsigned>(bytes_[i]); }
  float signed_at(std::size_t i) const { return static_cast<float>(static_cast<std::int8_t>(at(i))); }
  float half(std::size_t i) const {
    return to_float(Float16{static_cast<std::uint16_t>(at(i) | at(i + 1) << 8U)});
  }

 private:
  std::span<const std::byte> bytes_;
};

float number(unsigned value, int less = 0) {
  return static_cast<float>(static_cast<int>(value) - less);
}

void q8_0(const Block& block, std::span<float> into) {
  const float scale = block.half(0);
  for (std::size_t i = 0; i < 32; ++i) {
    into[i] = block.signed_at(2 + i) * scale;
  }
}

// Four low bits of 32 numbers: those of the second half are the upper ones of a byte.
unsigned low_bits(const Block& block, std::size_t first, std::size_t i) {
  return i < 16 ? block.at(first + i) & 0xFU : block.at(first + i - 16) >> 4U;
}
// Bit i of the 32 behind `first`.
unsigned high_bit(const Block& block, std::size_t first, std::size_t i) {
  return block.at(first + i / 8) >> i % 8 & 1U;
}

void q4_0(const Block& block, std::span<float> into) {
  const float scale = block.half(0);
  for (std::size_t i = 0; i < 32; ++i) {
    into[i] = scale * number(low_bits(block, 2, i), 8);
  }
}

void q4_1(const Block& block, std::span<float> into) {
  const float scale = block.half(0);
  const float least = block.half(2);
  for (std::size_t i = 0; i < 32; ++i) {
    into[i] = scale * number(low_bits(block, 4, i)) + least;
  }
}

void q5_0(const Block& block, std::span<float> into) {
  const float scale = block.half(0);
  for (std::size_t i = 0; i < 32; ++i) {
    into[i] = scale * number(low_bits(block, 6, i) | high_bit(block, 2, i) << 4U, 16);
  }
}

void q5_1(const Block& block, std::span<float> into) {
  const float scale = block.half(0);
  const float least = block.half(2);
  for (std::size_t i = 0; i < 32; ++i) {
    into[i] = scale * number(low_bits(block, 8, i) | high_bit(block, 4, i) << 4U) + least;
  }
}

// Scale and minimum of part 0 to 7 of a block, six bits each, in the twelve bytes from the fifth on.
std::pair<float, float> scale_and_least(const Block& block, std::size_t part) {
  const std::size_t at = 4 + part % 4;
  if (part < 4) {
    return {number(block.at(at) & 0x3FU), number(block.at(at + 4) & 0x3FU)};
  }
  const unsigned low = block.at(at + 8);
  return {number((low & 0xFU) | (block.at(at) >> 2U & 0x30U)),
          number(low >> 4U | (block.at(at + 4) >> 2U & 0x30U))};
}

// Q4_K and Q5_K: eight parts of 32; two parts share 32 bytes, and all the `high` bytes, a bit each.
void parts_of_32(const Block& block, std::span<float> into, std::size_t low, const std::size_t* high) {
  const float scale = block.half(0);
  const float least = block.half(2);
  for (std::size_t part = 0; part < 8; ++part) {
    const auto [by, from] = scale_and_least(block, part);
    const float part_scale = scale * by;
    const float part_least = least * from;
    for (std::size_t i = 0; i < 32; ++i) {
      unsigned value = block.at(low + part / 2 * 32 + i) >> part % 2 * 4 & 0xFU;
      if (high != nullptr) {
        value |= (block.at(*high + i) >> part & 1U) << 4U;
      }
      into[part * 32 + i] = part_scale * number(value) - part_least;
    }
  }
}

void q4_k(const Block& block, std::span<float> into) {
  parts_of_32(block, into, 16, nullptr);
}

void q5_k(const Block& block, std::span<float> into) {
  constexpr std::size_t kHigh = 16;
  parts_of_32(block, into, 48, &kHigh);
}

// Two halves of 128; of each the low four bits in 64 bytes, the high two in 32, a scale every 16 numbers.
void q6_k(const Block& block, std::span<float> into) {
  constexpr std::size_t kHigh = 128;
  constexpr std::size_t kScales = 192;
  const float scale = block.half(208);
  for (std::size_t i = 0; i < 256; ++i) {
    const std::size_t half = i / 128;
    const std::size_t in_half = i % 128;
    const unsigned low = block.at(half * 64 + in_half % 64) >> in_half / 64 * 4 & 0xFU;
    const unsigned high = block.at(kHigh + half * 32 + in_half % 32) >> in_half / 32 * 2 & 3U;
    into[i] = scale * block.signed_at(kScales + i / 16) * number(low | high << 4U, 32);
  }
}

struct Reader {
  std::string_view name;
  void (*read)(const Block&, std::span<float>);
};
constexpr std::array kReaders = std::to_array<Reader>({{"Q8_0", q8_0},
                                                       {"Q4_0", q4_0},
                                                       {"Q4_1", q4_1},
                                                       {"Q5_0", q5_0},
                                                       {"Q5_1", q5_1},
                                                       {"Q4_K", q4_k},
                                                       {"Q5_K", q5_k},
                                                       {"Q6_K", q6_k}});

}  // namespace

void dequantise_gguf(const GgufType& type, std::span<const std::byte> blocks, std::span<float> into) {
  for (const Reader& reader : kReaders) {
    if (reader.name != type.name) {
      continue;
    }
    const auto elements = static_cast<std::size_t>(type.elements);
    const auto bytes = static_cast<std::size_t>(type.bytes);
    for (std::size_t block = 0; block < blocks.size() / bytes; ++block) {
      reader.read(Block(blocks.subspan(block * bytes, bytes)), into.subspan(block * elements, elements));
    }
  }
}

}  // namespace mog::io
