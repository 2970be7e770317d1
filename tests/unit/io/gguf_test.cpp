// Headers of GGUF that claim what is not so, each refused with key or tensor, expected and found, before
// anything is taken for it.
#include "io/checkpoint/gguf.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>

#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "tests/support/temporary_folder.h"

namespace mog::io {
namespace {

using test::TemporaryFolder;

std::string number(std::uint64_t value, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) {
    text += static_cast<char>(value >> 8 * i & 0xFFU);
  }
  return text;
}
std::string text(const std::string& value) {
  return number(value.size(), 8) + value;
}
std::string key(const std::string& name, std::uint64_t type, const std::string& value) {
  return text(name) + number(type, 4) + value;
}

// A sound file with one key and one tensor [2, 32] of F32, part by part.
struct Sample {
  std::string magic = "GGUF";
  std::string version = number(3, 4);
  std::string tensors = number(1, 8);
  std::string keys = number(1, 8);
  std::string key = mog::io::key("general.alignment", 4, number(32, 4));
  std::string name = text("blk.0.weight");
  std::string sizes = number(2, 4) + number(32, 8) + number(2, 8);
  std::string type = number(0, 4);
  std::string offset = number(0, 8);
  std::string more = {};  // further tensors
  std::size_t values = 2 * 32 * 4;
  std::size_t alignment = 32;

  std::string bytes() const {
    std::string head = magic + version + tensors + keys + key + name + sizes + type + offset + more;
    head.append((alignment - head.size() % alignment) % alignment, '\0');
    return head.append(values, '\0');
  }
};

GgufFile read(const Sample& sample) {
  const TemporaryFolder folder;
  folder.write("model.gguf", sample.bytes());
  return read_gguf_header(InputFile::open(folder.path() / "model.gguf", "the weights"));
}

template <class Refusal = FormatError>
void expect_refused(const std::string& words, const std::function<void(Sample&)>& change) {
  Sample sample;
  change(sample);
  try {
    read(sample);
    ADD_FAILURE() << "read, expected: " << words;
  } catch (const Refusal& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what() << "\n" << words;
  }
}

TEST(Gguf, TheSampleIsSound) {
  const GgufFile file = read({});
  ASSERT_EQ(file.tensors.size(), 1U);
  EXPECT_EQ(file.tensors[0].shape, (std::vector<std::int64_t>{2, 32}));
  EXPECT_EQ(file.tensors[0].begin % 32, 0U);
  EXPECT_EQ(file.tensors[0].size_bytes, 256U);
}

TEST(Gguf, RefusesOtherBeginnings) {
  expect_refused("begins with \"GGML\", expected \"GGUF\"", [](Sample& s) { s.magic = "GGML"; });
  expect_refused("version 1, expected 2 or 3", [](Sample& s) { s.version = number(1, 4); });
  expect_refused("version 4, expected 2 or 3", [](Sample& s) { s.version = number(4, 4); });
  expect_refused("big-endian", [](Sample& s) { s.version = number(3U << 24U, 4); });
}

TEST(Gguf, RefusesCountsThatTheFileCannotHold) {
  for (const std::uint64_t count : {std::uint64_t{1} << 17U, std::uint64_t{1} << 63U, ~std::uint64_t{0}}) {
    expect_refused(std::to_string(count) + " tensors", [&](Sample& s) { s.tensors = number(count, 8); });
    expect_refused(std::to_string(count) + " keys", [&](Sample& s) { s.keys = number(count, 8); });
    expect_refused("a text of " + std::to_string(count), [&](Sample& s) { s.key = number(count, 8); });
    expect_refused("key \"k\": a list of " + std::to_string(count),
                   [&](Sample& s) { s.key = key("k", 9, number(4, 4) + number(count, 8)); });
    expect_refused("key \"k\": a list of " + std::to_string(count),
                   [&](Sample& s) { s.key = key("k", 9, number(8, 4) + number(count, 8)); });
  }
  expect_refused("key \"k\": a text of 9223372036854775808 bytes",
                 [](Sample& s) { s.key = key("k", 8, number(std::uint64_t{1} << 63U, 8)); });
}

TEST(Gguf, RefusesKeys) {
  expect_refused("is there twice, expected once", [](Sample& s) {
    s.keys = number(2, 8);
    s.key += s.key;
  });
  expect_refused("a value of type 13, expected 0 to 12", [](Sample& s) { s.key = key("k", 13, ""); });
  expect_refused("a list of lists", [](Sample& s) { s.key = key("k", 9, number(9, 4) + number(1, 8)); });
  expect_refused("the truth value 2", [](Sample& s) { s.key = key("k", 7, "\2"); });
  expect_refused("is no UTF-8", [](Sample& s) { s.key = key("k", 8, text("\xff")); });
  expect_refused("expected a finite number", [](Sample& s) { s.key = key("k", 6, number(0x7FC00000U, 4)); });
  expect_refused("expected UTF-8 without NUL", [](Sample& s) { s.key = key("", 7, "\1"); });
  for (const std::uint64_t alignment : {0U, 3U, 33U, 1U << 21U}) {
    expect_refused("key \"general.alignment\": " + std::to_string(alignment) + ", expected a power of 2",
                   [&](Sample& s) { s.key = key("general.alignment", 4, number(alignment, 4)); });
  }
}

TEST(Gguf, RefusesTensors) {
  expect_refused("0 sizes, expected 1 to 4", [](Sample& s) { s.sizes = number(0, 4); });
  expect_refused("5 sizes, expected 1 to 4", [](Sample& s) { s.sizes = number(5, 4); });
  expect_refused("size 0 of axis 1", [](Sample& s) { s.sizes = number(1, 4) + number(0, 8); });
  expect_refused("size 9223372036854775808 of axis 1",
                 [](Sample& s) { s.sizes = number(1, 4) + number(std::uint64_t{1} << 63U, 8); });
  expect_refused("more than any file holds", [](Sample& s) {
    s.sizes = number(2, 4) + number(std::uint64_t{1} << 40U, 8) + number(std::uint64_t{1} << 40U, 8);
  });
  expect_refused("type 99, which is not known", [](Sample& s) { s.type = number(99, 4); });
  expect_refused<ModelError>("values of type IQ4_NL are not supported",
                             [](Sample& s) { s.type = number(20, 4); });
  expect_refused("rows of 32 elements, expected a multiple of the 256 of a block of Q4_K",
                 [](Sample& s) { s.type = number(12, 4); });
  expect_refused("offset 32, expected 0", [](Sample& s) { s.offset = number(32, 8); });
  expect_refused("offset 18446744073709551615, expected 0",
                 [](Sample& s) { s.offset = number(~std::uint64_t{0}, 8); });
  expect_refused("256 bytes from", [](Sample& s) { s.values = 255; });
  expect_refused("\"blk.0.weight\" is there twice", [](Sample& s) {
    s.tensors = number(2, 8);
    s.more = s.name + s.sizes + s.type + number(256, 8);
    s.values = 512;
  });
  expect_refused("expected a name that does not begin with key:",
                 [](Sample& s) { s.name = text("key:tokens"); });
}

// Cut anywhere, it is a message.
TEST(Gguf, RefusesEveryBeginningOfIt) {
  const TemporaryFolder folder;
  const std::string whole = Sample().bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    folder.write("model.gguf", whole.substr(0, size));
    EXPECT_THROW(read_gguf_header(InputFile::open(folder.path() / "model.gguf", "the weights")), FormatError)
        << size;
  }
}

}  // namespace
}  // namespace mog::io
