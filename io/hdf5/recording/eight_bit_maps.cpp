// Most weights of a row are small, and trees are made of products of them: an error of a weight counts in its
// proportion. Uniform steps of 1/255 have nothing left of what is below half a step; steps of the root are
// finer by the root of the weight, and 1 is still 1 (docs/decisions/0049-large-recordings.md has what that
// changes in trees). What rounding takes from a row or gives to it is put right at reading, where the row is
// divided by its sum: what is kept sums to 1. Linear in the weights.
//
// Trap: a row of zeros, which is no distribution, stays one.
#include "io/hdf5/recording/eight_bit_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

#include "io/recording/errors.h"

namespace mog::io {
namespace {

constexpr float kSteps = 255;
constexpr float kRounding = 2e-2F;  // by which a computed row may miss 1: products in bfloat16

// Returns false where the row is no distribution.
bool encode_row(std::span<const float> row, std::uint8_t* codes) {
  float sum = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const float weight = row[i];
    if (!(weight >= -kRounding && weight <= 1 + kRounding)) {
      return false;
    }
    const float kept = std::clamp(weight, 0.0F, 1.0F);
    codes[i] = static_cast<std::uint8_t>(std::lrint(kSteps * std::sqrt(kept)));
    sum += kept;
  }
  return sum == 0 || std::abs(sum - 1) <= kRounding;
}

void decode_row(std::span<const std::uint8_t> codes, float* weights) {
  static const std::array<float, 256> kSquares = [] {
    std::array<float, 256> all{};
    for (std::size_t code = 0; code < all.size(); ++code) {
      const double root = static_cast<double>(code) * kRootStep;
      all[code] = static_cast<float>(root * root);
    }
    return all;
  }();
  float sum = 0;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    weights[i] = kSquares[codes[i]];
    sum += weights[i];
  }
  const float scale = sum > 0 ? 1 / sum : 0;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    weights[i] *= scale;
  }
}

struct Rows {
  std::size_t count = 0;
  std::size_t keys = 0;
};

Rows rows_of(const QuantitySchema& schema, std::int64_t tokens, std::int64_t target_tokens) {
  const std::vector<std::int64_t> shape = schema.shape(tokens, target_tokens);
  if (shape.back() == 0) {
    return {};  // however many rows
  }
  return {static_cast<std::size_t>(
              std::accumulate(shape.begin(), shape.end() - 1, std::int64_t{1}, std::multiplies<>())),
          static_cast<std::size_t>(shape.back())};
}

}  // namespace

bool fits_eight_bits(const QuantitySchema& schema) noexcept {
  return schema.name.quantity() == Quantity::attention && !schema.axes.empty() &&
         (schema.axes.back() == Axis::key || schema.axes.back() == Axis::target_key);
}

HostTensor encode(const HostTensor& values, const QuantitySchema& schema,
                  std::span<const Sentence> sentences) {
  if (schema.dtype != DType::uint8) {
    return values.to(schema.dtype);
  }
  const std::vector<float> weights = values.to_floats();
  HostTensor result(DType::uint8, values.shape());
  std::uint8_t* const codes = result.mutable_values<std::uint8_t>().data();
  std::size_t at = 0;
  for (const Sentence& sentence : sentences) {
    const auto [count, keys] = rows_of(schema, static_cast<std::int64_t>(sentence.tokens.size()),
                                       static_cast<std::int64_t>(sentence.target_tokens.size()));
    for (std::size_t row = 0; row < count && keys <= weights.size() - at; ++row, at += keys) {
      if (!encode_row(std::span(weights).subspan(at, keys), codes + at)) {
        throw ShapeError(
            fmt::format("recording {} of sentence {}: rows that sum to 1 can be kept in 8 bits, and it has "
                        "others; use --store float16",
                        schema.name.text(), sentence.number));
      }
    }
  }
  return result;  // too many or too few values: whoever counts them says so
}

HostTensor decode_maps(const HostTensor& codes, const QuantitySchema& schema,
                       std::span<const std::int64_t> tokens, std::span<const std::int64_t> target_tokens) {
  HostTensor result(DType::float32, codes.shape());
  const std::span<const std::uint8_t> from = codes.values<std::uint8_t>();
  float* const to = result.mutable_values<float>().data();
  std::size_t at = 0;
  for (std::size_t sentence = 0; sentence < tokens.size(); ++sentence) {
    const auto [count, keys] = rows_of(schema, tokens[sentence], target_tokens[sentence]);
    for (std::size_t row = 0; row < count; ++row, at += keys) {
      decode_row(from.subspan(at, keys), to + at);
    }
  }
  return result;
}

HostTensor decode_rows(const HostTensor& codes, std::int64_t keys) {
  HostTensor result(DType::float32, codes.shape());
  const std::span<const std::uint8_t> from = codes.values<std::uint8_t>();
  const std::span<float> to = result.mutable_values<float>();
  const auto row = static_cast<std::size_t>(keys);
  for (std::size_t at = 0; row > 0 && at + row <= from.size(); at += row) {
    decode_row(from.subspan(at, row), to.data() + at);
  }
  return result;
}

}  // namespace mog::io
