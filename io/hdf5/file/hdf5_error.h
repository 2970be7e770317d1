// HDF5's error stack as errors of ours.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace mog::io::h5 {

// The innermost messages of the current error stack in one line, and the number of the failed system call
// (0: none).
struct Failure {
  std::string text;
  int error_number = 0;
};
Failure take_failure();

// A file that is not what it should be: "reading FILE: DATASET: what (HDF5: …)". Throws FormatError.
[[noreturn]] void throw_format(const std::filesystem::path& file, std::string_view object,
                               std::string_view what);
// As above, with the error stack's words; StorageError where the disk failed, or a server of files.
[[noreturn]] void throw_read_failure(const std::filesystem::path& file, std::string_view object,
                                     std::string_view what);
// Writing failed: StorageError, no_space where the system call says so.
[[noreturn]] void throw_write_failure(const std::filesystem::path& file, std::string_view object);

}  // namespace mog::io::h5
