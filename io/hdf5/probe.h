// HDF5 believes metadata whose checksums hold. A file made to do harm can therefore crash it (HDF5 1.10.8
// does so on about 4 % of shards with one byte changed and the checksum put right). So a file is first opened
// in a child process with limits; this process opens it only when the child came back.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>

namespace mog::io {

struct ProbeLimits {
  std::chrono::seconds running{2};           // processor time
  std::chrono::milliseconds blocked{20000};  // neither running nor waiting for a processor
};

// Runs `action`, which reads `file`, in a forked child: within `limits` and 512 MB more memory. Returns when
// it succeeded there. Throws UsageError or FormatError with the words of the child's, StorageError when it
// was blocked for too long, FormatError saying that HDF5 failed for any other end. Costs about a millisecond.
// The lock of HDF5 is held while forking, so that the child can use it.
void probe(const std::filesystem::path& file, const std::function<void()>& action,
           const ProbeLimits& limits = {});

}  // namespace mog::io
