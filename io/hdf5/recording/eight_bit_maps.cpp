// Rows of attention sum to 1, and what reads them relies on that. Rounding each weight by itself loses it:
// in a row of 60 keys most weights are smaller than a step, and what they hold together would vanish. So a
// row is rounded as seats are given to parties (largest remainders): all weights down, then the steps that
// are missing from the row's sum to those that lost most. A row that sums to 1 sums to 255 steps, every
// weight is less than one step off, and a weight of 0 stays 0. Linear in the weights.
//
// Trap: of equal remainders the first ones are raised, so that the same row gives the same codes.
#include "io/hdf5/recording/eight_bit_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "io/recording/errors.h"

namespace mog::io {
namespace {

constexpr float kSteps = 255;
constexpr float kRounding = 1e-3F;  // by which a computed weight may leave [0, 1]

class RowEncoder {
 public:
  // Returns false for a weight outside of [0, 1].
  bool encode(std::span<const float> row, std::uint8_t* codes) {
    rests_.resize(row.size());
    float sum = 0;
    float kept = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!(row[i] >= -kRounding && row[i] <= 1 + kRounding)) {
        return false;
      }
      const float steps = std::clamp(row[i], 0.0F, 1.0F) * kSteps;
      const float whole = std::floor(steps);
      codes[i] = static_cast<std::uint8_t>(whole);
      rests_[i] = steps - whole;
      sum += steps;
      kept += whole;
    }
    raise(static_cast<std::size_t>(std::max(0L, std::lround(sum - kept))), codes);
    return true;
  }

 private:
  // By one step those `count` that lost most.
  void raise(std::size_t count, std::uint8_t* codes) {
    if (count == 0) {
      return;
    }
    sorted_ = rests_;
    const auto last = sorted_.begin() + static_cast<std::ptrdiff_t>(std::min(count, sorted_.size()) - 1);
    std::nth_element(sorted_.begin(), last, sorted_.end(), std::greater<>());
    const float least = *last;
    auto equal = count - static_cast<std::size_t>(std::count_if(rests_.begin(), rests_.end(),
                                                                [&](float rest) { return rest > least; }));
    for (std::size_t i = 0; i < rests_.size(); ++i) {
      const bool tie = rests_[i] == least && equal > 0;
      equal -= tie ? 1 : 0;
      if ((rests_[i] > least || tie) && rests_[i] > 0) {
        ++codes[i];
      }
    }
  }

  std::vector<float> rests_;
  std::vector<float> sorted_;
};

}  // namespace

bool fits_eight_bits(const QuantitySchema& schema) noexcept {
  return !schema.axes.empty() &&
         (schema.axes.back() == Axis::key || schema.axes.back() == Axis::target_key) &&
         schema.units == "probability";
}

HostTensor encode(const HostTensor& values, const QuantitySchema& schema,
                  std::span<const Sentence> sentences) {
  if (schema.dtype != DType::uint8) {
    return values.to(schema.dtype);
  }
  const std::vector<float> weights = values.to_floats();
  HostTensor result(DType::uint8, values.shape());
  std::uint8_t* const codes = result.mutable_values<std::uint8_t>().data();
  RowEncoder encoder;
  std::size_t at = 0;
  for (const Sentence& sentence : sentences) {
    const std::vector<std::int64_t> shape =
        schema.shape(static_cast<std::int64_t>(sentence.tokens.size()),
                     static_cast<std::int64_t>(sentence.target_tokens.size()));
    const auto keys = static_cast<std::size_t>(shape.back());
    std::size_t left = keys;
    for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis) {
      left *= static_cast<std::size_t>(shape[axis]);
    }
    left = std::min(left, weights.size() - at);  // too few values: whoever counts them says so
    for (; left > 0; left -= std::min(keys, left), at += keys) {
      if (!encoder.encode(std::span(weights).subspan(at, std::min(keys, left)), codes + at)) {
        throw ShapeError(
            fmt::format("recording {} of sentence {}: weights from 0 to 1 can be kept in 8 bits, and it has "
                        "others; use --store float16",
                        schema.name.text(), sentence.number));
      }
    }
  }
  return result;
}

HostTensor decode_maps(const HostTensor& codes) {
  static const std::array<float, 256> weights = [] {
    std::array<float, 256> all{};
    for (std::size_t code = 0; code < all.size(); ++code) {
      all[code] = static_cast<float>(static_cast<double>(code) * kMapStep);
    }
    return all;
  }();
  HostTensor result(DType::float32, codes.shape());
  const auto to = result.mutable_values<float>();
  std::transform(codes.values<std::uint8_t>().begin(), codes.values<std::uint8_t>().end(), to.begin(),
                 [](std::uint8_t code) { return weights[code]; });
  return result;
}

}  // namespace mog::io
