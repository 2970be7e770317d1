// Attention weights in 8 bits: of a weight w its root is kept, as a whole number c of 255ths.
#pragma once

#include <cstdint>
#include <span>

#include "io/recording/axes.h"
#include "io/recording/sentence.h"

namespace mog::io {

// (c · kRootStep)² is w within √w / 255 + 4e-6; read, a row is divided by its sum, which moves a large weight
// by more where many small ones were rounded the same way.
inline constexpr double kRootStep = 1.0 / 255;

// Whether a quantity may be kept so: attention patterns, whose rows sum to 1.
bool fits_eight_bits(const QuantitySchema& schema) noexcept;
// In which type values come and go that are kept in `stored`.
constexpr DType type_of_values(DType stored) noexcept {
  return stored == DType::uint8 ? DType::float32 : stored;
}

// Values of the sentences, packed, as `schema` keeps them. Throws ShapeError for 8 bits when a row is no
// distribution.
HostTensor encode(const HostTensor& values, const QuantitySchema& schema,
                  std::span<const Sentence> sentences);
// uint8 [n] → float32 [n], of sentences of so many tokens and target tokens.
HostTensor decode_maps(const HostTensor& codes, const QuantitySchema& schema,
                       std::span<const std::int64_t> tokens, std::span<const std::int64_t> target_tokens);
// uint8 [n] → float32 [n], whole rows of so many keys.
HostTensor decode_rows(const HostTensor& codes, std::int64_t keys);

}  // namespace mog::io
