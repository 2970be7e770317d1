#include "io/checkpoint/value_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "io/checkpoint/safetensors_header.h"
#include "io/recording/errors.h"

namespace mog::io {
namespace {

// Index of the first element whose exponent bits are all set (NaN or infinity), in little-endian order.
template <class Word>
std::optional<std::size_t> first_not_finite(std::span<const std::byte> bytes, Word exponent) {
  const std::size_t count = bytes.size() / sizeof(Word);
  const auto at = [&](std::size_t i) {
    Word word = 0;
    std::memcpy(&word, bytes.data() + i * sizeof(Word), sizeof(Word));
    return word;
  };
  constexpr std::size_t kStep = 4096;
  for (std::size_t begin = 0; begin < count; begin += kStep) {
    const std::size_t end = std::min(count, begin + kStep);
    unsigned bad = 0;
    for (std::size_t i = begin; i < end; ++i) {
      bad |= static_cast<unsigned>((at(i) & exponent) == exponent);
    }
    for (std::size_t i = begin; bad != 0 && i < end; ++i) {
      if ((at(i) & exponent) == exponent) {
        return i;
      }
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> bad_value(std::string_view dtype, std::span<const std::byte> bytes) {
  if (dtype == "F32" || dtype == "C64") {
    return first_not_finite<std::uint32_t>(bytes, 0x7F800000U);
  }
  if (dtype == "F16") {
    return first_not_finite<std::uint16_t>(bytes, std::uint16_t{0x7C00U});
  }
  if (dtype == "BF16") {
    return first_not_finite<std::uint16_t>(bytes, std::uint16_t{0x7F80U});
  }
  if (dtype == "F64") {
    return first_not_finite<std::uint64_t>(bytes, 0x7FF0000000000000ULL);
  }
  if (dtype == "F8_E5M2") {
    return first_not_finite<std::uint8_t>(bytes, std::uint8_t{0x7CU});
  }
  if (dtype == "F8_E4M3") {
    return first_not_finite<std::uint8_t>(bytes, std::uint8_t{0x7FU});
  }
  if (dtype == "BOOL") {
    const auto bad = std::find_if(bytes.begin(), bytes.end(), [](std::byte b) { return b > std::byte{1}; });
    return bad == bytes.end() ? std::nullopt
                              : std::optional(static_cast<std::size_t>(std::distance(bytes.begin(), bad)));
  }
  return std::nullopt;
}

}  // namespace

std::size_t first_bad_value(std::string_view dtype, std::span<const std::byte> bytes) {
  return bad_value(dtype, bytes).value_or(bytes.size());
}

void refuse_bad_values(const std::string& file, std::string_view tensor, std::string_view dtype,
                       std::span<const std::byte> bytes, std::uint64_t before_bytes) {
  if (const auto bad = bad_value(dtype, bytes)) {
    const std::uint64_t element_bytes = std::max<std::uint64_t>(1, safetensors_bits(dtype) / 8);
    throw FormatError(fmt::format("{}: tensor \"{}\": element {} is {}; a model with such values is damaged",
                                  file, tensor, before_bytes / element_bytes + *bad + 1,
                                  dtype == "BOOL" ? "neither 0 nor 1" : "NaN or infinite"));
  }
}

}  // namespace mog::io
