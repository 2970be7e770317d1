// A file written beside its place and renamed when complete: a reader never sees half of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace mog::io {

// "NAME.part-PID-…" in the same folder: of no other program, also not of one on another machine that shares
// the folder.
std::filesystem::path unfinished_name(const std::filesystem::path& path);

// What a link in the place of the finished file means. In a folder that the program fills by itself nobody is
// asked to put one: it is replaced. Where a person named the file, what it leads to is written: /dev/stdout.
enum class Links : std::uint8_t { replace, follow };

// Not thread-safe. The temporary neighbour is removed unless commit() was reached.
class OutputFile {
 public:
  // Creates unfinished_name(path), always a new file; of a link to be followed, beside what it leads to. With
  // `follow` a device or a pipe (/dev/null) is written as it is. Throws StorageError when the folder is
  // missing or not writable.
  explicit OutputFile(std::filesystem::path path, Links links = Links::replace);
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

// Removes what killed programs left of writing `path`: unfinished files that no program has open. What cannot
// be removed stays; nothing is thrown.
void remove_unfinished(const std::filesystem::path& path) noexcept;

void write_file(const std::filesystem::path& path, std::string_view bytes, Links links = Links::replace);

}  // namespace mog::io
