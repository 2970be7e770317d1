// A file opened for reading: never blocks on a pipe, never takes a directory or a device for data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mog::io {

// Move-only owner of a file descriptor.
class InputFile {
 public:
  // Regular files only; symbolic links are followed. `what` names the role in messages ("the corpus").
  // Throws UsageError when there is no such file, FormatError for a directory, pipe, socket or device,
  // StorageError when it cannot be opened.
  static InputFile open(const std::filesystem::path& path, const std::string& what);
  // The same, but "-" is standard input, which may be a pipe.
  static InputFile open_or_stdin(const std::filesystem::path& path, const std::string& what);

  // A file that is open already and stays the caller's; `path` is for messages. Throws FormatError unless it
  // is a regular one.
  static InputFile of_descriptor(int descriptor, const std::filesystem::path& path);

  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  const std::filesystem::path& path() const noexcept { return path_; }
  int descriptor() const noexcept { return descriptor_; }
  // Bytes when it was opened; 0 for standard input that is no regular file.
  std::uint64_t size_bytes() const noexcept { return size_bytes_; }
  // From now on read() gives the bytes [begin, end) and nothing else; it throws FormatError where the file
  // ends before `end`. Of a regular file.
  void keep_to(std::uint64_t begin, std::uint64_t end);
  // Fills `into` as far as the stream goes and returns the number of bytes; 0 at the end.
  std::size_t read(std::span<std::byte> into);
  // Reads exactly into.size() bytes at `offset`; throws FormatError when the file is shorter.
  void read_at(std::uint64_t offset, std::span<std::byte> into) const;

 private:
  InputFile(int descriptor, std::filesystem::path path, std::uint64_t size_bytes, bool owned);
  void close() noexcept;
  int descriptor_ = -1;
  std::filesystem::path path_;
  std::uint64_t size_bytes_ = 0;
  bool owned_ = true;
  std::optional<std::uint64_t> left_;  // bytes that read() may still give
};

// The whole file as bytes; throws FormatError when it is larger than `limit_bytes`.
std::string read_file(const std::filesystem::path& path, const std::string& what, std::uint64_t limit_bytes);

}  // namespace mog::io
