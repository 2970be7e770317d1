// Attention weights in 8 bits: a weight w is kept as a whole number c of 255ths.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "io/recording/axes.h"
#include "io/recording/sentence.h"

namespace mog::io {

inline constexpr double kMapStep = 1.0 / 255;  // c · kMapStep is less than one step from w

// Whether a quantity may be kept so: weights of keys.
bool fits_eight_bits(const QuantitySchema& schema) noexcept;
// In which type values come and go that are kept in `stored`.
constexpr DType type_of_values(DType stored) noexcept {
  return stored == DType::uint8 ? DType::float32 : stored;
}

// Values of the sentences, packed, as `schema` keeps them. Throws ShapeError for values that are no weights.
HostTensor encode(const HostTensor& values, const QuantitySchema& schema,
                  std::span<const Sentence> sentences);
// uint8 [n] → float32 [n].
HostTensor decode_maps(const HostTensor& codes);

}  // namespace mog::io
