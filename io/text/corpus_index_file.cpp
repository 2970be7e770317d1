// The file of a corpus index, little-endian:
//
//   bytes  what
//   8      "mogindex"
//   4      version, 1
//   4      0: lines, 1: trees
//   8      sentences from one mark to the next
//   8      bytes of the corpus
//   8      its time of change, in ns since 1970
//   8      sentences
//   64     SHA-256 of its first and last 64 KiB, hexadecimal
//   64     SHA-256 of the corpus
//   16 n   marks: byte, line; n = sentences / every, rounded up
//   64     SHA-256 of all before
//
// The size follows from the head, so it is compared before anything is reserved. The sum finds damage; what
// somebody wrote on purpose can name wrong places, and is found out or refused where they are read.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "io/recording/errors.h"
#include "io/text/corpus_index.h"
#include "io/text/input_file.h"
#include "io/text/output_file.h"
#include "io/text/sha256.h"

namespace mog::io {
namespace {

constexpr std::string_view kMagic = "mogindex";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kSum = 64;
constexpr std::size_t kHead = 48 + 2 * kSum;
constexpr std::uint64_t kMost = std::uint64_t{1} << 36U;  // bytes: four billion marks

template <class Number>
void put(std::string& bytes, Number value) {
  for (std::size_t byte = 0; byte < sizeof(Number); ++byte) {
    bytes.push_back(static_cast<char>((static_cast<std::uint64_t>(value) >> (8 * byte)) & 0xFFU));
  }
}

class Bytes {
 public:
  Bytes(std::string_view bytes, const std::filesystem::path& path) : bytes_(bytes), path_(path) {}
  [[noreturn]] void refuse(const std::string& why) const {
    throw FormatError(
        fmt::format("reading the index {}: {}; make it again by `mog corpus index`", path_.string(), why));
  }
  std::uint64_t number(std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t byte = 0; byte < size; ++byte) {
      value |= std::uint64_t{static_cast<unsigned char>(bytes_[byte])} << (8 * byte);
    }
    bytes_.remove_prefix(size);
    return value;
  }
  // As a count or a place of a file, which are signed elsewhere.
  std::int64_t count(const char* what) {
    const std::uint64_t value = number(8);
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      refuse(fmt::format("{}: {} is beyond what a file can have", what, value));
    }
    return static_cast<std::int64_t>(value);
  }
  std::string sum() {
    std::string text(bytes_.substr(0, kSum));
    bytes_.remove_prefix(kSum);
    return text;
  }

 private:
  std::string_view bytes_;
  const std::filesystem::path& path_;
};

std::uint64_t mark_count(const CorpusIndex& index) {
  const auto sentences = static_cast<std::uint64_t>(index.sentences);
  const auto every = static_cast<std::uint64_t>(index.every);
  return sentences / every + (sentences % every == 0 ? 0 : 1);
}

void check_marks(const CorpusIndex& index, const Bytes& file) {
  for (std::size_t i = 0; i < index.marks.size(); ++i) {
    const CorpusMark& mark = index.marks[i];
    const bool first = i == 0 && mark == CorpusMark{};
    const bool later =
        i > 0 && mark.offset > index.marks[i - 1].offset && mark.line > index.marks[i - 1].line;
    // Every line before it has a byte at least.
    const bool possible =
        mark.offset < index.size_bytes && static_cast<std::uint64_t>(mark.line) <= mark.offset + 1;
    if ((!first && !later) || !possible) {
      file.refuse(
          fmt::format("mark {} at byte {}, line {} is not behind the one before it and inside the {} "
                      "bytes of the corpus",
                      i + 1, mark.offset, mark.line, index.size_bytes));
    }
  }
}

}  // namespace

void write_corpus_index(const std::filesystem::path& path, const CorpusIndex& index) {
  std::string bytes(kMagic);
  bytes.reserve(kHead + 16 * index.marks.size() + kSum);
  put(bytes, kVersion);
  put(bytes, static_cast<std::uint32_t>(index.unit));
  put(bytes, index.every);
  put(bytes, index.size_bytes);
  put(bytes, index.modified_ns);
  put(bytes, index.sentences);
  bytes += index.ends_sha256 + index.sha256;
  for (const CorpusMark& mark : index.marks) {
    put(bytes, mark.offset);
    put(bytes, mark.line);
  }
  bytes += sha256(bytes);
  write_file(path, bytes);
}

CorpusIndex read_corpus_index(const std::filesystem::path& path) {
  const std::string content = read_file(path, "the index", kMost);
  Bytes bytes(content, path);
  if (!content.starts_with(kMagic)) {
    bytes.refuse("it is no index of a corpus");
  }
  if (content.size() < kHead + kSum) {
    bytes.refuse(fmt::format("it has {} bytes, less than its head; it was cut", content.size()));
  }
  bytes.number(kMagic.size());
  if (const std::uint64_t version = bytes.number(4); version != kVersion) {
    bytes.refuse(fmt::format("version {}, and this program reads {}", version, kVersion));
  }
  const std::string_view summed = std::string_view(content).substr(0, content.size() - kSum);
  if (sha256(summed) != std::string_view(content).substr(summed.size())) {
    bytes.refuse("its sum does not hold; it is damaged");
  }
  CorpusIndex index;
  const std::uint64_t unit = bytes.number(4);
  if (unit > 1) {
    bytes.refuse(fmt::format("unit {}; expected 0 (lines) or 1 (trees)", unit));
  }
  index.unit = static_cast<CorpusUnit>(unit);
  index.every = bytes.count("sentences from mark to mark");
  index.size_bytes = static_cast<std::uint64_t>(bytes.count("bytes of the corpus"));
  index.modified_ns = static_cast<std::int64_t>(bytes.number(8));
  index.sentences = bytes.count("sentences");
  index.ends_sha256 = bytes.sum();
  index.sha256 = bytes.sum();
  if (index.every < 1 || static_cast<std::uint64_t>(index.sentences) > index.size_bytes) {
    bytes.refuse(fmt::format("{} sentences with a mark every {} in {} bytes", index.sentences, index.every,
                             index.size_bytes));
  }
  const std::uint64_t marks = mark_count(index);
  if ((summed.size() - kHead) % 16 != 0 || (summed.size() - kHead) / 16 != marks) {
    bytes.refuse(fmt::format("{} sentences with a mark every {} need {} marks, and it has {} bytes of them",
                             index.sentences, index.every, marks, summed.size() - kHead));
  }
  index.marks.reserve(static_cast<std::size_t>(marks));
  for (std::uint64_t i = 0; i < marks; ++i) {
    const std::int64_t offset = bytes.count("a mark's byte");
    index.marks.push_back({static_cast<std::uint64_t>(offset), bytes.count("a mark's line")});
  }
  check_marks(index, bytes);
  return index;
}

}  // namespace mog::io
