// The header of a GGUF file (llama.cpp), versions 2 and 3, little-endian.
//
// File: "GGUF", version (u32), number of tensors and of keys (u64); each key: its name, a type (u32), the
// value; each tensor: name, number of sizes (u32), sizes from the innermost on (u64), type (u32), offset
// (u64); then, from the next multiple of general.alignment (32) on, the values, one tensor behind the other,
// each from a multiple of it on. A text is its length (u64) and its bytes, a list the type of its elements
// (u32), their number (u64) and they.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "io/text/input_file.h"

namespace mog::io {

// Elements as they lie in the file: of texts the bytes of all, and where each ends.
struct GgufList {
  std::string dtype;  // of safetensors: "U8", "I32", "F32", "BOOL" …; "U8" of texts
  bool texts = false;
  std::string bytes;
  std::vector<std::int64_t> ends;  // of texts
  std::uint64_t count = 0;
};

using GgufValue = std::variant<bool, std::int64_t, std::uint64_t, double, std::string, GgufList>;

// How a tensor keeps its values: blocks of `elements` in `bytes`.
struct GgufType {
  std::uint32_t id = 0;
  std::string_view name;  // "Q4_K"
  std::uint64_t elements = 1;
  std::uint64_t bytes = 0;
  std::string_view dtype;  // what it is read as: "F32", "F16", "BF16", "F64"; empty: it is not read
};

struct GgufTensor {
  std::string name;
  std::vector<std::int64_t> shape;  // the outermost axis first
  const GgufType* type = nullptr;
  std::uint64_t begin = 0;  // in the file
  std::uint64_t size_bytes = 0;
};

struct GgufFile {
  std::uint32_t version = 0;
  std::map<std::string, GgufValue> values;
  std::vector<GgufTensor> tensors;  // in the order of the file
};

// Everything but the values of tensors. Memory: what the file holds, and no more than it. Throws FormatError
// naming key or tensor, what was expected and what was found; ModelError for a type that is not read.
GgufFile read_gguf_header(const InputFile& file);

// By its name; nullptr where there is none.
const GgufType* find_gguf_type(std::string_view name) noexcept;

// Values of whole blocks as float32, bit for bit as the package `gguf` gives them; `into` has elements for
// all. Of types whose dtype is "F32" but that are no F32.
void dequantise_gguf(const GgufType& type, std::span<const std::byte> blocks, std::span<float> into);

// How lists are called among the tensors of a WeightsFile, and where the texts of one end.
inline constexpr std::string_view kGgufList = "key:";
inline constexpr std::string_view kGgufEnds = "ends:";

}  // namespace mog::io
