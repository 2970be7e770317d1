#include "io/checkpoint/weights_type.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace mog::io {
namespace {

constexpr float kLargest = 127;

DType dtype_of(WeightsType type) {
  return type == WeightsType::float16    ? DType::float16
         : type == WeightsType::bfloat16 ? DType::bfloat16
                                         : DType::float32;
}

}  // namespace

std::string_view name(WeightsType type) noexcept {
  return type == WeightsType::int8 ? "int8" : mog::name(dtype_of(type));
}

std::vector<std::string_view> weights_type_names() {
  std::vector<std::string_view> names(kWeightsTypes.size());
  std::ranges::transform(kWeightsTypes, names.begin(), [](WeightsType type) { return name(type); });
  return names;
}

bool has_scaled_rows(const HostTensor& tensor) noexcept {
  const DType type = tensor.dtype();
  return tensor.shape().size() >= 2 && tensor.size() > 0 &&
         (type == DType::float32 || type == DType::float16 || type == DType::bfloat16 ||
          type == DType::float64);
}

ScaledRows to_scaled_rows(const HostTensor& tensor) {
  const std::vector<float> all = tensor.to_floats();
  const auto width = static_cast<std::size_t>(tensor.shape().back());
  ScaledRows result;
  result.values.reserve(all.size());
  for (std::size_t first = 0; first < all.size(); first += width) {
    const std::span<const float> row = std::span(all).subspan(first, width);
    float greatest = 0;
    for (const float value : row) {
      greatest = std::max(greatest, std::abs(value));
    }
    const float scale = greatest / kLargest;
    result.scales.push_back(scale);
    for (const float value : row) {
      // A scale below the smallest float is 0.
      const float number = scale > 0 ? std::nearbyint(value / scale) : 0;
      result.values.push_back(static_cast<std::int8_t>(std::clamp(number, -kLargest, kLargest)));
    }
  }
  return result;
}

HostTensor from_scaled_rows(const ScaledRows& rows, std::vector<std::int64_t> shape) {
  const auto width = static_cast<std::size_t>(shape.back());
  std::vector<float> values(rows.values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(rows.values[i]) * rows.scales[i / width];
  }
  return HostTensor::of<float>(std::move(shape), values);
}

HostTensor as_kept(const HostTensor& tensor, WeightsType type) {
  return type == WeightsType::int8 && has_scaled_rows(tensor)
             ? from_scaled_rows(to_scaled_rows(tensor), tensor.shape())
             : tensor.to(dtype_of(type));
}

}  // namespace mog::io
