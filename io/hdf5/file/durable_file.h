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

// What stands under a name; not_found where nothing does. look_at() does not follow a link. They throw
// StorageError where the system says neither: a disk or a server that is gone must not look like a file that
// is not there.
std::filesystem::file_status look_at(const std::filesystem::path& path);
std::filesystem::file_status look_behind(const std::filesystem::path& path);

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
  void sync() const;  // data and size
  // The same open file, with its place and its locks, as `path` in messages. Throws StorageError.
  FileDescriptor duplicated(std::filesystem::path path) const;
  void close();  // throws what close(2) reports

 private:
  std::filesystem::path path_;
  int fd_ = -1;
};

// Flushes a directory's entries.
void sync_directory(const std::filesystem::path& directory);

// An unfinished file, "NAME.part-…" beside the place of the finished one. It is always made new, so its name
// is never a link to something else, and all that happens to it happens through the descriptor. Unless
// publish() was reached it is removed and its blocks are given back at once, even where HDF5 still has it
// open.
class PartFile {
 public:
  explicit PartFile(std::filesystem::path final_path);  // throws StorageError
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  ~PartFile();

  const std::filesystem::path& path() const noexcept { return path_; }  // the final one
  const FileDescriptor& file() const noexcept { return file_; }
  // A name by which a library opens this very file, whoever may have changed the folder meanwhile.
  std::string open_name() const;
  // Makes sure that `bytes` can be written. Throws StorageError (no_space).
  void reserve(std::uint64_t bytes) const;
  std::uint64_t size_bytes() const;
  std::string sha256() const;  // of what it holds, 64 hexadecimal digits
  // fsync → rename to path() → fsync of the directory.
  void publish();

 private:
  bool still_named() const noexcept;
  std::filesystem::path path_;
  FileDescriptor file_;
  bool published_ = false;
};

}  // namespace mog::io
