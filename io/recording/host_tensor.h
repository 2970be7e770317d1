// A tensor in host memory: element type, shape, and a shared block of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mog {

// IEEE 754 half precision as stored; convert with to_float and to_float16.
struct Float16 {
  std::uint16_t bits = 0;
  friend bool operator==(Float16, Float16) = default;
};
// The upper 16 bits of a float32.
struct BFloat16 {
  std::uint16_t bits = 0;
  friend bool operator==(BFloat16, BFloat16) = default;
};

float to_float(Float16 value) noexcept;
float to_float(BFloat16 value) noexcept;
// Rounds to nearest even; values beyond 65504 become infinity.
Float16 to_float16(float value) noexcept;
BFloat16 to_bfloat16(float value) noexcept;
// Converts whole arrays (with F16C where the processor has it). Sizes must be equal.
void convert(std::span<const Float16> from, std::span<float> to);
void convert(std::span<const float> from, std::span<Float16> to);

enum class DType : std::uint8_t { float32, float16, bfloat16, float64, uint8, int32, int64, uint64 };

std::int64_t size_bytes(DType dtype) noexcept;
std::string_view name(DType dtype) noexcept;  // "float32", …
// Throws UsageError naming the text and what is allowed.
DType parse_dtype(std::string_view text);

template <class T>
constexpr DType dtype_of();
template <>
constexpr DType dtype_of<float>() {
  return DType::float32;
}
template <>
constexpr DType dtype_of<Float16>() {
  return DType::float16;
}
template <>
constexpr DType dtype_of<BFloat16>() {
  return DType::bfloat16;
}
template <>
constexpr DType dtype_of<double>() {
  return DType::float64;
}
template <>
constexpr DType dtype_of<std::uint8_t>() {
  return DType::uint8;
}
template <>
constexpr DType dtype_of<std::int32_t>() {
  return DType::int32;
}
template <>
constexpr DType dtype_of<std::int64_t>() {
  return DType::int64;
}
template <>
constexpr DType dtype_of<std::uint64_t>() {
  return DType::uint64;
}

// Copies share the bytes: treat a tensor that was copied or published as immutable.
class HostTensor {
 public:
  HostTensor() = default;
  // Uninitialised memory, 64-byte aligned. Throws ShapeError when a size is negative or the product
  // overflows.
  HostTensor(DType dtype, std::vector<std::int64_t> shape);
  // Takes memory that `owner` keeps alive (no copy).
  HostTensor(DType dtype, std::vector<std::int64_t> shape, std::shared_ptr<void> owner, void* data);
  // Copies `values`; throws ShapeError when their number is not the product of `shape`.
  template <class T>
  static HostTensor of(std::vector<std::int64_t> shape, std::span<const T> values);
  template <class T>
  static HostTensor of(std::vector<std::int64_t> shape, const std::vector<T>& values) {
    return of<T>(std::move(shape), std::span<const T>(values));
  }

  DType dtype() const noexcept { return dtype_; }
  const std::vector<std::int64_t>& shape() const noexcept { return shape_; }
  std::int64_t size() const noexcept { return size_; }  // elements
  std::int64_t size_bytes() const noexcept { return size_ * mog::size_bytes(dtype_); }
  bool empty() const noexcept { return size_ == 0; }

  // Throws ShapeError when T is not the element type.
  template <class T>
  std::span<const T> values() const;
  template <class T>
  std::span<T> mutable_values();
  std::span<const std::byte> bytes() const noexcept;
  std::span<std::byte> mutable_bytes() noexcept;

  // A copy widened to float32 from any floating type.
  std::vector<float> to_floats() const;
  HostTensor to(DType dtype) const;  // between the floating types; returns itself when equal
  // Same bytes, other shape. Throws ShapeError when the products differ.
  HostTensor reshaped(std::vector<std::int64_t> shape) const;
  // Elements [first, first + count) of the flat array, without a copy, with the given shape.
  HostTensor slice_flat(std::int64_t first, std::vector<std::int64_t> shape) const;

 private:
  void require(DType wanted) const;
  DType dtype_ = DType::float32;
  std::vector<std::int64_t> shape_;
  std::int64_t size_ = 0;
  std::shared_ptr<void> owner_;
  std::byte* data_ = nullptr;
};

// "[3, 4]"
std::string shape_text(std::span<const std::int64_t> shape);

template <class T>
std::span<const T> HostTensor::values() const {
  require(dtype_of<T>());
  return {reinterpret_cast<const T*>(data_), static_cast<std::size_t>(size_)};
}
template <class T>
std::span<T> HostTensor::mutable_values() {
  require(dtype_of<T>());
  return {reinterpret_cast<T*>(data_), static_cast<std::size_t>(size_)};
}
extern template HostTensor HostTensor::of<float>(std::vector<std::int64_t>, std::span<const float>);
extern template HostTensor HostTensor::of<double>(std::vector<std::int64_t>, std::span<const double>);
extern template HostTensor HostTensor::of<Float16>(std::vector<std::int64_t>, std::span<const Float16>);
extern template HostTensor HostTensor::of<std::uint8_t>(std::vector<std::int64_t>,
                                                        std::span<const std::uint8_t>);
extern template HostTensor HostTensor::of<std::int32_t>(std::vector<std::int64_t>,
                                                        std::span<const std::int32_t>);
extern template HostTensor HostTensor::of<std::int64_t>(std::vector<std::int64_t>,
                                                        std::span<const std::int64_t>);
extern template HostTensor HostTensor::of<std::uint64_t>(std::vector<std::int64_t>,
                                                         std::span<const std::uint64_t>);

}  // namespace mog
