// The rules that every object of an HDF5 file must keep before anything in it is read (architecture,
// Recording format, 5): no links to elsewhere, no loops, plain little-endian numbers in at most 8 dimensions,
// known filters, sizes that the file can hold, no variable-length values, small attributes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "io/hdf5/file/hdf5_handle.h"

namespace mog::io {

// Looks at the first bytes: signature, superblock, whether the file is as long as it says. Throws
// FormatError: empty, a web page, a Git LFS pointer, cut short, not closed …
void check_superblock(const std::filesystem::path& path, std::uint64_t& file_bytes);

// The same for a file for `mog import`, which may be of any superblock version that HDF5 1.10 writes.
void check_import_superblock(const std::filesystem::path& path, std::uint64_t& file_bytes);

// Whether a virtual dataset named `dataset` may take its elements from `source_dataset` of `source_file`.
using VirtualRule = std::function<bool(const std::string& dataset, const std::string& source_file,
                                       const std::string& source_dataset)>;

// Walks over all objects. Without a rule, virtual datasets are refused. Throws FormatError naming file,
// object and defect.
void check_structure(const h5::File& file, const std::filesystem::path& path, std::uint64_t file_bytes,
                     const VirtualRule& rule = {});

// The same for a file for `mog import`, which other programs write (docs/import-format.md): scalars, strings
// (variable-length ones too) and whole numbers of any width are allowed, attributes are not looked at. Links,
// loops, external storage, virtual datasets, filters, chunks and sizes are judged as in a recording.
// `visit` gets the path of every sound object and the object, groups before what is in them.
using StructureVisitor = std::function<void(const std::string& path, hid_t object)>;
void check_import_structure(const h5::File& file, const std::filesystem::path& path, std::uint64_t file_bytes,
                            const StructureVisitor& visit);

}  // namespace mog::io
