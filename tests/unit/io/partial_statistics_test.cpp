#include "io/statistics/partial_statistics.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <random>

#include "io/recording/errors.h"
#include "io/text/sha256.h"
#include "tests/support/temporary_folder.h"

namespace mog::io {
namespace {

PartialStatistics sample() {
  PartialStatistics result;
  result.header.model.name = "model";
  result.header.model.weights_sha256 = std::string(64, 'a');
  result.header.provenance.corpus_name = "Korpus ü";
  result.header.describe_system();
  result.settings = "{\"quantity\": \"gate\"}";
  result.part = 2;
  result.parts = 3;
  result.done = {2};
  result.sentences = NumberRanges({{5, 9}, {11, 11}});
  result.counted = 6;
  result.sums = {{1, -1, std::numeric_limits<std::int64_t>::min()}, {}, {7}};
  return result;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(PartialStatistics, ComeBackAsTheyWere) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "part.sums";
  write_partial_statistics(sample(), path);
  const PartialStatistics found = read_partial_statistics(path);
  EXPECT_EQ(found.header.model, sample().header.model);
  EXPECT_EQ(found.header.provenance, sample().header.provenance);
  EXPECT_EQ(found.settings, sample().settings);
  EXPECT_EQ(found.part, 2);
  EXPECT_EQ(found.parts, 3);
  EXPECT_EQ(found.done, sample().done);
  EXPECT_EQ(found.sentences, sample().sentences);
  EXPECT_EQ(found.counted, 6);
  EXPECT_EQ(found.sums, sample().sums);
  EXPECT_EQ(counted_sentences(path), 6);
  EXPECT_EQ(counted_sentences(folder.path()), 0);
  EXPECT_EQ(counted_sentences(folder.write("no.sums", "mog-partial-statistics\n{}\n")), 0);
  write_partial_statistics(found, folder.path() / "again.sums");
  EXPECT_EQ(text_of(path), text_of(folder.path() / "again.sums"));
}

// Any change of any byte is found, and every length.
TEST(PartialStatistics, DamageIsAlwaysNamed) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "part.sums";
  write_partial_statistics(sample(), path);
  const std::string whole = text_of(path);
  std::mt19937 random(5);
  const auto put = [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    EXPECT_THROW(read_partial_statistics(path), FormatError) << bytes.substr(0, 120);
  };
  for (int i = 0; i < 1000; ++i) {
    std::string damaged = whole;
    const std::size_t at = random() % whole.size();
    damaged[at] = static_cast<char>(damaged[at] ^ static_cast<char>(1U << (random() % 8)));
    if (damaged[25] == whole[25]) {  // "1.1" is a version too
      put(damaged);
    }
  }
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    put(whole.substr(0, length));
  }
  put(whole + "x");
  put("");
  put("recording\n");
  put("mog-partial-statistics 2.0 1 1 " + std::string(64, '0') + "\n");
  put("mog-partial-statistics 1.0 18446744073709551615 2305843009213693952 " + std::string(64, '0') + "\n{}");
}

// Of a file whose sum holds: what a program of ours would not write.
TEST(PartialStatistics, WhatCannotBeIsNamed) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "part.sums";
  write_partial_statistics(sample(), path);
  const std::string whole = text_of(path);
  const std::string body = whole.substr(whole.find('\n') + 1);
  const std::size_t numbers = 8 * 4;
  const std::string description = body.substr(0, body.size() - numbers);
  const auto refused = [&](const std::string& from, const std::string& to, const std::string& word) {
    std::string json = description;
    const std::size_t at = json.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    json.replace(at, from.size(), to);
    const std::string changed = json + body.substr(body.size() - numbers);
    folder.write("part.sums", fmt::format("mog-partial-statistics 1.0 {} 4 {}\n{}", json.size(),
                                          sha256(changed), changed));
    try {
      read_partial_statistics(path);
      ADD_FAILURE() << to;
    } catch (const FormatError& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  refused("\"done\":[2]", "\"done\":[0]", "\"done\" names part 0 of 3");
  refused("\"done\":[2]", "\"done\":[4]", "\"done\" names part 4 of 3");
  refused("\"done\":[2]", "\"done\":[2,2]", "\"done\" names part 2 of 3");
  refused("\"done\":[2]", "\"done\":[\"x\"]", "expected a whole number");
  refused("\"done\":[2]", "\"done\":[-1]", "expected a whole number");
  refused("\"parts\":3", "\"parts\":0", "");
  refused("\"part\":2", "\"part\":4", "part 4 of 3");
  refused("\"counted\":6", "\"counted\":7", "with 7 sentences counted of 6");
  refused("[[5,9],[11,11]]", "[[5,9],[11]]", "no pair of numbers");
  refused("[[5,9],[11,11]]", "[[5,9],11]", "no pair of numbers");
  refused("[[5,9],[11,11]]", "[[5,9],[7,11]]", "");
  refused("\"sums\":[3,0,1]", "\"sums\":[3,0,2]", "2 sums are announced, 1 numbers are left");
  refused("\"sums\":[3,0,1]", "\"sums\":[3,0]", "1 numbers are left over");
  refused("\"sums\":[3,0,1]", "\"sums\":3", "");
}

TEST(NumberRanges, JoinNeighboursAndNameWhatIsDoubledOrMissing) {
  NumberRanges ranges;
  for (const std::int64_t number : {5, 7, 6, 1, 2, 6, 9}) {
    ranges.add(number);
  }
  EXPECT_EQ(ranges, NumberRanges({{1, 2}, {5, 7}, {9, 9}}));
  EXPECT_EQ(ranges.size(), 6);
  EXPECT_TRUE(ranges.contains(6));
  EXPECT_FALSE(ranges.contains(8));
  EXPECT_EQ(ranges.text(), "1–2, 5–7, 9");
  EXPECT_EQ(ranges.text(2), "1–2, 5–7, …");
  EXPECT_EQ(ranges.missing(12), NumberRanges({{3, 4}, {8, 8}, {10, 12}}));
  EXPECT_EQ(ranges.missing(2).size(), 0);
  ranges.join(NumberRanges({{3, 4}, {8, 8}}));
  EXPECT_EQ(ranges, NumberRanges({{1, 9}}));
  EXPECT_EQ(ranges.size(), 9);
  try {
    ranges.join(NumberRanges({{9, 20}}));
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "sentence 9 is in both");
  }
  EXPECT_EQ(ranges.size(), 9);
  EXPECT_THROW(NumberRanges({{1, 3}, {4, 5}}), FormatError);  // neighbours are one range
  EXPECT_THROW(NumberRanges({{3, 2}}), FormatError);
  EXPECT_THROW(NumberRanges({{0, 2}}), FormatError);
}

}  // namespace
}  // namespace mog::io
