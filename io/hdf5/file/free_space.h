#pragma once

#include <cstdint>
#include <filesystem>

namespace mog::io {

// Bytes that an ordinary user can still write where `path` (or its nearest existing parent) lies.
// Throws StorageError.
std::uint64_t free_bytes(const std::filesystem::path& path);

}  // namespace mog::io
