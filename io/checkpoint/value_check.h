// Values that no sound file of weights holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace mog::io {

// Throws FormatError "FILE: tensor "NAME": element N is NaN or infinite …" for the first such value (for
// BOOL: neither 0 nor 1). `bytes` are whole elements of a type of safetensors, `before_bytes` of the tensor
// lie before them. Types that hold whole numbers are always sound.
void refuse_bad_values(const std::string& file, std::string_view tensor, std::string_view dtype,
                       std::span<const std::byte> bytes, std::uint64_t before_bytes = 0);

// Place of the first such element, or bytes.size().
std::size_t first_bad_value(std::string_view dtype, std::span<const std::byte> bytes);

}  // namespace mog::io
