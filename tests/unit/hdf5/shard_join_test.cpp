// Shards that were joined hold what they held, and nothing is lost on the way.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <numeric>

#include "io/hdf5/recording/journal.h"
#include "io/hdf5/recording/recording_reader.h"
#include "io/hdf5/recording/recording_writer.h"
#include "io/hdf5/recording/shard_join.h"
#include "io/recording/errors.h"
#include "samples.h"

namespace mog::io {
namespace {

using test::expect_sample;
using test::first_numbers;
using test::sample_batch;
using test::sample_header;
using test::TemporaryDirectory;

// In an order in which every shard has numbers of the whole range.
std::vector<std::int64_t> shuffled(std::int64_t count) {
  std::vector<std::int64_t> numbers = first_numbers(count);
  std::sort(numbers.begin(), numbers.end(),
            [](std::int64_t a, std::int64_t b) { return std::pair(a % 7, a) < std::pair(b % 7, b); });
  return numbers;
}

void record(const std::filesystem::path& path, const std::vector<std::int64_t>& numbers,
            const RecordingWriterOptions& options, bool finish = true) {
  RecordingWriter writer(path, options);
  writer.begin(sample_header());
  for (const std::int64_t number : numbers) {
    writer.write(sample_batch(sample_header(), {number}));
  }
  if (finish) {
    writer.finish();
  } else {
    writer.commit();
  }
}

std::vector<std::string> shard_files(const std::filesystem::path& recording) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(recording)) {
    if (entry.path().filename().string().starts_with("shard-")) {
      names.push_back(entry.path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> named_files(const std::filesystem::path& recording) {
  std::vector<std::string> names;
  for (const JournalShard& shard : read_journal(recording / "journal.jsonl").shards) {
    names.push_back(shard.file);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Independent of the joining: the file that one commit writes.
TEST(JoinedShards, AreTheFileOfOneCommit) {
  const TemporaryDirectory directory;
  for (const int deflate : {0, 4}) {
    const std::string kind = std::to_string(deflate);
    record(directory / ("one" + kind), first_numbers(97), {.deflate_level = deflate});
    record(directory / ("joined" + kind), shuffled(97), {.shard_sentences = 5, .deflate_level = deflate});
    ASSERT_EQ(shard_files(directory / ("joined" + kind)), std::vector<std::string>{"shard-00021.h5"});
    EXPECT_EQ(bytes_of(directory / ("joined" + kind) / "shard-00021.h5"),
              bytes_of(directory / ("one" + kind) / "shard-00001.h5"));
    const RecordingReader reader(directory / ("joined" + kind));
    expect_sample(reader, first_numbers(97));
    EXPECT_TRUE(reader.validate().summed);
  }
}

TEST(JoinedShards, GrowUpToTheirSize) {
  const TemporaryDirectory directory;
  constexpr std::int64_t kBytes = 150'000;
  record(directory / "rec", shuffled(120), {.shard_sentences = 3, .joined_bytes = kBytes});
  const RecordingReader reader(directory / "rec");
  expect_sample(reader, first_numbers(120));
  EXPECT_TRUE(reader.validate().notes.empty());
  EXPECT_EQ(shard_files(directory / "rec"), named_files(directory / "rec"));
  EXPECT_GT(reader.facts().shards.size(), 1U);
  EXPECT_LT(reader.facts().shards.size(), 25U);
  for (const auto& shard : reader.facts().shards) {
    EXPECT_LE(shard.size_bytes, kBytes);
  }
}

// What fits in a few shards stays as it was written.
TEST(JoinedShards, AreNotMadeOfFew) {
  const TemporaryDirectory directory;
  record(directory / "few", first_numbers(16), {.shard_sentences = 1});
  EXPECT_EQ(shard_files(directory / "few").size(), 16U);
  record(directory / "many", first_numbers(17), {.shard_sentences = 1});
  EXPECT_EQ(shard_files(directory / "many").size(), 1U);
}

TEST(JoinedShards, OfAnEarlierRunToo) {
  const TemporaryDirectory directory;
  record(directory / "rec", first_numbers(10), {.shard_sentences = 1}, false);
  EXPECT_EQ(shard_files(directory / "rec").size(), 10U);
  std::vector<std::int64_t> rest = first_numbers(20);
  rest.erase(rest.begin(), rest.begin() + 10);
  record(directory / "rec", rest, {.shard_sentences = 1, .resume = true});
  EXPECT_EQ(shard_files(directory / "rec"), std::vector<std::string>{"shard-00021.h5"});
  const RecordingReader reader(directory / "rec");
  expect_sample(reader, first_numbers(20));
  reader.validate();
  // A complete recording stays as it is.
  record(directory / "rec", {}, {.resume = true});
  EXPECT_EQ(shard_files(directory / "rec"), std::vector<std::string>{"shard-00021.h5"});
}

// Joining must not give a damaged shard a sum that holds.
TEST(JoinedShards, LeaveADamagedOneForValidation) {
  const TemporaryDirectory directory;
  record(directory / "rec", first_numbers(63), {.shard_sentences = 1}, false);
  {
    std::fstream file(directory / "rec/shard-00003.h5", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-1, std::ios::end);
    file.put('x');
  }
  record(directory / "rec", {64, 65, 66}, {.shard_sentences = 1, .resume = true}, false);
  EXPECT_EQ(shard_files(directory / "rec").size(), 66U);
  EXPECT_THROW(RecordingReader(directory / "rec").validate([](auto, auto) { return true; }), FormatError);
}

// Of a recording that grows: its reader has read a journal that no longer holds.
TEST(JoinedShards, ThatWereOpenedBeforeAreNamed) {
  const TemporaryDirectory directory;
  record(directory / "rec", first_numbers(17), {.shard_sentences = 1}, false);
  const RecordingReader reader(directory / "rec");
  record(directory / "rec", {}, {.resume = true});
  try {
    reader.sentence(16);
    FAIL();
  } catch (const StorageError& error) {
    EXPECT_NE(std::string(error.what()).find("open it again"), std::string::npos) << error.what();
  }
}

TEST(JoinedShards, AreChosenBySizeAndNumber) {
  const RecordingWriterOptions options{.joined_bytes = 3200};
  const auto chosen = [&](const std::vector<std::int64_t>& sizes, bool finished = false) {
    const JoinRange range = to_be_joined(sizes, options, finished);
    return std::pair(range.count, range.spare_newest);
  };
  EXPECT_EQ(chosen({1000, 1000, 1000}), std::pair(std::size_t{0}, false));
  EXPECT_EQ(chosen({1000, 1000, 1000, 1000}), std::pair(std::size_t{3}, true));
  EXPECT_EQ(chosen({1500, 1800}), std::pair(std::size_t{0}, false));
  std::vector<std::int64_t> small(63, 10);
  EXPECT_EQ(chosen(small).first, 0U);
  EXPECT_EQ(chosen(small, true), std::pair(std::size_t{63}, false));
  small.push_back(10);
  EXPECT_EQ(chosen(small), std::pair(std::size_t{64}, false));
  small.insert(small.begin(), 1000);
  EXPECT_EQ(chosen(small), std::pair(std::size_t{64}, false));  // the larger one stays
  EXPECT_EQ(chosen(std::vector<std::int64_t>(16, 10), true).first, 0U);
  EXPECT_TRUE(is_whole_shard(1600, options));
  EXPECT_FALSE(is_whole_shard(1599, options));
}

}  // namespace
}  // namespace mog::io
