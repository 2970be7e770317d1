// The tensors that a PyTorch pickle describes, and its plain data.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "io/checkpoint/pickle.h"

namespace mog::io {

struct TorchTensor {
  std::string name;  // dotted path
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  // in elements, as many as sizes
  std::int64_t offset = 0;            // in elements
  std::string storage;                // its key
  std::int64_t storage_elements = 0;
  std::int64_t element_bytes = 0;
  bool wanted = true;  // false: of an optimizer

  std::int64_t elements() const noexcept;
  bool contiguous() const noexcept;
};

struct TorchContents {
  std::vector<TorchTensor> tensors;                      // in the order of the file
  std::map<std::string, std::int64_t> storage_elements;  // of every storage that is referred to, also by
  std::map<std::string, std::int64_t> element_bytes;     // opaque values
  std::string data;                                      // JSON: the dictionary without tensors
  std::int64_t optimizer_tensors = 0;
};

// Sizes, strides and offsets fit their storages. `file` begins the messages. Throws FormatError naming the
// tensor.
TorchContents read_torch_contents(const Pickle& pickle, const std::string& file);

}  // namespace mog::io
