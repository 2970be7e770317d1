// A zip archive of weights, read strictly: what its directory and its local headers say must agree.
//
// Refused: names twice, encryption, methods other than stored and deflated, links, names that leave the
// archive, entries that overlap or end outside the file, wrong CRCs, entries that grow to more than the
// reader may take (4 times the file and 64 MiB), two ends of directory. Nothing is written to disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/text/input_file.h"

namespace mog::io {

struct ZipEntry {
  std::string name;
  bool deflated = false;
  std::uint32_t crc = 0;
  std::uint64_t packed_bytes = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t header = 0;  // place of its local header
  std::uint64_t data = 0;    // place of its bytes
};

class ZipReader {
 public:
  // Borrows `file`. Throws FormatError; a file that was cut is called truncated.
  explicit ZipReader(const InputFile& file);

  const std::vector<ZipEntry>& entries() const noexcept { return entries_; }  // in the order of the file
  const ZipEntry* find(std::string_view name) const noexcept;

  // All bytes of an entry in blocks of at most 1 MiB, each at its offset in the entry; the CRC is checked
  // after the last one. Throws FormatError.
  using Block = std::function<void(std::uint64_t offset, std::span<const std::byte> bytes)>;
  void read(const ZipEntry& entry, const Block& block) const;
  // The whole entry, at most `limit_bytes`.
  std::string read(const ZipEntry& entry, std::uint64_t limit_bytes) const;

 private:
  struct Directory {
    std::uint64_t offset = 0;
    std::uint64_t size_bytes = 0;
    std::uint64_t entries = 0;
  };
  [[noreturn]] void refuse(const std::string& defect) const;
  [[noreturn]] void refuse(const ZipEntry& entry, const std::string& defect) const;
  Directory find_directory() const;
  Directory directory_64(std::uint64_t end, Directory small) const;
  void read_directory(const Directory& directory);
  void check_name(const ZipEntry& entry) const;
  void check_local(ZipEntry& entry, std::uint64_t directory) const;
  void check_places(std::uint64_t directory) const;
  void inflate(const ZipEntry& entry, const Block& block) const;

  const InputFile& file_;
  std::vector<ZipEntry> entries_;
  std::map<std::string, std::size_t, std::less<>> places_;
};

}  // namespace mog::io
