// The rules that every object of an HDF5 file must keep before anything in it is read (architecture,
// Recording format, 5): no links to elsewhere, no loops, plain little-endian numbers in at most 8 dimensions,
// known filters, sizes that the file can hold, no variable-length values, small attributes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "io/hdf5/hdf5_handle.h"

namespace mog::io {

// Looks at the first bytes: signature, superblock, whether the file is as long as it says. Throws
// FormatError: empty, a web page, a Git LFS pointer, cut short, not closed …
void check_superblock(const std::filesystem::path& path, std::uint64_t& file_bytes);

// Whether a virtual dataset named `dataset` may take its elements from `source_dataset` of `source_file`.
using VirtualRule = std::function<bool(const std::string& dataset, const std::string& source_file,
                                       const std::string& source_dataset)>;

// Walks over all objects. Without a rule, virtual datasets are refused. Throws FormatError naming file,
// object and defect.
void check_structure(const h5::File& file, const std::filesystem::path& path, std::uint64_t file_bytes,
                     const VirtualRule& rule = {});

}  // namespace mog::io
