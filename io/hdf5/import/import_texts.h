// Strings of a file that is imported.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "io/hdf5/file/hdf5_handle.h"

namespace mog::io {

// A fixed-length string without its padding.
std::string import_unpadded(std::string text, H5T_str_t padding);
// A text attribute of the root; nothing where there is none. Throws FormatError for what is no UTF-8 text of
// at most 16 kB, or cannot be read.
std::optional<std::string> import_attribute(const h5::File& file, const std::filesystem::path& path,
                                            const char* name);

}  // namespace mog::io
