// The loader's work: an HDF5 file that some other program wrote, taken apart into frames. Runs in the process
// mog-loader only: HDF5 can be brought down by a file made for that.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "io/hdf5/import/import_frame.h"

namespace mog::io {

// Sends hello, attributes, the plan, and the sentences from index `first` on. `opened` is called when the
// file is open, before its tables are read: from then on no other file is needed. Memory: one row block of
// one map (4 MiB), HDF5's caches, and the table of the datasets. Throws FormatError (nothing more is sent
// then), UsageError when there is no such file or it is a recording already.
void send_import(const std::filesystem::path& file, std::int64_t first, ImportWriter& out,
                 const std::function<void()>& opened);

}  // namespace mog::io
