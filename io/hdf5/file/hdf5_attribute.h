// Attributes: fixed-length UTF-8 strings and 64-bit numbers, nothing else.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/hdf5/file/hdf5_handle.h"

namespace mog::io::h5 {

// `object` is any file, group or dataset. Throws StorageError.
void write_attribute(hid_t object, const char* name, std::string_view text,
                     const std::filesystem::path& file);
void write_attribute(hid_t object, const char* name, std::int64_t value, const std::filesystem::path& file);
void write_attribute(hid_t object, const char* name, double value, const std::filesystem::path& file);
void write_attribute(hid_t object, const char* name, std::span<const std::int64_t> values,
                     const std::filesystem::path& file);

// Longest text that an attribute takes: HDF5 keeps attributes in an object header message of 64 KiB.
inline constexpr std::size_t kLongestAttribute = 60000;

// Nothing when there is none of that name. Throws FormatError, naming `file` and `place`, when it is of
// another type or larger than an attribute may be.
std::optional<std::string> read_text_attribute(hid_t object, const char* name,
                                               const std::filesystem::path& file, std::string_view place);
std::optional<std::vector<std::int64_t>> read_int_attribute(hid_t object, const char* name,
                                                            const std::filesystem::path& file,
                                                            std::string_view place);
std::optional<double> read_double_attribute(hid_t object, const char* name, const std::filesystem::path& file,
                                            std::string_view place);

}  // namespace mog::io::h5
