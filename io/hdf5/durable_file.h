// Files that are whole or absent: flushed to the disk, then renamed to their final name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace mog::io {

// The error of a failed system call: lack of space (ENOSPC, EDQUOT, EFBIG) with `needed` and free bytes, or
// any other cause. `action` is what was attempted: "writing", "creating". Always throws StorageError.
[[noreturn]] void throw_storage_error(std::string_view action, const std::filesystem::path& path,
                                      int error_number, std::uint64_t needed = 0);

// An owned file descriptor.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  // Opens with O_CLOEXEC; throws StorageError.
  FileDescriptor(std::filesystem::path path, int flags, unsigned mode = 0666);
  FileDescriptor(FileDescriptor&& other) noexcept;
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor();

  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  const std::filesystem::path& path() const noexcept { return path_; }
  // Writes everything, whatever the kernel takes at a time.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  void sync();   // data and size
  void close();  // throws what close(2) reports

 private:
  std::filesystem::path path_;
  int fd_ = -1;
};

// Flushes a directory's entries.
void sync_directory(const std::filesystem::path& directory);

// Removes an unfinished file and gives its blocks back at once, even where HDF5 still has it open. Never
// fails loudly.
void remove_part(const std::filesystem::path& part) noexcept;
// A finished file under its final name: fsync → rename → fsync of the directory.
void publish(const std::filesystem::path& part, const std::filesystem::path& final_path);
// Makes sure that `bytes` can be written to `path`, which is created for it. Throws StorageError (no_space).
void reserve(const std::filesystem::path& path, std::uint64_t bytes);

}  // namespace mog::io
