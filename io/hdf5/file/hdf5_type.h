// Element types: ours and HDF5's. Files hold little-endian IEEE and two's complement numbers only.
#pragma once

#include <optional>
#include <string>

#include "io/hdf5/file/hdf5_handle.h"
#include "io/recording/host_tensor.h"

namespace mog::io::h5 {

// The type in the file, which is the type in memory: HDF5 never converts. float16 is laid out as NumPy's.
// There is none for bfloat16: throws UsageError.
Type type_of(DType dtype);
// Nothing when the type is none that a recording may hold.
std::optional<DType> dtype_of(hid_t type);
// int8 and other types that only describe: "big-endian 4-byte float", "variable-length string" …
std::string describe_type(hid_t type);
// UTF-8, zero-padded, `bytes` long.
Type fixed_string(std::size_t bytes);

}  // namespace mog::io::h5
