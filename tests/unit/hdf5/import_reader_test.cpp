// What mog-loader sends of a file of another program, read in this process: files made here with HDF5, sound
// ones value by value, unsound ones by the words of their refusal.
#include "io/hdf5/import/import_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "io/recording/errors.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/hdf5/import_streams.h"
#include "tests/unit/hdf5/made_file.h"

namespace mog::io {
namespace {

using test::MadeFile;

struct Imported {
  ImportPlan plan;
  std::map<std::string, std::string> attributes;
  std::vector<ImportedSentence> sentences;
  std::vector<std::vector<double>> values;  // of all arrays of all sentences, one after another
  std::size_t frames = 0;                   // of values
};

Imported imported(const std::filesystem::path& path, std::int64_t first = 0) {
  bool opened = false;
  const Bytes bytes = stream_of([&](ImportWriter& out) {
    out.hello();
    send_import(path, first, out, [&] { opened = true; });
  });
  EXPECT_TRUE(opened);
  ImportStream stream(reading(bytes), path);
  Imported all;
  all.plan = stream.begin();
  all.attributes = stream.attributes();
  while (auto sentence = stream.next_sentence()) {
    all.sentences.push_back(std::move(*sentence));
    while (stream.next_array()) {
      std::vector<double> values;
      for (auto next = stream.next_values(); !next.empty(); next = stream.next_values()) {
        values.insert(values.end(), next.begin(), next.end());
        ++all.frames;
      }
      all.values.push_back(std::move(values));
    }
  }
  return all;
}

class ImportReader : public testing::Test {
 protected:
  std::filesystem::path path() const { return folder_.file("maps.h5"); }
  // A file of one sentence of two tokens, and what `change` does to it.
  template <class Change>
  void write(Change change) const {
    MadeFile file(path());
    change(file);
  }
  template <class Change>
  void expect_refused(Change change, const char* words) const {
    write(change);
    try {
      imported(path());
      ADD_FAILURE() << "was read; expected: " << words;
    } catch (const FormatError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(path().string()), std::string::npos) << message;
      EXPECT_NE(message.find(words), std::string::npos) << message << "\nexpected: " << words;
    }
  }
  static void sentence(MadeFile& file, const std::string& group = "/1") {
    file.strings(group + "/tokens", {2}, {"a", "b"});
    file.floats(group + "/attention", {1, 1, 2, 2}, {1, 0, 0.25, 0.75});
  }

 private:
  const test::TemporaryFolder folder_;
};

TEST_F(ImportReader, GroupsWithEveryKindOfStringAndNumber) {
  write([](MadeFile& file) {
    file.text_attribute("model", "toy");
    file.attribute("corpus", MadeFile::string_type(8, H5T_STR_SPACEPAD).get(), {}, "news    ");
    file.strings("/1/tokens", {2}, {"wört", nullptr});
    file.strings("/1/text", {}, {"Wört "});
    file.fixed("/1/words", {1}, 5, H5T_STR_NULLTERM, std::string("w\0xyz", 5));
    file.raw("/1/word_of_token", H5T_STD_U8BE, {2}, "\x01\x00");
    file.floats("/1/attention", {2, 1, 2, 2}, {1, 0, 0.25, 0.75, 0.5, 0.5, 0, 1});
    file.fixed("/2/tokens", {1}, 4, H5T_STR_NULLPAD, std::string("ab\0\0", 4));
    const double one = 1;
    file.raw("/2/attention", H5T_IEEE_F64LE, {2, 1, 1, 1}, std::vector<double>{one, one}.data());
  });
  const Imported all = imported(path());
  EXPECT_EQ(all.attributes, (std::map<std::string, std::string>{{"model", "toy"}, {"corpus", "news"}}));
  ASSERT_EQ(all.sentences.size(), 2U);
  EXPECT_EQ(all.sentences[0].tokens, (std::vector<std::string>{"wört", ""}));
  EXPECT_EQ(all.sentences[0].text, "Wört ");
  EXPECT_EQ(all.sentences[0].words, std::vector<std::string>{"w"});
  EXPECT_EQ(all.sentences[0].word_of_token, (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(all.sentences[1].tokens, std::vector<std::string>{"ab"});
  EXPECT_FALSE(all.sentences[1].text);
  EXPECT_EQ(all.values, (std::vector<std::vector<double>>{{1, 0, 0.25, 0.75}, {0.5, 0.5, 0, 1}, {1}, {1}}));
  EXPECT_EQ(imported(path(), 1).sentences.size(), 1U);
  EXPECT_EQ(imported(path(), -3).sentences.size(), 2U);
}

TEST_F(ImportReader, PaddedSentencesAreCutToTheirLengths) {
  write([](MadeFile& file) {
    file.strings("/tokens", {2, 2}, {"a", "", "b", "c"});
    file.strings("/words", {2, 2}, {"A", "", "B", "C"});
    file.strings("/text", {2}, {"A", "B C"});
    file.integers("/word_of_token", {2, 2}, {1, 0, 1, 2});
    file.integers("/lengths", {2}, {1, 2});
    file.integers("/numbers", {2}, {4, 9});
    file.floats("/attention", {2, 1, 1, 2, 2}, {1, -1, -1, -1, 1, 0, 0.5, 0.5},
                MadeFile::chunked({1, 1, 1, 1, 2}, 1).get());
  });
  const Imported all = imported(path());
  ASSERT_EQ(all.sentences.size(), 2U);
  EXPECT_EQ(all.plan.sentences[1].number, 9);
  EXPECT_EQ(all.sentences[0].tokens, std::vector<std::string>{"a"});
  EXPECT_EQ(all.sentences[0].words, std::vector<std::string>{"A"});
  EXPECT_EQ(all.sentences[1].word_of_token, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(all.sentences[1].text, "B C");
  EXPECT_EQ(all.values, (std::vector<std::vector<double>>{{1}, {1, 0, 0.5, 0.5}}));
}

// 1,200² float32 are 5.76 MB: more than a frame, so a head is cut along its queries.
TEST_F(ImportReader, MapsLargerThanAFrameAreCut) {
  constexpr std::size_t kTokens = 1'200;
  std::vector<float> values(kTokens * kTokens * 2);
  std::iota(values.begin(), values.end(), 0.0F);
  write([&](MadeFile& file) {
    file.strings("/1/tokens", {kTokens}, std::vector<const char*>(kTokens, "x"));
    file.floats("/1/attention", {1, 2, kTokens, kTokens}, values);
  });
  const Imported all = imported(path());
  ASSERT_EQ(all.values.size(), 1U);
  EXPECT_GE(all.frames, 4U);
  EXPECT_TRUE(std::ranges::equal(all.values[0], values));
}

TEST_F(ImportReader, AttributesAreShortTexts) {
  const auto with = [](auto write) {
    return [write](MadeFile& file) {
      sentence(file);
      write(file);
    };
  };
  const std::int32_t number = 3;
  expect_refused(with([&](MadeFile& file) { file.attribute("model", H5T_STD_I32LE, {}, &number); }),
                 "/: attribute model: expected one string, found int32");
  expect_refused(with([](MadeFile& file) {
                   file.attribute("model", MadeFile::string_type(1, H5T_STR_NULLPAD).get(), {2}, "ab");
                 }),
                 "/: attribute model: expected one string, found 1-byte string");
  expect_refused(
      with([](MadeFile& file) { file.text_attribute("tokenizer", std::string(16'385, 'x').c_str()); }),
      "/: attribute tokenizer: a text of 16385 bytes; at most 16384 are allowed");
  expect_refused(with([](MadeFile& file) {
                   file.attribute("config", MadeFile::string_type(20'000, H5T_STR_NULLPAD).get(), {},
                                  std::string(20'000, 'x').c_str());
                 }),
                 "/: attribute config: a text of 20000 bytes; at most 16384 are allowed");
  expect_refused(with([](MadeFile& file) { file.text_attribute("corpus", "\xff"); }),
                 "/: attribute corpus: a text that is not UTF-8");
  expect_refused(with([](MadeFile& file) {
                   file.attribute("corpus", MadeFile::string_type(3, H5T_STR_NULLPAD).get(), {}, "a\0b");
                 }),
                 "/: attribute corpus: a text that is not UTF-8");
  write(with([](MadeFile& file) { file.text_attribute("model", nullptr); }));
  EXPECT_EQ(imported(path()).attributes.at("model"), "");
}

TEST_F(ImportReader, StringsAreUtf8) {
  expect_refused(
      [](MadeFile& file) {
        sentence(file);
        file.strings("/1/text", {}, {"\xC3"});
      },
      "/1/text: string 1 is not UTF-8");
  expect_refused(
      [](MadeFile& file) {
        file.strings("/tokens", {2, 1}, {"a", "\xff"});
        file.floats("/attention", {2, 1, 1, 1, 1}, {1, 1});
      },
      "/tokens: string 1 of sentence 2 is not UTF-8");
  expect_refused(
      [](MadeFile& file) {
        file.fixed("/1/tokens", {1}, 3, H5T_STR_NULLPAD, std::string("a\0b", 3));
        file.floats("/1/attention", {1, 1, 1, 1}, {1});
      },
      "/1/tokens: string 1 is not UTF-8");
  // A text of 33 MB in a file of some 100 kB.
  expect_refused(
      [](MadeFile& file) {
        std::string text(std::size_t{33} << 20U, 'x');
        for (std::size_t i = 0; i < text.size(); i += 500) {
          text[i] = static_cast<char>('a' + i / 500 % 23);
        }
        sentence(file);
        file.fixed("/1/text", {1}, text.size(), H5T_STR_NULLPAD, text, MadeFile::chunked({1}, 1).get());
      },
      "/1/text: the texts of one sentence are longer than 33554432 bytes");
  expect_refused(
      [](MadeFile& file) {
        sentence(file);
        file.fixed("/1/words", {16'385}, 1, H5T_STR_NULLPAD, std::string(16'385, 'w'));
      },
      "/1/words: 16385 strings in one sentence; at most 16384 are allowed");
}

TEST_F(ImportReader, ARecordingIsNoImport) {
  expect_refused(
      [](MadeFile& file) {
        sentence(file);
        file.text_attribute("format", "mog-recording");
        file.text_attribute("format_version", "1");
      },
      "/: a recording already (or a shard of one): use it as it is");
  write([](MadeFile& file) {
    sentence(file);
    file.text_attribute("format", "somebody else's");
  });
  EXPECT_EQ(imported(path()).sentences.size(), 1U);
}

}  // namespace
}  // namespace mog::io
