// Archives that say one thing twice, and differently, or lead out of themselves: each refused by name. Sound
// ones of every kind that torch.save and others write are read.
#include "io/checkpoint/zip_reader.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/recording/errors.h"
#include "tests/support/weights_bytes.h"

namespace mog::io {
namespace {

using test::little_endian;
using test::MemoryFile;
using test::put;

constexpr std::uint64_t kWide = 0xFFFFFFFF;

// Numbers of an entry, as its local header or the directory gives them.
struct Header {
  std::string name;
  std::uint64_t flags = 0;
  std::uint64_t method = 0;
  std::uint64_t crc = 0;
  std::uint64_t packed = 0;
  std::uint64_t size = 0;
  std::string extra = {};

  void append_to(std::string& bytes) const {
    put(bytes, flags, 2);
    put(bytes, method, 2);
    put(bytes, 0, 4);
    put(bytes, crc, 4);
    put(bytes, packed, 4);
    put(bytes, size, 4);
    put(bytes, name.size(), 2);
    put(bytes, extra.size(), 2);
  }
};

struct Entry {
  Entry(const std::string& name, std::string given) : data(std::move(given)) {
    local.name = name;
    local.crc = test::crc_of(data);
    local.packed = local.size = data.size();
    central = local;
  }
  // The bytes of the entry, packed.
  static Entry deflated(const std::string& name, const std::string& given) {
    Entry entry(name, given);
    const std::string packed = test::deflated(given);
    entry.data = packed;
    for (Header* const header : {&entry.local, &entry.central}) {
      header->method = 8;
      header->packed = packed.size();
    }
    return entry;
  }

  std::string data;
  Header local;
  Header central;
  std::uint64_t attributes = 0;
  std::uint64_t local_mark = 0x04034B50;
  std::uint64_t central_mark = 0x02014B50;
  std::string comment = {};
  std::optional<std::uint64_t> comment_size = {};
  std::optional<std::uint64_t> place = {};  // that the directory gives
};

// A sound archive of two entries, part by part.
struct Archive {
  std::vector<Entry> entries = {Entry("a/one", "first"), Entry("a/two", "second")};
  std::string before = {};     // the first entry
  std::string gap = {};        // before the directory
  std::string left_over = {};  // in the directory
  bool wide = false;           // ends of zip64, too
  std::uint64_t disk = 0;
  std::optional<std::uint64_t> count = {};
  std::optional<std::uint64_t> size = {};
  std::optional<std::uint64_t> offset = {};
  std::uint64_t end64_mark = 0x06064B50;
  std::uint64_t end64_count = 0;  // more than there are, on this disk
  std::uint64_t locator_disk = 0;
  std::uint64_t locator_shift = 0;
  std::string comment = {};
  std::optional<std::uint64_t> comment_size = {};

  std::string bytes() const {
    std::string bytes = before;
    std::string directory;
    for (const Entry& entry : entries) {
      const std::uint64_t at = entry.place.value_or(bytes.size());
      put(bytes, entry.local_mark, 4);
      put(bytes, 20, 2);
      entry.local.append_to(bytes);
      bytes += entry.local.name + entry.local.extra + entry.data;
      put(directory, entry.central_mark, 4);
      put(directory, 20, 2);
      put(directory, 20, 2);
      entry.central.append_to(directory);
      put(directory, entry.comment_size.value_or(entry.comment.size()), 2);
      put(directory, 0, 4);
      put(directory, entry.attributes, 4);
      put(directory, at, 4);
      directory += entry.central.name + entry.central.extra + entry.comment;
    }
    bytes += gap;
    directory += left_over;
    const std::uint64_t begin = bytes.size();
    bytes += directory;
    if (wide) {
      const std::uint64_t end = bytes.size();
      put(bytes, end64_mark, 4);
      put(bytes, 44, 8);
      put(bytes, 0, 12);
      put(bytes, entries.size() + end64_count, 8);
      put(bytes, entries.size(), 8);
      put(bytes, directory.size(), 8);
      put(bytes, begin, 8);
      put(bytes, 0x07064B50, 4);
      put(bytes, locator_disk, 4);
      put(bytes, end + locator_shift, 8);
      put(bytes, 1, 4);
    }
    put(bytes, 0x06054B50, 4);
    put(bytes, disk, 4);
    put(bytes, count.value_or(wide ? 0xFFFF : entries.size()), 2);
    put(bytes, count.value_or(wide ? 0xFFFF : entries.size()), 2);
    put(bytes, size.value_or(wide ? kWide : directory.size()), 4);
    put(bytes, offset.value_or(wide ? kWide : begin), 4);
    put(bytes, comment_size.value_or(comment.size()), 2);
    return bytes + comment;
  }
};

std::string text(const ZipReader& zip, const std::string& name) {
  const ZipEntry* const entry = zip.find(name);
  return entry == nullptr ? "no such entry" : zip.read(*entry, 1U << 22U);
}

// All of the archive is read, or the message.
std::string refusal(const Archive& archive) {
  MemoryFile memory;
  const InputFile file = memory.holding(archive.bytes());
  try {
    const ZipReader zip(file);
    for (const ZipEntry& entry : zip.entries()) {
      zip.read(entry, 1U << 22U);
    }
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

struct Case {
  const char* words;
  std::function<void(Archive&)> change;
};

void expect_refused(const std::vector<Case>& cases) {
  for (const auto& [words, change] : cases) {
    Archive archive;
    change(archive);
    const std::string message = refusal(archive);
    EXPECT_NE(message.find(words), std::string::npos) << words << ": " << message;
    EXPECT_EQ(message.find("mutant: zip archive: "), 0U) << words << ": " << message;
  }
}

// Of both headers of the second entry.
Case of_both(const char* words, const std::function<void(Header&)>& change) {
  return {words, [change](Archive& archive) {
            change(archive.entries[1].local);
            change(archive.entries[1].central);
          }};
}

TEST(ZipReader, ReadsStoredAndDeflatedEntries) {
  Archive archive;
  std::string large;
  for (int i = 0; i < 300'000; ++i) {
    large += std::to_string(i);
  }
  archive.entries.push_back(Entry::deflated("a/large", large));
  archive.entries.push_back(Entry("a/empty", ""));
  archive.comment = "a comment";
  archive.entries[0].comment = "another";
  MemoryFile memory;
  const InputFile file = memory.holding(archive.bytes());
  const ZipReader zip(file);
  ASSERT_EQ(zip.entries().size(), 4U);
  EXPECT_EQ(text(zip, "a/one"), "first");
  EXPECT_EQ(text(zip, "a/two"), "second");
  EXPECT_EQ(text(zip, "a/large"), large);
  EXPECT_EQ(text(zip, "a/empty"), "");
  EXPECT_EQ(zip.find("a/three"), nullptr);
  EXPECT_THROW(zip.read(*zip.find("a/one"), 4), FormatError);
}

TEST(ZipReader, ReadsSizesThatFollowTheEntry) {
  Archive archive;
  Header& local = archive.entries[0].local;
  local.flags = 8;
  local.crc = local.packed = local.size = 0;
  archive.entries[0].central.flags = 8;
  EXPECT_EQ(refusal(archive), "");
}

TEST(ZipReader, ReadsTheWideForm) {
  Archive archive;
  archive.wide = true;
  Entry& entry = archive.entries[1];
  // A foreign field before the one of zip64.
  const std::string sizes = little_endian(0x7777, 2) + little_endian(1, 2) + "?" + little_endian(1, 2) +
                            little_endian(16, 2) + little_endian(6, 8) + little_endian(6, 8);
  for (Header* const header : {&entry.local, &entry.central}) {
    header->size = header->packed = kWide;
    header->extra = sizes;
  }
  EXPECT_EQ(refusal(archive), "");
  archive.count = 2;  // what fits may stand in the small end, too
  EXPECT_EQ(refusal(archive), "");
}

TEST(ZipReader, EndsOfTheDirectoryThatAreWrong) {
  expect_refused(
      {{"it is truncated: it has no end", [](Archive& archive) { archive.comment_size = 3; }},
       {"it has two ends",
        [](Archive& archive) { archive.comment = little_endian(0x06054B50, 4) + std::string(18, '\0'); }},
       {"it is one of several parts", [](Archive& archive) { archive.disk = 1; }},
       {"it is one of several parts", [](Archive& archive) { archive.disk = 1U << 16U; }},
       {"does not end where it should", [](Archive& archive) { archive.offset = 0; }},
       {"does not end where it should", [](Archive& archive) { archive.size = 1U << 30U; }},
       {"claims 999 entries", [](Archive& archive) { archive.count = 999; }},
       {"entry 2 of its directory is damaged",
        [](Archive& archive) { archive.entries[1].central_mark = 0x02014B51; }},
       {"bytes are left over in its directory", [](Archive& archive) { archive.count = 1; }},
       {"7 bytes are left over in its directory", [](Archive& archive) { archive.left_over = "surplus"; }},
       {"its zip64 locator leads nowhere",
        [](Archive& archive) {
          archive.wide = true;
          archive.locator_disk = 1;
        }},
       {"its zip64 locator leads nowhere",
        [](Archive& archive) {
          archive.wide = true;
          archive.locator_shift = 1;
        }},
       {"its zip64 end of the directory is damaged",
        [](Archive& archive) {
          archive.wide = true;
          archive.end64_mark = 1;
        }},
       {"its zip64 end of the directory is damaged",
        [](Archive& archive) {
          archive.wide = true;
          archive.end64_count = 1;
        }},
       {"its two ends of the directory say different things",
        [](Archive& archive) {
          archive.wide = true;
          archive.count = 3;
        }},
       {"its two ends of the directory say different things",
        [](Archive& archive) {
          archive.wide = true;
          archive.size = 3;
        }},
       {"its two ends of the directory say different things", [](Archive& archive) {
          archive.wide = true;
          archive.offset = 3;
        }}});
}

TEST(ZipReader, EntriesThatAreWrong) {
  expect_refused(
      {of_both("such a name could lead out", [](Header& header) { header.name = "/etc/passwd"; }),
       of_both("such a name could lead out", [](Header& header) { header.name = ""; }),
       of_both("such a name could lead out", [](Header& header) { header.name = "a/../../b"; }),
       of_both("such a name could lead out", [](Header& header) { header.name = "a\\b"; }),
       of_both("such a name could lead out", [](Header& header) { header.name = std::string("a\0b", 3); }),
       of_both("entry a/one: its name is there twice", [](Header& header) { header.name = "a/one"; }),
       of_both("it is encrypted", [](Header& header) { header.flags = 1; }),
       of_both("compression method 12", [](Header& header) { header.method = 12; }),
       of_both("its zip64 field is damaged", [](Header& header) { header.size = kWide; }),
       of_both("its zip64 field is damaged",
               [](Header& header) {
                 header.size = header.packed = kWide;
                 header.extra = little_endian(1, 2) + little_endian(8, 2) + little_endian(6, 8);
               }),
       of_both("its zip64 field is damaged",
               [](Header& header) {
                 header.size = kWide;
                 header.extra = little_endian(1, 2) + little_endian(80, 2) + little_endian(6, 8);
               }),
       of_both("7 bytes, packed 6", [](Header& header) { header.size = 7; }),
       of_both("packed 99999", [](Header& header) { header.size = header.packed = 99'999; }),
       of_both("it grows to",
               [](Header& header) {
                 header.method = 8;
                 header.size = 1U << 30U;
               }),
       of_both("its 100 bytes would end behind the end of the data",
               [](Header& header) { header.size = header.packed = 100; }),
       of_both("its CRC is wrong", [](Header& header) { header.crc ^= 1U; }),
       {"it is a symbolic link", [](Archive& archive) { archive.entries[0].attributes = 0xA1FF0000; }},
       {"entry 2 of its directory ends behind the directory",
        [](Archive& archive) { archive.entries[1].comment_size = 9; }}});
}

TEST(ZipReader, HeadersThatContradictTheDirectory) {
  expect_refused(
      {{"there is no header at byte", [](Archive& archive) { archive.entries[1].local_mark = 7; }},
       {"would lie behind the end of the data", [](Archive& archive) { archive.entries[1].place = 80; }},
       {"would lie behind the end of the data", [](Archive& archive) { archive.entries[1].place = 9'999; }},
       {"its header calls it a/tow", [](Archive& archive) { archive.entries[1].local.name = "a/tow"; }},
       {"say different things", [](Archive& archive) { archive.entries[1].local.crc ^= 1U; }},
       {"say different things", [](Archive& archive) { archive.entries[1].local.size = 5; }},
       {"say different things", [](Archive& archive) { archive.entries[1].local.packed = 5; }},
       {"say different things", [](Archive& archive) { archive.entries[1].local.method = 8; }},
       {"say different things", [](Archive& archive) { archive.entries[1].local.flags = 1; }},

       {"other bytes lie before the first entry", [](Archive& archive) { archive.before = "MZ"; }},
       {"it overlaps another entry", [](Archive& archive) {
          archive.entries[1].local.name = archive.entries[1].central.name = "a/one2";
          archive.entries[0].data = "first";
          // The first entry claims what the second has, too.
          for (Header* const header : {&archive.entries[0].local, &archive.entries[0].central}) {
            header->size = header->packed = 30;
          }
        }}});
}

TEST(ZipReader, DeflatedBytesThatAreDamaged) {
  const std::string said(2'000, 'x');
  const auto with = [&](const std::function<void(Entry&)>& change) {
    return [&said, change](Archive& archive) {
      archive.entries.push_back(Entry::deflated("a/deflated", said));
      change(archive.entries.back());
    };
  };
  const auto both = [](Entry& entry, std::uint64_t Header::*member, std::uint64_t value) {
    entry.local.*member = value;
    entry.central.*member = value;
  };
  expect_refused(
      {{"it grows to more than the 1999 bytes that it declares",
        with([&](Entry& entry) { both(entry, &Header::size, 1'999); })},
       {"compressed bytes are damaged", with([&](Entry& entry) { both(entry, &Header::size, 2'001); })},
       {"compressed bytes are damaged", with([&](Entry& entry) {
          entry.data.front() = '\x07';  // a block of no known kind
        })},
       {"compressed bytes are damaged", with([&](Entry& entry) {
          entry.data += "more";
          both(entry, &Header::packed, entry.data.size());
        })},
       {"compressed bytes are damaged", with([&](Entry& entry) {
          entry.data.pop_back();
          both(entry, &Header::packed, entry.data.size());
        })}});
}

}  // namespace
}  // namespace mog::io
