// What both sides of the pipe know of a frame (import_frame.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "io/hdf5/import/import_frame.h"

namespace mog::io {

inline constexpr std::uint32_t kImportMagic = 0x49474F4DU;  // "MOGI"
// The most bytes of a payload.
std::uint64_t import_frame_limit(ImportFrame kind) noexcept;
// CRC-32 of the header's first 16 bytes and the payload.
std::uint32_t import_frame_checksum(std::span<const std::byte> head, std::span<const std::byte> payload);

}  // namespace mog::io
