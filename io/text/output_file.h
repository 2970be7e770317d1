// A file written beside its place and renamed when complete: a reader never sees half of it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace mog::io {

// Not thread-safe. The temporary neighbour is removed unless commit() was reached.
class OutputFile {
 public:
  // Creates "NAME.part-PID-…" in the same folder; of a link, beside what it leads to. A device or a pipe
  // (/dev/null, /dev/stdout) is written as it is. Throws StorageError when the folder is missing or not
  // writable.
  explicit OutputFile(std::filesystem::path path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  // Throws StorageError, Cause::no_space when the disk or the quota is full.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  // fsync, rename over `path`, fsync of the folder; nothing but closing for a device or a pipe.
  void commit();

 private:
  void flush();
  std::filesystem::path path_;
  std::filesystem::path temporary_;  // empty: `path_` is written as it is
  int descriptor_ = -1;
  std::string buffer_;
  bool committed_ = false;
};

void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace mog::io
