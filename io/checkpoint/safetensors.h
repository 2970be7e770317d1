// Weights in the safetensors format: checked to the byte before anything is believed.
//
// File: length of the header (u64, little-endian), header (a JSON object: name → dtype, shape,
// data_offsets), data. Refused: headers above 100 MB, more than 100,000 tensors, nesting, repeated keys,
// ranges that overlap, leave gaps or end outside the file, sizes that do not fit shape and type.
//
// A matrix of eight-bit numbers (NAME: I8 [rows, columns]) with the scales of its rows (NAME_scale: F32
// [rows, 1]) is one tensor, which is read as float32 (weights_type.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "io/checkpoint/weights_type.h"
#include "io/recording/host_tensor.h"

namespace mog::io {

// Of elements as a file names them ("F32", …); nothing for types that HostTensor does not have (BOOL,
// F8_E4M3, …).
std::optional<DType> host_type(std::string_view dtype) noexcept;

struct TensorInfo {
  std::string name;
  std::string dtype;  // as the file says: "F32", "BF16", "I64", …
  std::vector<std::int64_t> shape;
  std::uint64_t offset = 0;  // of the first byte, from the start of the file
  std::uint64_t size_bytes = 0;
  std::optional<std::uint64_t> scales_at = {};  // of int8 rows: the first byte of their scales
  std::string blocks =
      {};  // of values that lie in a GGUF file as blocks: their type ("Q4_K"); dtype is "F32"

  std::int64_t elements() const noexcept;
  std::optional<DType> host_dtype() const noexcept { return host_type(dtype); }
};

struct TensorList {
  std::vector<TensorInfo> tensors;  // in the order of the data
  std::map<std::string, std::string> metadata;
  std::uint64_t file_bytes = 0;
  const TensorInfo* find(const std::string& name) const noexcept;
};

// Reads and checks the header only, whatever the size of the file.
// Throws FormatError naming the file, the tensor and the defect.
TensorList list_tensors(const std::filesystem::path& path);

// All tensors as stored, those of int8 rows as float32. Values that are NaN or infinite are refused with the
// tensor's name (FormatError). Throws as list_tensors, and ModelError for an element type that the host does
// not have.
std::map<std::string, HostTensor> read_tensors(const std::filesystem::path& path);
HostTensor read_tensor(const std::filesystem::path& path, const TensorInfo& info);

// list_tensors, and all values looked at for NaN and infinity (holes of sparse files are skipped) without
// keeping them: memory is one block.
TensorList check_tensors(const std::filesystem::path& path);

// Written beside and renamed; tensors sorted by element size (largest first), then name, so that all are
// aligned. NaN and infinity are refused here too.
void write_tensors(const std::filesystem::path& path, const std::map<std::string, HostTensor>& tensors,
                   const std::map<std::string, std::string>& metadata = {});
// The same of weights, kept as `type`; those named in `exact` as float32.
void write_weights(const std::filesystem::path& path, const std::map<std::string, HostTensor>& tensors,
                   WeightsType type, const std::map<std::string, std::string>& metadata = {},
                   const std::set<std::string>& exact = {});

}  // namespace mog::io
