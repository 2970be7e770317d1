// The header of a safetensors file, parsed and checked. Shared by the readers of this folder.
#pragma once

#include "io/checkpoint/safetensors.h"
#include "io/text/input_file.h"

namespace mog::io {

// Bits of one element of a safetensors type; 0 for a type that is not known.
std::uint64_t safetensors_bits(std::string_view dtype) noexcept;

// Checks a header, its length field not included; `name` begins the messages. Without `file_bytes` the end of
// the data is not compared with anything.
TensorList parse_safetensors_header(const std::string& name, const std::string& header,
                                    std::optional<std::uint64_t> file_bytes);

// Reads and checks the header of an open file. Throws FormatError.
TensorList read_safetensors_header(const InputFile& file);

}  // namespace mog::io
