// The checksum that HDF5 stores behind each chunk of a dataset with the fletcher32 filter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mog::io::h5 {

// Fletcher's checksum over big-endian 16-bit words, an odd last byte filled up with zero: the low half is the
// sum of the words, the high half the sum of the running sums, both modulo 65535 (65535 stands for a sum that
// is a multiple of it, 0 for an empty one). HDF5 stores it little-endian.
std::uint32_t fletcher32(std::span<const std::byte> bytes) noexcept;

}  // namespace mog::io::h5
