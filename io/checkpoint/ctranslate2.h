// The variables of a CTranslate2 model.bin, binary versions 1 to 6.
//
// File: version (u32); since 2: name and revision (u32) of the specification; number of variables (u32);
// each: name, rank (u8), sizes (u32), then up to 3: bytes of an element (u8) and number of elements (u32),
// from 4 on: type (u8) and number of bytes (u32); the values. Since 3: number of aliases (u32), pairs of
// names. A name is its length with a closing NUL (u16) and its bytes. All little-endian.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "io/text/input_file.h"

namespace mog::io {

struct Ct2Variable {
  std::string name;
  std::string dtype;  // F32, I8, I16, I32, F16, BF16
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;  // in the file
  std::uint64_t size_bytes = 0;
};

struct Ct2Model {
  std::uint32_t version = 0;
  std::string specification;
  std::uint32_t revision = 1;
  std::vector<Ct2Variable> variables;          // in the order of the file
  std::map<std::string, std::string> aliases;  // another name → the name of a variable
};

// Everything but the values. Throws FormatError naming the variable.
Ct2Model read_ct2_model(const InputFile& file);

// Whether the variables of a Transformer fit each other: biases beside weights, sizes of linear layers and
// norms, width and heads. Throws ModelError naming the variable.
void check_ct2_layers(const InputFile& file, const Ct2Model& model);

}  // namespace mog::io
