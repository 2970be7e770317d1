// Floating values on their way from a file, or from one type, into memory of another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <span>

#include "io/checkpoint/safetensors.h"
#include "io/recording/host_tensor.h"
#include "io/text/input_file.h"

namespace mog::io {

// Elements of `from` as `to`; both hold as many. Every type goes by way of float32, rounded to nearest even,
// but float64 to float64. Throws ShapeError for types that are not floating.
void convert_floats(DType from_type, std::span<const std::byte> from, DType to_type, std::span<std::byte> to);

// A file whose tensors are read one by one, long after it was opened. Safe from several threads.
class TensorFile {
 public:
  explicit TensorFile(InputFile file);
  const std::filesystem::path& path() const noexcept { return file_.path(); }
  std::uint64_t size_bytes() const noexcept { return file_.size_bytes(); }

  // The bytes of a tensor as they are stored, looked at for NaN and infinity. Throws FormatError with the
  // tensor's name for such a value, for a file that ends before them, and for one that was changed since it
  // was opened.
  void read_bytes(const TensorInfo& info, std::span<std::byte> to) const;
  // The same of elements as `type` (float32, float16, bfloat16, float64), from `first` on, as many as `to`
  // holds; of int8 rows with their scales whole rows; of blocks as the float32 that they stand for. Where the
  // types are equal they are read straight into `to`, else by way of a block.
  void read_floats(const TensorInfo& info, std::uint64_t first, DType type, std::span<std::byte> to) const;

 private:
  void read(const TensorInfo& info, std::uint64_t offset, std::span<std::byte> to) const;
  void read_unseen(const TensorInfo& info, std::uint64_t offset, std::span<std::byte> to) const;
  void read_rows(const TensorInfo& info, std::uint64_t first, DType type, std::span<std::byte> to) const;
  void read_blocks(const TensorInfo& info, std::uint64_t first, DType type, std::span<std::byte> to) const;
  void check_unchanged(const TensorInfo& info) const;

  InputFile file_;
  std::timespec written_ = {};
};

}  // namespace mog::io
