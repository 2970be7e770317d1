// `--overwrite`: the old recording stays until the new one is whole, and nothing but recordings is ever
// removed.
#include "io/hdf5/recording/replaced_recording.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "io/hdf5/recording/recording_reader.h"
#include "io/hdf5/recording/recording_writer.h"
#include "io/recording/errors.h"
#include "samples.h"

namespace mog::io {
namespace {

namespace fs = std::filesystem;
using test::first_numbers;
using test::sample_batch;
using test::sample_header;
using test::TemporaryDirectory;

void record(const fs::path& path, std::int64_t sentences) {
  RecordingWriter writer(path);
  writer.begin(sample_header());
  writer.write(sample_batch(sample_header(), first_numbers(sentences)));
  writer.finish();
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

void expect_refused(const fs::path& directory, const std::string& said) {
  try {
    const ReplacedRecording replaced(directory);
    ADD_FAILURE() << "nothing thrown; expected: " << said;
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find(said), std::string::npos) << error.what();
  }
}

TEST(ReplacedRecording, TakesThePlaceOfTheOldOneWhenItIsWhole) {
  const TemporaryDirectory folder;
  record(folder / "rec", 3);
  {
    ReplacedRecording replaced(fs::path((folder / "rec").string() + "/"));
    record(replaced.fresh(), 5);
    EXPECT_EQ(RecordingReader(folder / "rec").size(), 3);
    replaced.replace();
  }
  EXPECT_EQ(RecordingReader(folder / "rec").size(), 5);
  EXPECT_EQ(names_in(folder.path()), std::set<std::string>{"rec"});
}

TEST(ReplacedRecording, GivenUpTheOldOneIsAsItWas) {
  const TemporaryDirectory folder;
  record(folder / "rec", 3);
  {
    const ReplacedRecording replaced(folder / "rec");
    record(replaced.fresh(), 5);
  }
  EXPECT_EQ(RecordingReader(folder / "rec").size(), 3);
  EXPECT_EQ(names_in(folder.path()), std::set<std::string>{"rec"});
}

TEST(ReplacedRecording, WhatAKilledRunLeftBesideItGoes) {
  const TemporaryDirectory folder;
  record(folder / "rec", 3);
  record(folder / ".rec.overwriting", 2);
  {
    const ReplacedRecording replaced(folder / "rec");
    EXPECT_FALSE(fs::exists(replaced.fresh()));
  }
  std::ofstream(folder / ".rec.overwriting") << "a file";
  expect_refused(folder / "rec", "is in the way");
  fs::remove(folder / ".rec.overwriting");
  fs::create_directory(folder / ".rec.overwriting");
  std::ofstream(folder / ".rec.overwriting/notes.txt") << "mine";
  expect_refused(folder / "rec", "is in the way");
  EXPECT_TRUE(fs::exists(folder / ".rec.overwriting/notes.txt"));
}

TEST(ReplacedRecording, OnlyARecordingIsReplaced) {
  const TemporaryDirectory folder;
  expect_refused(folder / "absent", "it is no folder of its own");
  std::ofstream(folder / "file") << "text";
  expect_refused(folder / "file", "it is no folder of its own");
  fs::create_directory(folder / "empty");
  expect_refused(folder / "empty", "it is no recording: it holds no manifest.json");
  record(folder / "rec", 2);
  fs::create_directory_symlink("rec", folder / "link");
  expect_refused(folder / "link", "it is no folder of its own");
  expect_refused(fs::path((folder / "link").string() + "//"), "it is no folder of its own");
  std::ofstream(folder / "rec/notes.txt") << "mine";
  expect_refused(folder / "rec", "it holds \"notes.txt\", which is no part of a recording");
  fs::remove(folder / "rec/notes.txt");
  fs::create_symlink("shard-00001.h5", folder / "rec/shard-00002.h5");
  expect_refused(folder / "rec", "it holds \"shard-00002.h5\"");
  fs::remove(folder / "rec/shard-00002.h5");
  std::ofstream(folder / "rec/manifest.json") << "{}";
  expect_refused(folder / "rec", "no recording that can be read");
}

TEST(ReplacedRecording, NobodyElseGoesOnWithTheOldOneMeanwhile) {
  const TemporaryDirectory folder;
  record(folder / "rec", 2);
  const ReplacedRecording replaced(folder / "rec");
  EXPECT_THROW(RecordingWriter(folder / "rec", {.resume = true}).begin(sample_header()), StorageError);
  EXPECT_THROW(ReplacedRecording(folder / "rec"), StorageError);
}

// Another program that takes the place away meanwhile: the error is said, the new one is not lost.
TEST(ReplacedRecording, ThatCannotTakeThePlaceSaysSo) {
  const TemporaryDirectory folder;
  record(folder / "rec", 2);
  ReplacedRecording replaced(folder / "rec");
  EXPECT_THROW(replaced.replace(), StorageError);  // nothing was written beside it
  EXPECT_EQ(RecordingReader(folder / "rec").size(), 2);
}

}  // namespace
}  // namespace mog::io
