// Files that are no recordings, most of them made to do harm (tests/data/hdf5).
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/stat.h>

#include <fstream>

#include "child.h"
#include "io/hdf5/recording/recording_reader.h"
#include "io/hdf5/recording/recording_writer.h"
#include "samples.h"
#include "tests/support/places.h"

namespace mog::io {
namespace {

namespace fs = std::filesystem;

void expect_refused(const fs::path& path) {
  const test::Ending ending = test::run_in_child([&] { RecordingReader(path).validate(); });
  EXPECT_EQ(ending.exit_code, static_cast<int>(ExitCode::format))
      << path << ": signal " << ending.signal << ", " << ending.message;
  EXPECT_NE(ending.message.find(path.string()), std::string::npos) << path << ": " << ending.message;
  EXPECT_EQ(ending.message.find("MOG-CANARY"), std::string::npos);
  EXPECT_LT(ending.cpu_seconds, 4) << path;
}

TEST(HostileHdf5, EveryFileIsRefusedByName) {
  int files = 0;
  for (const auto& entry : fs::directory_iterator(mog::test::data_dir() / "hdf5")) {
    if (entry.path().extension() == ".h5") {
      ++files;
      expect_refused(entry.path());
    }
  }
  EXPECT_EQ(files, 89);
}

TEST(HostileHdf5, SaysWhatAFileIsInstead) {
  const auto words = [](const char* name) {
    const fs::path path = mog::test::data_dir() / "hdf5" / name;
    return test::run_in_child([&] { RecordingReader{path}; }).message;
  };
  EXPECT_NE(words("empty.h5").find("empty"), std::string::npos);
  EXPECT_NE(words("html.h5").find("HTML"), std::string::npos);
  EXPECT_NE(words("lfs-pointer.h5").find("LFS"), std::string::npos);
  EXPECT_NE(words("truncated-50.h5").find("cut short"), std::string::npos);
  EXPECT_NE(words("userblock.h5").find("user block of 512"), std::string::npos);
}

// A name of 15 MB: refused by its length, and never part of a message.
TEST(HostileHdf5, LongNamesOfLinksAreRefusedInShort) {
  const test::TemporaryDirectory directory;
  RecordingWriter writer(directory / "rec", {.shard_sentences = 2});
  writer.begin(test::sample_header());
  writer.write(test::sample_batch(test::sample_header(), {1, 2}));
  writer.finish();
  const fs::path shard = directory / "rec/shard-00001.h5";
  {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    const hid_t file = H5Fopen(shard.c_str(), H5F_ACC_RDWR, access);
    ASSERT_GE(file, 0);
    const std::string name(std::size_t{15} << 20U, 'x');
    const hid_t group = H5Gcreate2(file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ASSERT_GE(group, 0);
    H5Gclose(group);
    H5Fclose(file);
    H5Pclose(access);
  }
  expect_refused(shard);
  const std::string message = test::run_in_child([&] { RecordingReader{shard}; }).message;
  EXPECT_NE(message.find("a name that is none: 15728640 bytes"), std::string::npos) << message.substr(0, 500);
  EXPECT_LT(message.size(), 1000U);
}

// Neither is opened for reading: that would block until somebody writes.
TEST(HostileHdf5, PipesAndDevicesDoNotBlock) {
  const test::TemporaryDirectory directory;
  const fs::path pipe = directory / "pipe.h5";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  expect_refused(pipe);
  expect_refused("/dev/zero");
  EXPECT_FALSE(looks_like_recording(pipe));
  EXPECT_FALSE(looks_like_recording("/dev/zero"));
  EXPECT_FALSE(looks_like_recording(directory / "absent"));
}

TEST(HostileHdf5, DirectoriesWithoutManifestAreRefused) {
  const test::TemporaryDirectory directory;
  expect_refused(directory.path());
  std::ofstream(directory / "manifest.json") << "{\"format\": \"other\"}";
  expect_refused(directory.path());
  EXPECT_FALSE(looks_like_recording(directory.path()));
}

TEST(HostileHdf5, SoundRecordingsLookLikeSome) {
  const test::TemporaryDirectory directory;
  RecordingWriter writer(directory / "rec");
  writer.begin(test::sample_header());
  writer.finish();
  EXPECT_TRUE(looks_like_recording(directory / "rec"));
  EXPECT_TRUE(looks_like_recording(directory / "rec/recording.h5"));
}

}  // namespace
}  // namespace mog::io
