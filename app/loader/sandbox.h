// What the loader may still do: limits on memory, processor time and system calls.
#pragma once

#include <cstdint>
#include <string>

namespace mog::loader {

// Dies with its parent; no file above `last_descriptor` stays open.
void cut_off(int last_descriptor);

// Memory: 512 MB more than now (not under AddressSanitizer or ThreadSanitizer, whose shadow needs terabytes).
// and what the file takes on disk. Processor time: 3 s and one for each MiB of the file. No file may grow
// beyond `written_bytes`.
void limit_resources(std::uint64_t file_bytes, std::uint64_t written_bytes);

// From here on only the system calls that reading needs: no program is started, no connection made, no file
// opened for writing, no memory made executable; only descriptor 3 (the shared memory) is written at a place
// or given a size. Returns why not where the kernel refuses the filter (some containers do), else an empty
// string.
std::string restrict_system_calls();

// From here on no file is opened at all, nor asked for by its name. Does nothing where
// restrict_system_calls() could not; false where it could and this failed.
bool forbid_opening();

}  // namespace mog::loader
