// How weights are kept in a file, and eight bits for a weight.
//
// int8: a matrix [rows, columns] is kept as whole numbers from -127 to 127 and a float32 scale a row, value =
// number × scale; the scale is the row's largest magnitude / 127, so that no weight is off by more than half
// of it. Vectors (biases, norms) and tensors of other ranks stay float32: they are small, and norms are
// sensitive. Reading gives float32.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "io/recording/host_tensor.h"

namespace mog::io {

enum class WeightsType : std::uint8_t { float32, float16, bfloat16, int8 };
inline constexpr std::array kWeightsTypes = {WeightsType::float32, WeightsType::float16,
                                             WeightsType::bfloat16, WeightsType::int8};
std::string_view name(WeightsType type) noexcept;    // "float32", …
std::vector<std::string_view> weights_type_names();  // in that order

struct ScaledRows {
  std::vector<std::int8_t> values;  // as the tensor
  std::vector<float> scales;        // [row]; 0 where the row is
};

// Whether int8 keeps a tensor in eight bits: floats of two or more axes. Rows go along the last one.
bool has_scaled_rows(const HostTensor& tensor) noexcept;
// Ties are rounded to even.
ScaledRows to_scaled_rows(const HostTensor& tensor);
// float32 in that shape.
HostTensor from_scaled_rows(const ScaledRows& rows, std::vector<std::int64_t> shape);

// What reading gives back of a tensor that was kept so.
HostTensor as_kept(const HostTensor& tensor, WeightsType type);

}  // namespace mog::io
