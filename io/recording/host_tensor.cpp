// A tensor is a shared block, a shape and a place in the block: slices and reshapes copy nothing, and a
// block may belong to LibTorch or to a mapped file (an owner of any type keeps it alive). Sizes are products
// of a stranger's numbers and are taken with an eye on overflow, bytes too.
//
// Half floats are converted eight at a time where the processor can (F16C), else bit by bit; both round to
// nearest even, overflow from 65,520 on, and keep subnormal numbers. ATen's conversion is several times
// slower (capture.cpp).
//
// Traps: to(float16) goes through float32, so a float64 is rounded twice. Which NaN comes out may depend on
// the processor; that it is one does not. Two tensors of one block are not copies of each other.
#include "io/recording/host_tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "io/recording/errors.h"

namespace mog {
namespace {

std::int64_t product(std::span<const std::int64_t> shape, std::int64_t element_bytes) {
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0) {
      throw ShapeError(fmt::format("tensor of shape {}: sizes must not be negative", shape_text(shape)));
    }
    if (__builtin_mul_overflow(size, extent, &size)) {
      throw ShapeError(fmt::format("tensor of shape {}: more elements than fit 64 bits", shape_text(shape)));
    }
  }
  std::int64_t total = 0;
  if (__builtin_mul_overflow(size, element_bytes, &total)) {
    throw ShapeError(fmt::format("tensor of shape {}: more bytes than fit 64 bits", shape_text(shape)));
  }
  return size;
}

#if defined(__x86_64__)
__attribute__((target("f16c,avx"))) void widen_f16c(const Float16* from, float* to, std::size_t count) {
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(half));
  }
  for (; i < count; ++i) {
    to[i] = to_float(from[i]);
  }
}
__attribute__((target("f16c,avx"))) void narrow_f16c(const float* from, Float16* to, std::size_t count) {
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m128i half = _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), half);
  }
  for (; i < count; ++i) {
    to[i] = to_float16(from[i]);
  }
}
bool has_f16c() {
  static const bool value = __builtin_cpu_supports("f16c") != 0 && __builtin_cpu_supports("avx") != 0;
  return value;
}
#endif

}  // namespace

float to_float(Float16 value) noexcept {
  const std::uint32_t sign = static_cast<std::uint32_t>(value.bits & 0x8000U) << 16U;
  const std::uint32_t exponent = (value.bits >> 10U) & 0x1FU;
  const std::uint32_t mantissa = value.bits & 0x3FFU;
  if (exponent == 0) {
    const float magnitude = std::ldexp(static_cast<float>(mantissa), -24);
    return sign != 0 ? -magnitude : magnitude;
  }
  if (exponent == 31) {
    return std::bit_cast<float>(sign | 0x7F800000U | (mantissa << 13U));
  }
  return std::bit_cast<float>(sign | ((exponent + 112U) << 23U) | (mantissa << 13U));
}

float to_float(BFloat16 value) noexcept {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16U);
}

Float16 to_float16(float value) noexcept {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16U) & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) {
    return {static_cast<std::uint16_t>(sign | 0x7E00U)};
  }
  if (magnitude >= 0x477FF000U) {
    return {static_cast<std::uint16_t>(sign | 0x7C00U)};
  }
  if (magnitude < 0x38800000U) {  // subnormal half: an exact scaling, then round to nearest even
    const float scaled = std::ldexp(std::bit_cast<float>(magnitude), 24);
    return {static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(std::nearbyint(scaled)))};
  }
  const std::uint32_t rounded = magnitude + 0xFFFU + ((magnitude >> 13U) & 1U);
  return {static_cast<std::uint16_t>(sign | ((rounded - 0x38000000U) >> 13U))};
}

BFloat16 to_bfloat16(float value) noexcept {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) {
    return {static_cast<std::uint16_t>((bits >> 16U) | 0x40U)};
  }
  return {static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U)};
}

void convert(std::span<const Float16> from, std::span<float> to) {
  if (from.size() != to.size()) {
    throw ShapeError(fmt::format("converting {} half floats into {} places", from.size(), to.size()));
  }
#if defined(__x86_64__)
  if (has_f16c()) {
    widen_f16c(from.data(), to.data(), from.size());
    return;
  }
#endif
  for (std::size_t i = 0; i < from.size(); ++i) {
    to[i] = to_float(from[i]);
  }
}

void convert(std::span<const float> from, std::span<Float16> to) {
  if (from.size() != to.size()) {
    throw ShapeError(fmt::format("converting {} floats into {} places", from.size(), to.size()));
  }
#if defined(__x86_64__)
  if (has_f16c()) {
    narrow_f16c(from.data(), to.data(), from.size());
    return;
  }
#endif
  for (std::size_t i = 0; i < from.size(); ++i) {
    to[i] = to_float16(from[i]);
  }
}

std::int64_t size_bytes(DType dtype) noexcept {
  switch (dtype) {
    case DType::uint8:
      return 1;
    case DType::float16:
    case DType::bfloat16:
      return 2;
    case DType::float32:
    case DType::int32:
      return 4;
    case DType::float64:
    case DType::int64:
    case DType::uint64:
      return 8;
  }
  return 0;
}

std::string_view name(DType dtype) noexcept {
  switch (dtype) {
    case DType::float32:
      return "float32";
    case DType::float16:
      return "float16";
    case DType::bfloat16:
      return "bfloat16";
    case DType::float64:
      return "float64";
    case DType::uint8:
      return "uint8";
    case DType::int32:
      return "int32";
    case DType::int64:
      return "int64";
    case DType::uint64:
      return "uint64";
  }
  return "";
}

DType parse_dtype(std::string_view text) {
  for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16, DType::float64, DType::uint8,
                            DType::int32, DType::int64, DType::uint64}) {
    if (text == name(dtype)) {
      return dtype;
    }
  }
  throw UsageError(
      fmt::format("\"{}\" is no element type; use float32, float16, bfloat16, float64, uint8, "
                  "int32, int64 or uint64",
                  text));
}

HostTensor::HostTensor(DType dtype, std::vector<std::int64_t> shape)
    : dtype_(dtype), shape_(std::move(shape)), size_(product(shape_, mog::size_bytes(dtype))) {
  const auto wanted = static_cast<std::size_t>(size_bytes());
  if (wanted == 0) {
    return;
  }
  constexpr std::align_val_t kAlignment{64};
  void* const memory = ::operator new(wanted, kAlignment);
  owner_ = std::shared_ptr<void>(memory, [](void* pointer) { ::operator delete(pointer, kAlignment); });
  data_ = static_cast<std::byte*>(memory);
}

HostTensor::HostTensor(DType dtype, std::vector<std::int64_t> shape, std::shared_ptr<void> owner, void* data)
    : dtype_(dtype),
      shape_(std::move(shape)),
      size_(product(shape_, mog::size_bytes(dtype))),
      owner_(std::move(owner)),
      data_(static_cast<std::byte*>(data)) {}

template <class T>
HostTensor HostTensor::of(std::vector<std::int64_t> shape, std::span<const T> values) {
  HostTensor tensor(dtype_of<T>(), std::move(shape));
  if (tensor.size() != static_cast<std::int64_t>(values.size())) {
    throw ShapeError(
        fmt::format("tensor of shape {} made from {} values", shape_text(tensor.shape()), values.size()));
  }
  if (!values.empty()) {
    std::memcpy(tensor.data_, values.data(), values.size_bytes());
  }
  return tensor;
}
template HostTensor HostTensor::of<float>(std::vector<std::int64_t>, std::span<const float>);
template HostTensor HostTensor::of<double>(std::vector<std::int64_t>, std::span<const double>);
template HostTensor HostTensor::of<Float16>(std::vector<std::int64_t>, std::span<const Float16>);
template HostTensor HostTensor::of<std::uint8_t>(std::vector<std::int64_t>, std::span<const std::uint8_t>);
template HostTensor HostTensor::of<std::int32_t>(std::vector<std::int64_t>, std::span<const std::int32_t>);
template HostTensor HostTensor::of<std::int64_t>(std::vector<std::int64_t>, std::span<const std::int64_t>);
template HostTensor HostTensor::of<std::uint64_t>(std::vector<std::int64_t>, std::span<const std::uint64_t>);

std::span<const std::byte> HostTensor::bytes() const noexcept {
  return {data_, static_cast<std::size_t>(size_bytes())};
}
std::span<std::byte> HostTensor::mutable_bytes() noexcept {
  return {data_, static_cast<std::size_t>(size_bytes())};
}

std::vector<float> HostTensor::to_floats() const {
  std::vector<float> result(static_cast<std::size_t>(size_));
  switch (dtype_) {
    case DType::float32: {
      const auto from = values<float>();
      result.assign(from.begin(), from.end());
      return result;
    }
    case DType::float16:
      convert(values<Float16>(), result);
      return result;
    case DType::bfloat16: {
      const auto from = values<BFloat16>();
      for (std::size_t i = 0; i < result.size(); ++i) {
        result[i] = to_float(from[i]);
      }
      return result;
    }
    case DType::float64: {
      const auto from = values<double>();
      for (std::size_t i = 0; i < result.size(); ++i) {
        result[i] = static_cast<float>(from[i]);
      }
      return result;
    }
    default:
      throw ShapeError(
          fmt::format("reading a tensor of {} as floats: only floating types widen", name(dtype_)));
  }
}

HostTensor HostTensor::to(DType dtype) const {
  if (dtype == dtype_) {
    return *this;
  }
  const std::vector<float> floats = to_floats();
  HostTensor result(dtype, shape_);
  switch (dtype) {
    case DType::float32:
      std::memcpy(result.data_, floats.data(), floats.size() * sizeof(float));
      return result;
    case DType::float16:
      convert(std::span<const float>(floats), result.mutable_values<Float16>());
      return result;
    case DType::bfloat16: {
      const auto to = result.mutable_values<BFloat16>();
      for (std::size_t i = 0; i < floats.size(); ++i) {
        to[i] = to_bfloat16(floats[i]);
      }
      return result;
    }
    case DType::float64:
      std::copy(floats.begin(), floats.end(), result.mutable_values<double>().begin());
      return result;
    default:
      throw ShapeError(fmt::format("converting a tensor of {} to {}: only floating types are targets",
                                   name(dtype_), name(dtype)));
  }
}

HostTensor HostTensor::reshaped(std::vector<std::int64_t> shape) const {
  if (product(shape, mog::size_bytes(dtype_)) != size_) {
    throw ShapeError(
        fmt::format("tensor of shape {} cannot be read as {}", shape_text(shape_), shape_text(shape)));
  }
  HostTensor result = *this;
  result.shape_ = std::move(shape);
  return result;
}

HostTensor HostTensor::slice_flat(std::int64_t first, std::vector<std::int64_t> shape) const {
  const std::int64_t count = product(shape, mog::size_bytes(dtype_));
  if (first < 0 || first > size_ || count > size_ - first) {
    throw ShapeError(fmt::format("elements {} to {} of a tensor that has {}", first, first + count, size_));
  }
  std::byte* const start = data_ == nullptr ? nullptr : data_ + first * mog::size_bytes(dtype_);
  return {dtype_, std::move(shape), owner_, start};
}

void HostTensor::require(DType wanted) const {
  if (wanted != dtype_) {
    throw ShapeError(fmt::format("a tensor of {} was read as {}", name(dtype_), name(wanted)));
  }
}

std::string shape_text(std::span<const std::int64_t> shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

}  // namespace mog
