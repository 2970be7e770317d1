// The first bytes are read without HDF5: what the library would take for granted there (sizes of addresses,
// the base, the end of the file) decides what every other number means. A recording's end must be the size
// of the file, to the byte: that finds a copy that was cut short, and a file that was still open when it was
// copied (its flag). Files of other programs may be longer than they say, and may be of the old versions,
// whose fields lie elsewhere.
//
// HDF5 would also search at 512, 1024, 2048 … for a signature behind foreign bytes. Such a file is refused,
// and only then is the search done, to say so.
#include <fmt/format.h>

#include <array>
#include <cstring>

#include "io/hdf5/check/structure_check.h"
#include "io/hdf5/file/hdf5_error.h"
#include "io/text/file_kind.h"
#include "io/text/input_file.h"

namespace mog::io {
namespace {

constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
constexpr std::size_t kSuperblockBytes = 48;
constexpr std::size_t kOldSuperblockBytes = 96;  // versions 0 and 1, with the entry of the root group

std::uint64_t number_at(const std::string& bytes, std::size_t at) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

[[noreturn]] void refuse_signature(const InputFile& file, const std::string& head) {
  // HDF5 looks for its signature at 512, 1024, 2048 … too: behind somebody else's data.
  for (std::uint64_t at = 512; at + kSignature.size() <= file.size_bytes() && at <= (1U << 20U); at *= 2) {
    std::array<std::byte, 8> bytes{};
    file.read_at(at, bytes);
    if (std::memcmp(bytes.data(), kSignature.data(), kSignature.size()) == 0) {
      h5::throw_format(file.path(), "",
                       fmt::format("HDF5 behind a user block of {} bytes; there must be none", at));
    }
  }
  const std::string guess = looks_like(head);
  h5::throw_format(
      file.path(), "",
      fmt::format("no HDF5 file: the signature is missing{}{}", guess.empty() ? "" : "; ", guess));
}

std::string signed_head(const InputFile& file) {
  if (file.size_bytes() == 0) {
    h5::throw_format(file.path(), "", "the file is empty");
  }
  std::string head(static_cast<std::size_t>(std::min<std::uint64_t>(file.size_bytes(), 512)), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(head)));
  if (!head.starts_with(kSignature)) {
    refuse_signature(file, head);
  }
  if (head.size() < kSuperblockBytes) {
    h5::throw_format(file.path(), "",
                     fmt::format("cut short: {} bytes are less than a superblock", file.size_bytes()));
  }
  return head;
}

}  // namespace

void check_superblock(const std::filesystem::path& path, std::uint64_t& file_bytes) {
  const InputFile file = InputFile::open(path, "the recording");
  file_bytes = file.size_bytes();
  const std::string head = signed_head(file);
  const int version = static_cast<unsigned char>(head[8]);
  if (version != 2 && version != 3) {
    h5::throw_format(path, "",
                     fmt::format("superblock version {}; recordings are written in the newest HDF5 format, "
                                 "version 2 or 3: the file is damaged or no recording",
                                 version));
  }
  if (head[9] != 8 || head[10] != 8 || number_at(head, 12) != 0) {
    h5::throw_format(path, "",
                     "the superblock is damaged: offsets and lengths must have 8 bytes, the base be 0");
  }
  if (head[11] != 0) {
    h5::throw_format(path, "",
                     "the program that wrote it has not closed it; its tables are not all in the file");
  }
  const std::uint64_t declared = number_at(head, 28);
  if (declared != file_bytes) {
    h5::throw_format(path, "",
                     fmt::format("{}: the file has {} bytes, its superblock says {}",
                                 file_bytes < declared ? "cut short" : "damaged", file_bytes, declared));
  }
  if (number_at(head, 36) >= file_bytes) {
    h5::throw_format(path, "", "the superblock is damaged: the root group lies outside the file");
  }
}

void check_import_superblock(const std::filesystem::path& path, std::uint64_t& file_bytes) {
  const InputFile file = InputFile::open(path, "the file");
  file_bytes = file.size_bytes();
  const std::string head = signed_head(file);
  const int version = static_cast<unsigned char>(head[8]);
  if (version > 3) {
    h5::throw_format(path, "",
                     fmt::format("superblock version {}; known are 0 to 3: the file is damaged, or "
                                 "written for a newer HDF5 (h5py: leave out libver=\"latest\")",
                                 version));
  }
  const bool old = version < 2;
  const std::size_t sizes = old ? 13 : 9;
  const std::size_t base = version == 0 ? 24 : version == 1 ? 28 : 12;
  if (old && head.size() < kOldSuperblockBytes) {
    h5::throw_format(path, "", fmt::format("cut short: {} bytes are less than a superblock", file_bytes));
  }
  if (head[sizes] != 8 || head[sizes + 1] != 8 || number_at(head, base) != 0) {
    h5::throw_format(path, "",
                     "the superblock is damaged: offsets and lengths must have 8 bytes, the base be 0");
  }
  if (!old && head[11] != 0) {
    h5::throw_format(path, "",
                     "the program that wrote it has not closed it; its tables are not all in the file");
  }
  if (const std::uint64_t declared = number_at(head, base + 16); declared > file_bytes) {
    h5::throw_format(
        path, "",
        fmt::format("cut short: the file has {} bytes, its superblock says {}", file_bytes, declared));
  }
}

}  // namespace mog::io
