// Values are read with pread() where they are used, not mapped: a mapping of a file that somebody cuts short
// is a bus error, a read is a message. The kernel's cache of the file is the same either way, and is not
// counted as this program's.
//
// What was found sound when the file was opened is looked at again when it is read, since files change: the
// values for NaN, and behind them the size and time of the file.
#include "io/checkpoint/float_values.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "io/checkpoint/gguf.h"
#include "io/checkpoint/value_check.h"
#include "io/recording/errors.h"

namespace mog::io {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 18U;  // elements

template <class T>
T element(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

template <class T, class Float>
void widen(std::span<const std::byte> from, std::span<float> to, const Float& as_float) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i] = as_float(element<T>(from.data() + i * sizeof(T)));
  }
}

void widen(DType type, std::span<const std::byte> from, std::span<float> to) {
  switch (type) {
    case DType::float32:
      std::memcpy(to.data(), from.data(), from.size());
      return;
    case DType::bfloat16:
      return widen<BFloat16>(from, to, [](BFloat16 value) { return to_float(value); });
    case DType::float64:
      return widen<double>(from, to, [](double value) { return static_cast<float>(value); });
    case DType::float16: {
      std::vector<Float16> halves(to.size());
      std::memcpy(halves.data(), from.data(), from.size());
      return convert(halves, to);
    }
    default:
      throw ShapeError(fmt::format("reading values of {} as floats: only floating types widen", name(type)));
  }
}

template <class T, class Narrow>
void narrow(std::span<const float> from, std::byte* to, const Narrow& as) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    const T value = as(from[i]);
    std::memcpy(to + i * sizeof(T), &value, sizeof(T));
  }
}

void narrow(std::span<const float> from, DType type, std::byte* to) {
  switch (type) {
    case DType::float32:
      std::memcpy(to, from.data(), from.size_bytes());
      return;
    case DType::bfloat16:
      return narrow<BFloat16>(from, to, [](float value) { return to_bfloat16(value); });
    case DType::float64:
      return narrow<double>(from, to, [](float value) { return static_cast<double>(value); });
    case DType::float16: {
      std::vector<Float16> halves(from.size());
      convert(from, halves);
      std::memcpy(to, halves.data(), halves.size() * sizeof(Float16));
      return;
    }
    default:
      throw ShapeError(fmt::format("converting floats to {}: only floating types are targets", name(type)));
  }
}

std::size_t bytes_of(DType type) {
  return static_cast<std::size_t>(size_bytes(type));
}

}  // namespace

void convert_floats(DType from_type, std::span<const std::byte> from, DType to_type,
                    std::span<std::byte> to) {
  const std::size_t count = from.size() / bytes_of(from_type);
  if (to.size() / bytes_of(to_type) != count) {
    throw ShapeError(
        fmt::format("converting {} values into {} places", count, to.size() / bytes_of(to_type)));
  }
  if (from_type == to_type) {
    if (!from.empty()) {
      std::memcpy(to.data(), from.data(), from.size());
    }
    return;
  }
  std::vector<float> floats(std::min(kBlock, count));
  for (std::size_t at = 0; at < count; at += floats.size()) {
    const std::span<float> block = std::span(floats).first(std::min(floats.size(), count - at));
    widen(from_type, from.subspan(at * bytes_of(from_type), block.size() * bytes_of(from_type)), block);
    narrow(block, to_type, to.data() + at * bytes_of(to_type));
  }
}

TensorFile::TensorFile(InputFile file) : file_(std::move(file)) {
  struct stat status = {};
  if (::fstat(file_.descriptor(), &status) == 0) {
    written_ = status.st_mtim;
  }
}

void TensorFile::check_unchanged(const TensorInfo& info) const {
  struct stat status = {};
  if (::fstat(file_.descriptor(), &status) != 0) {
    return;
  }
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size != file_.size_bytes()) {
    throw FormatError(fmt::format(
        "{}: tensor \"{}\": the file has {} bytes, it had {} when it was opened; it was cut short or changed "
        "while it was read: run again when nobody writes it",
        file_.path().string(), info.name, size, file_.size_bytes()));
  }
  if (status.st_mtim.tv_sec != written_.tv_sec || status.st_mtim.tv_nsec != written_.tv_nsec) {
    throw FormatError(fmt::format(
        "{}: tensor \"{}\": the file was changed while it was read: run again when nobody writes it",
        file_.path().string(), info.name));
  }
}

void TensorFile::read(const TensorInfo& info, std::uint64_t offset, std::span<std::byte> to) const {
  read_unseen(info, offset, to);
  refuse_bad_values(file_.path().string(), info.name, info.dtype, to, offset);
}

// Without a look at the values.
void TensorFile::read_unseen(const TensorInfo& info, std::uint64_t offset, std::span<std::byte> to) const {
  try {
    file_.read_at(info.offset + offset, to);
  } catch (const FormatError& error) {
    check_unchanged(info);
    throw FormatError(fmt::format("{}: tensor \"{}\": {}", file_.path().string(), info.name, error.what()));
  } catch (const StorageError& error) {  // the disk, not the file
    throw StorageError(fmt::format("{}: tensor \"{}\": {}", file_.path().string(), info.name, error.what()));
  }
  check_unchanged(info);
}

void TensorFile::read_bytes(const TensorInfo& info, std::span<std::byte> to) const {
  constexpr std::size_t kBytes = std::size_t{1} << 22U;
  for (std::size_t at = 0; at < to.size(); at += kBytes) {
    read(info, at, to.subspan(at, std::min(kBytes, to.size() - at)));
  }
}

void TensorFile::read_floats(const TensorInfo& info, std::uint64_t first, DType type,
                             std::span<std::byte> to) const {
  if (info.scales_at) {
    return read_rows(info, first, type, to);
  }
  if (!info.blocks.empty()) {
    return read_blocks(info, first, type, to);
  }
  const DType stored = info.host_dtype().value_or(DType::uint8);
  const std::size_t count = to.size() / bytes_of(type);
  std::vector<std::byte> block(stored == type ? 0 : std::min(kBlock, count) * bytes_of(stored));
  for (std::size_t at = 0; at < count; at += kBlock) {
    const std::size_t some = std::min(kBlock, count - at);
    const std::span<std::byte> place = to.subspan(at * bytes_of(type), some * bytes_of(type));
    const std::span<std::byte> bytes =
        stored == type ? place : std::span(block).first(some * bytes_of(stored));
    read(info, (first + at) * bytes_of(stored), bytes);
    if (stored != type) {
      convert_floats(stored, bytes, type, place);
    }
  }
}

void TensorFile::read_blocks(const TensorInfo& info, std::uint64_t first, DType type,
                             std::span<std::byte> to) const {
  const GgufType* const of = find_gguf_type(info.blocks);
  if (of == nullptr || of->dtype != "F32" || of->name == of->dtype) {
    throw ModelError(fmt::format("{}: tensor \"{}\": blocks of type {} cannot be read here",
                                 file_.path().string(), info.name, info.blocks));
  }
  const std::size_t count = to.size() / bytes_of(type);
  const std::uint64_t most = kBlock / of->elements;  // blocks
  std::vector<std::byte> bytes;
  std::vector<float> values;
  for (std::size_t at = 0; at < count;) {
    const std::uint64_t block = (first + at) / of->elements;
    const auto before = static_cast<std::size_t>((first + at) % of->elements);
    const std::uint64_t blocks = std::min(most, (before + count - at + of->elements - 1) / of->elements);
    bytes.resize(static_cast<std::size_t>(blocks * of->bytes));
    values.resize(static_cast<std::size_t>(blocks * of->elements));
    read_unseen(info, block * of->bytes, bytes);
    dequantise_gguf(*of, bytes, values);
    const std::span<const float> some =
        std::span<const float>(values).subspan(before, std::min(values.size() - before, count - at));
    refuse_bad_values(file_.path().string(), info.name, "F32", std::as_bytes(some),
                      (first + at) * sizeof(float));
    narrow(some, type, to.data() + at * bytes_of(type));
    at += some.size();
  }
}

// value = number × scale of its row.
void TensorFile::read_rows(const TensorInfo& info, std::uint64_t first, DType type,
                           std::span<std::byte> to) const {
  const auto width = static_cast<std::size_t>(info.shape.back());
  const std::size_t count = to.size() / bytes_of(type);
  const std::size_t most = std::max<std::size_t>(1, kBlock / width);  // rows
  TensorInfo of_scales = info;
  of_scales.name = info.name + "_scale";
  of_scales.dtype = "F32";
  of_scales.offset = *info.scales_at;
  for (std::size_t at = 0; at < count; at += most * width) {
    const std::size_t some = std::min(most * width, count - at);
    std::vector<std::byte> numbers(some);
    std::vector<float> scales(some / width);
    read(info, first + at, numbers);
    read(of_scales, (first + at) / width * sizeof(float), std::as_writable_bytes(std::span(scales)));
    std::vector<float> values(some);
    for (std::size_t i = 0; i < some; ++i) {
      const float scale = scales[i / width];
      if (!(scale >= 0) || std::isinf(scale * 128)) {
        throw FormatError(fmt::format(
            "{}: tensor \"{}\": row {} has the scale {}, expected 0 or more, and weights that are finite",
            file_.path().string(), of_scales.name, (first + at + i) / width + 1, scale));
      }
      values[i] = static_cast<float>(static_cast<std::int8_t>(numbers[i])) * scale;
    }
    narrow(values, type, to.data() + at * bytes_of(type));
  }
}

}  // namespace mog::io
