// libzip opens a file by its directory alone: names twice, local headers that say something else, wrong CRCs
// of entries that nobody reads pass it. Each of these makes two readers see two different models in one file,
// so this one compares everything that a zip says twice. Only inflating is zlib's.
#include "io/checkpoint/zip_reader.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "io/checkpoint/plain_weights.h"
#include "io/checkpoint/printable.h"
#include "io/recording/errors.h"

namespace mog::io {
namespace {

constexpr std::uint32_t kLocal = 0x04034B50;
constexpr std::uint32_t kCentral = 0x02014B50;
constexpr std::uint32_t kEnd = 0x06054B50;
constexpr std::uint32_t kEnd64 = 0x06064B50;
constexpr std::uint32_t kLocator64 = 0x07064B50;
constexpr std::size_t kLocalBytes = 30;
constexpr std::size_t kCentralBytes = 46;
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kEnd64Bytes = 56;
constexpr std::size_t kLocatorBytes = 20;
constexpr std::uint64_t kMaxEntries = 200'000;
constexpr std::uint64_t kMaxDirectory = std::uint64_t{64} << 20U;
constexpr std::size_t kBlock = std::size_t{1} << 20U;
constexpr std::uint16_t kStored = 0;
constexpr std::uint16_t kDeflated = 8;
constexpr std::uint16_t kEncrypted = 1U | 1U << 6U | 1U << 13U;
constexpr std::uint16_t kSizesFollow = 1U << 3U;  // sizes and CRC may be zero in the local header

std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) {
    value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}
std::uint16_t u16(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint16_t>(number(bytes, at, 2));
}
std::uint32_t u32(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint32_t>(number(bytes, at, 4));
}

std::string read_bytes(const InputFile& file, std::uint64_t at, std::uint64_t size) {
  std::string bytes(static_cast<std::size_t>(size), '\0');
  file.read_at(at, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

// The body of the zip64 field of `extra`; empty where there is none or the fields do not fit each other.
std::string_view extra_64(std::string_view extra) {
  while (extra.size() >= 4) {
    const std::size_t size = u16(extra, 2);
    if (size > extra.size() - 4) {
      break;
    }
    if (u16(extra, 0) == 1) {
      return extra.substr(4, size);
    }
    extra.remove_prefix(4 + size);
  }
  return {};
}

// Numbers that are all ones in a header stand in the zip64 field, one after the other. False: it is too
// short.
bool widen(std::string_view field, std::initializer_list<std::uint64_t*> numbers) {
  for (std::uint64_t* const value : numbers) {
    if (*value == 0xFFFFFFFF) {
      if (field.size() < 8) {
        return false;
      }
      *value = number(field, 0, 8);
      field.remove_prefix(8);
    }
  }
  return true;
}

}  // namespace

ZipReader::ZipReader(const InputFile& file) : file_(file) {
  const Directory directory = find_directory();
  read_directory(directory);
  for (ZipEntry& entry : entries_) {
    check_local(entry, directory.offset);
  }
  check_places(directory.offset);
}

void ZipReader::refuse(const std::string& defect) const {
  throw FormatError(fmt::format("{}: zip archive: {}", file_.path().string(), defect));
}

void ZipReader::refuse(const ZipEntry& entry, const std::string& defect) const {
  refuse(fmt::format("entry {}: {}", printable(entry.name), defect));
}

const ZipEntry* ZipReader::find(std::string_view name) const noexcept {
  const auto at = places_.find(name);
  return at == places_.end() ? nullptr : &entries_[at->second];
}

// The end of the directory is the end of the file, but for a comment whose length it gives.
ZipReader::Directory ZipReader::find_directory() const {
  const std::uint64_t size = file_.size_bytes();
  const std::uint64_t tail = std::min<std::uint64_t>(size, kEndBytes + 0xFFFF);
  const std::string bytes = read_bytes(file_, size - tail, tail);
  std::size_t found = std::string::npos;
  for (std::size_t at = 0; at + kEndBytes <= bytes.size(); ++at) {
    if (bytes[at] == 'P' && u32(bytes, at) == kEnd && at + kEndBytes + u16(bytes, at + 20) == bytes.size()) {
      if (found != std::string::npos) {
        refuse("it has two ends of the directory");
      }
      found = at;
    }
  }
  if (found == std::string::npos) {
    refuse("it is truncated: it has no end of the directory");
  }
  const std::uint64_t end = size - tail + found;
  Directory directory{u32(bytes, found + 16), u32(bytes, found + 12), u16(bytes, found + 10)};
  if (u16(bytes, found + 4) != 0 || u16(bytes, found + 6) != 0 ||
      u16(bytes, found + 8) != directory.entries) {
    refuse("it is one of several parts");
  }
  std::uint64_t directory_end = end;
  if (end >= kLocatorBytes + kEnd64Bytes) {
    const std::string locator = read_bytes(file_, end - kLocatorBytes, kLocatorBytes);
    if (u32(locator, 0) == kLocator64) {
      directory_end = number(locator, 8, 8);
      if (u32(locator, 4) != 0 || u32(locator, 16) != 1 ||
          directory_end > end - kLocatorBytes - kEnd64Bytes) {
        refuse("its zip64 locator leads nowhere");
      }
      directory = directory_64(directory_end, directory);
    }
  }
  if (directory.size_bytes > directory_end || directory.offset != directory_end - directory.size_bytes) {
    refuse(
        fmt::format("its directory of {} bytes at byte {} does not end where it should, at byte {}; the file "
                    "is truncated or put together",
                    directory.size_bytes, directory.offset, directory_end));
  }
  if (directory.size_bytes > kMaxDirectory || directory.entries > kMaxEntries ||
      directory.entries > directory.size_bytes / kCentralBytes) {
    refuse(
        fmt::format("its directory of {} bytes claims {} entries", directory.size_bytes, directory.entries));
  }
  return directory;
}

ZipReader::Directory ZipReader::directory_64(std::uint64_t end, Directory small) const {
  const std::string bytes = read_bytes(file_, end, kEnd64Bytes);
  if (u32(bytes, 0) != kEnd64 || u32(bytes, 16) != 0 || u32(bytes, 20) != 0 ||
      number(bytes, 24, 8) != number(bytes, 32, 8)) {
    refuse("its zip64 end of the directory is damaged");
  }
  const Directory large{number(bytes, 48, 8), number(bytes, 40, 8), number(bytes, 32, 8)};
  if ((small.offset != 0xFFFFFFFF && small.offset != large.offset) ||
      (small.size_bytes != 0xFFFFFFFF && small.size_bytes != large.size_bytes) ||
      (small.entries != 0xFFFF && small.entries != large.entries)) {
    refuse("its two ends of the directory say different things");
  }
  return large;
}

void ZipReader::read_directory(const Directory& directory) {
  const std::string bytes = read_bytes(file_, directory.offset, directory.size_bytes);
  std::string_view rest = bytes;
  entries_.reserve(static_cast<std::size_t>(directory.entries));
  std::uint64_t total = 0;
  const std::uint64_t limit = values_limit(file_.size_bytes(), WeightsFormat::torch);
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    if (rest.size() < kCentralBytes || u32(rest, 0) != kCentral) {
      refuse(fmt::format("entry {} of its directory is damaged", i + 1));
    }
    const std::size_t name_size = u16(rest, 28);
    const std::size_t extra_size = u16(rest, 30);
    const std::size_t all = kCentralBytes + name_size + extra_size + u16(rest, 32);
    if (all > rest.size()) {
      refuse(fmt::format("entry {} of its directory ends behind the directory", i + 1));
    }
    ZipEntry entry;
    entry.name = rest.substr(kCentralBytes, name_size);
    check_name(entry);
    entry.crc = u32(rest, 16);
    entry.packed_bytes = u32(rest, 20);
    entry.size_bytes = u32(rest, 24);
    entry.header = u32(rest, 42);
    const std::uint16_t method = u16(rest, 10);
    if ((u16(rest, 8) & kEncrypted) != 0) {
      refuse(entry, "it is encrypted");
    }
    if (method != kStored && method != kDeflated) {
      refuse(entry, fmt::format("compression method {}, known are stored and deflated", method));
    }
    entry.deflated = method == kDeflated;
    if ((u32(rest, 38) >> 16U & 0xF000U) == 0xA000U) {
      refuse(entry, "it is a symbolic link");
    }
    if (!widen(extra_64(rest.substr(kCentralBytes + name_size, extra_size)),
               {&entry.size_bytes, &entry.packed_bytes, &entry.header})) {
      refuse(entry, "its zip64 field is damaged");
    }
    if (entry.packed_bytes > file_.size_bytes() ||
        (!entry.deflated && entry.packed_bytes != entry.size_bytes)) {
      refuse(entry, fmt::format("{} bytes, packed {}, in a file of {}", entry.size_bytes, entry.packed_bytes,
                                file_.size_bytes()));
    }
    if (entry.size_bytes > limit || (total += entry.size_bytes) > limit) {
      refuse(entry,
             fmt::format("it grows to {} bytes; all entries together may have {}, four times the file and "
                         "64 MiB",
                         entry.size_bytes, limit));
    }
    if (!places_.try_emplace(entry.name, entries_.size()).second) {
      refuse(entry, "its name is there twice");
    }
    entries_.push_back(std::move(entry));
    rest.remove_prefix(all);
  }
  if (!rest.empty()) {
    refuse(fmt::format("{} bytes are left over in its directory", rest.size()));
  }
}

void ZipReader::check_name(const ZipEntry& entry) const {
  const std::string& name = entry.name;
  if (name.empty() || name.front() == '/' || name.find('\0') != std::string::npos ||
      name.find('\\') != std::string::npos || ("/" + name + "/").find("/../") != std::string::npos) {
    refuse(entry, "such a name could lead out of the archive");
  }
}

void ZipReader::check_local(ZipEntry& entry, std::uint64_t directory) const {
  if (entry.header > directory || directory - entry.header < kLocalBytes) {
    refuse(entry, fmt::format("its header at byte {} would lie behind the end of the data", entry.header));
  }
  const std::string head = read_bytes(file_, entry.header, kLocalBytes);
  if (u32(head, 0) != kLocal) {
    refuse(entry, fmt::format("there is no header at byte {}", entry.header));
  }
  const std::uint64_t name_size = u16(head, 26);
  const std::uint64_t extra_size = u16(head, 28);
  entry.data = entry.header + kLocalBytes + name_size + extra_size;
  if (entry.data > directory || entry.packed_bytes > directory - entry.data) {
    refuse(entry, fmt::format("its {} bytes would end behind the end of the data", entry.packed_bytes));
  }
  const std::string names = read_bytes(file_, entry.header + kLocalBytes, name_size + extra_size);
  const std::string_view local_name = std::string_view(names).substr(0, static_cast<std::size_t>(name_size));
  if (local_name != entry.name) {
    refuse(entry, fmt::format("its header calls it {}", printable(local_name)));
  }
  std::uint64_t size = u32(head, 22);
  std::uint64_t packed = u32(head, 18);
  const bool later = (u16(head, 6) & kSizesFollow) != 0;
  const bool known = widen(extra_64(std::string_view(names).substr(local_name.size())), {&size, &packed});
  const auto agrees = [&](std::uint64_t local, std::uint64_t central) {
    return local == central || (later && (local == 0 || !known));
  };
  if ((u16(head, 6) & kEncrypted) != 0 || u16(head, 8) != (entry.deflated ? kDeflated : kStored) ||
      !agrees(u32(head, 14), entry.crc) || !agrees(size, entry.size_bytes) ||
      !agrees(packed, entry.packed_bytes)) {
    refuse(entry, "its header and the directory say different things");
  }
}

// Entries lie one after the other before the directory; the file begins with the first.
void ZipReader::check_places(std::uint64_t directory) const {
  std::vector<const ZipEntry*> order;
  for (const ZipEntry& entry : entries_) {
    order.push_back(&entry);
  }
  std::sort(order.begin(), order.end(),
            [](const ZipEntry* left, const ZipEntry* right) { return left->header < right->header; });
  std::uint64_t due = 0;
  for (const ZipEntry* const entry : order) {
    if (entry->header < due) {
      refuse(*entry, "it overlaps another entry");
    }
    if (due == 0 && entry->header != 0) {
      refuse(*entry, "other bytes lie before the first entry");
    }
    due = entry->data + entry->packed_bytes;
  }
  if (due > directory) {
    refuse("its last entry ends behind the directory");
  }
}

void ZipReader::read(const ZipEntry& entry, const Block& block) const {
  uLong crc = ::crc32(0, nullptr, 0);
  const Block checked = [&](std::uint64_t offset, std::span<const std::byte> bytes) {
    crc = ::crc32(crc, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size()));
    block(offset, bytes);
  };
  if (entry.deflated) {
    inflate(entry, checked);
  } else {
    const auto buffer = std::make_unique_for_overwrite<std::byte[]>(
        static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, entry.size_bytes)));
    for (std::uint64_t at = 0; at < entry.size_bytes;) {
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, entry.size_bytes - at));
      file_.read_at(entry.data + at, {buffer.get(), size});
      checked(at, {buffer.get(), size});
      at += size;
    }
  }
  if (crc != entry.crc) {
    refuse(entry, "its CRC is wrong: the file is damaged");
  }
}

void ZipReader::inflate(const ZipEntry& entry, const Block& block) const {
  z_stream stream = {};
  if (::inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
    throw StorageError(fmt::format("{}: entry {}: inflating: no memory", file_.path().string(), entry.name));
  }
  const std::unique_ptr<z_stream, decltype(&::inflateEnd)> owner(&stream, &::inflateEnd);
  std::vector<std::byte> from(kBlock / 4);
  std::vector<std::byte> to(kBlock);
  std::uint64_t taken = 0;
  std::uint64_t given = 0;
  std::size_t filled = 0;
  int state = Z_OK;
  while (state == Z_OK) {
    if (stream.avail_in == 0 && taken < entry.packed_bytes) {
      const auto size =
          static_cast<std::size_t>(std::min<std::uint64_t>(from.size(), entry.packed_bytes - taken));
      file_.read_at(entry.data + taken, std::span(from).first(size));
      taken += size;
      stream.next_in = reinterpret_cast<Bytef*>(from.data());
      stream.avail_in = static_cast<uInt>(size);
    }
    stream.next_out = reinterpret_cast<Bytef*>(to.data() + filled);
    stream.avail_out = static_cast<uInt>(to.size() - filled);
    state = ::inflate(&stream, Z_NO_FLUSH);
    filled = to.size() - stream.avail_out;
    if (filled > entry.size_bytes - given) {
      refuse(entry, fmt::format("it grows to more than the {} bytes that it declares", entry.size_bytes));
    }
    // Whole blocks, so that no element of a tensor lies in two of them.
    if (filled == to.size() || state == Z_STREAM_END) {
      block(given, std::span<const std::byte>(to).first(filled));
      given += filled;
      filled = 0;
    }
  }
  if (state != Z_STREAM_END || stream.avail_in != 0 || taken != entry.packed_bytes ||
      given != entry.size_bytes) {
    refuse(entry, fmt::format("its {} compressed bytes are damaged", entry.packed_bytes));
  }
}

std::string ZipReader::read(const ZipEntry& entry, std::uint64_t limit_bytes) const {
  if (entry.size_bytes > limit_bytes) {
    refuse(entry, fmt::format("{} bytes, at most {} are expected", entry.size_bytes, limit_bytes));
  }
  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(entry.size_bytes));
  read(entry, [&](std::uint64_t, std::span<const std::byte> block) {
    bytes.append(reinterpret_cast<const char*>(block.data()), block.size());
  });
  return bytes;
}

}  // namespace mog::io
