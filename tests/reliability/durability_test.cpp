// What a kill, a full disk or a torn journal leaves behind.
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <random>
#include <thread>

#include "io/hdf5/file/free_space.h"
#include "io/hdf5/recording/recording_reader.h"
#include "io/hdf5/recording/recording_writer.h"
#include "io/hdf5/recording/shard_buffer.h"
#include "io/recording/errors.h"
#include "tests/unit/hdf5/child.h"
#include "tests/unit/hdf5/samples.h"

namespace mog::io {
namespace {

namespace fs = std::filesystem;
using test::expect_sample;
using test::sample_batch;
using test::sample_header;
using test::TemporaryDirectory;

constexpr std::int64_t kSentences = 120;

// Records what is missing of the first kSentences, five a batch, not in corpus order.
void record_missing(const fs::path& path) {
  RecordingWriter writer(path, {.shard_sentences = 7, .resume = true});
  writer.begin(sample_header());
  std::vector<std::int64_t> missing;
  for (std::int64_t number = kSentences; number >= 1; --number) {
    if (!std::binary_search(writer.recorded().begin(), writer.recorded().end(), number)) {
      missing.push_back(number);
    }
  }
  for (std::size_t at = 0; at < missing.size(); at += 5) {
    writer.write(sample_batch(
        sample_header(), {missing.begin() + static_cast<std::ptrdiff_t>(at),
                          missing.begin() + static_cast<std::ptrdiff_t>(std::min(at + 5, missing.size()))}));
  }
  writer.finish();
}

// Exits with 0, or with 1 and a message.
pid_t fork_recording(const fs::path& path) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      record_missing(path);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "recording failed: %s\n", error.what());
      ::_exit(1);
    }
    ::_exit(0);
  }
  return child;
}

std::vector<std::int64_t> all_numbers() {
  std::vector<std::int64_t> numbers;
  for (std::int64_t number = 1; number <= kSentences; ++number) {
    numbers.push_back(number);
  }
  return numbers;
}

// Sentences that a recording holds now; none when it was killed before its manifest.
std::vector<std::int64_t> held(const fs::path& path) {
  return fs::exists(path / "manifest.json") ? RecordingReader(path).numbers() : std::vector<std::int64_t>{};
}

TEST(Durability, KillLosesNothingThatTheJournalNamesAndDoublesNothing) {
  const auto begun = std::chrono::steady_clock::now();
  {
    const TemporaryDirectory directory;
    int status = 0;
    ::waitpid(fork_recording(directory / "rec"), &status, 0);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - begun;
  std::mt19937 random(7);
  int rounds_with_kills = 0;
  for (int round = 0; round < 4; ++round) {
    const TemporaryDirectory directory;
    const fs::path path = directory / "rec";
    std::vector<std::int64_t> before;
    for (int kill = 0; kill < 6; ++kill) {
      const pid_t child = fork_recording(path);
      // Six of these are as long as a whole run on average: machines and disks differ in speed.
      std::this_thread::sleep_for(whole * std::uniform_real_distribution<double>(0, 1.0 / 3)(random));
      ::kill(child, SIGKILL);
      int status = 0;
      ::waitpid(child, &status, 0);
      rounds_with_kills += WIFSIGNALED(status) ? 1 : 0;
      ASSERT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) != 0) << "resuming failed";
      const std::vector<std::int64_t> now = held(path);
      ASSERT_TRUE(std::includes(now.begin(), now.end(), before.begin(), before.end()))
          << "a sentence was lost";
      before = now;
    }
    record_missing(path);
    const RecordingReader reader(path);
    EXPECT_TRUE(reader.facts().complete);
    expect_sample(reader, all_numbers());
    reader.validate();
    for (const auto& entry : fs::directory_iterator(path)) {
      EXPECT_EQ(entry.path().string().find(".part"), std::string::npos) << entry.path();
    }
  }
  EXPECT_GT(rounds_with_kills, 5) << "the kills came too late to say anything";
}

TEST(Durability, TornJournalLineAndOrphanShardAreDropped) {
  const TemporaryDirectory directory;
  const fs::path path = directory / "rec";
  {
    RecordingWriter writer(path, {.shard_sentences = 7});
    writer.begin(sample_header());
    writer.write(sample_batch(sample_header(), {1, 2, 3, 4, 5, 6, 7, 8, 9}));
    writer.commit();
  }
  fs::copy_file(path / "shard-00002.h5", path / "shard-00003.h5");
  std::ofstream(path / "shard-00004.h5.part") << "half";
  std::ofstream(path / "journal.jsonl", std::ios::app) << "{\"crc32\":\"00000000\",\"record\":{\"type\":\"sh";
  expect_sample(RecordingReader(path), {1, 2, 3, 4, 5, 6, 7, 8, 9});
  record_missing(path);
  const RecordingReader reader(path);
  expect_sample(reader, all_numbers());
  reader.validate();
  EXPECT_FALSE(fs::exists(path / "shard-00004.h5.part"));
}

TEST(Durability, LastJournalLineDamagedLosesItsShardOnlyWhileIncomplete) {
  const TemporaryDirectory directory;
  const fs::path path = directory / "rec";
  record_missing(path);
  std::string journal;
  {
    std::ifstream stream(path / "journal.jsonl", std::ios::binary);
    journal.assign(std::istreambuf_iterator<char>(stream), {});
  }
  journal[journal.size() - 10] ^= 1;
  std::ofstream(path / "journal.jsonl", std::ios::binary) << journal;
  EXPECT_THROW(RecordingReader{path}, FormatError);  // the manifest knows that a shard is missing
  record_missing(path);
  expect_sample(RecordingReader(path), all_numbers());
}

std::size_t files_under_final_names(const fs::path& path) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(path)) {
    count += entry.path().filename().string().starts_with("shard-") ? 1U : 0U;
  }
  return count;
}

// Writes until something gives way.
void record_until_full(const fs::path& path) {
  RecordingWriter writer(path, {.shard_sentences = 100, .resume = true});
  writer.begin(sample_header());
  for (std::int64_t first = 1; first < 40'000; first += 100) {
    std::vector<std::int64_t> numbers;
    for (std::int64_t number = first; number < first + 100; ++number) {
      if (!std::binary_search(writer.recorded().begin(), writer.recorded().end(), number)) {
        numbers.push_back(number);
      }
    }
    writer.write(sample_batch(sample_header(), numbers));
  }
  writer.commit();
}

void expect_no_space(const test::Ending& ending, const fs::path& path) {
  EXPECT_EQ(ending.exit_code, static_cast<int>(ExitCode::no_space)) << "signal " << ending.signal;
  EXPECT_NE(ending.message.find("no space left"), std::string::npos) << ending.message;
  EXPECT_NE(ending.message.find("needed: "), std::string::npos) << ending.message;
  EXPECT_NE(ending.message.find("free: "), std::string::npos) << ending.message;
  // Nothing half-written: every shard under a final name is sound and in the journal.
  const RecordingReader reader(path);
  reader.validate();
  EXPECT_EQ(reader.facts().shards.size(), files_under_final_names(path));
}

TEST(Durability, FullDiskEndsWithTheRightCodeAndNothingHalfWritten) {
  const TemporaryDirectory directory;
  fs::create_directory(directory / "disk");
  const fs::path disk = directory / "disk";
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=1m") != 0) {
    GTEST_SKIP() << "a small file system cannot be mounted here (needs root)";
  }
  // The mount is taken away whatever happens below.
  const std::shared_ptr<void> unmount(nullptr, [&](void*) { ::umount2(disk.c_str(), MNT_DETACH); });
  expect_no_space(test::run_in_child([&] { record_until_full(disk / "rec"); }, 20), disk / "rec");
  EXPECT_GT(RecordingReader(disk / "rec").size(), 100);
}

TEST(Durability, FileSizeLimitCountsAsLackOfSpace) {
  const TemporaryDirectory directory;
  const fs::path path = directory / "rec";
  RecordingWriter(path).begin(sample_header());
  const test::Ending ending = test::run_in_child(
      [&] {
        std::signal(SIGXFSZ, SIG_IGN);
        test::limit(RLIMIT_FSIZE, 50'000);
        record_until_full(path);
      },
      20);
  expect_no_space(ending, path);
}

// Room is reserved before HDF5 writes, but another program may take it meanwhile. HDF5 crashes when it closes
// a file that it could not write.
TEST(Durability, WriteFailureInsideHdf5IsAnErrorAndTheProgramGoesOn) {
  const TemporaryDirectory directory;
  const RecordingHeader header = sample_header();
  const RecordingBatch batch = sample_batch(header, all_numbers());
  const CheckedBatch checked = check_batch(header, batch);
  ShardBuffer buffer(header.quantities.size());
  for (std::size_t i = 0; i < batch.sentences.size(); ++i) {
    buffer.add(batch, checked, i);
  }
  const test::Ending ending = test::run_in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit limits{};
    ::getrlimit(RLIMIT_FSIZE, &limits);
    for (const rlim_t bytes : {rlim_t{1}, rlim_t{3000}, rlim_t{20'000}, rlim_t{60'000}}) {
      limits.rlim_cur = bytes;
      ::setrlimit(RLIMIT_FSIZE, &limits);
      try {
        const PartFile part(directory / "shard");  // removed while HDF5 still has it open, as by the writer
        buffer.write_file(part, header, 1, 1, 0);
        throw UsageError("nothing failed");
      } catch (const StorageError& error) {
        if (error.exit_code() != ExitCode::no_space) {
          throw;
        }
      }
    }
    limits.rlim_cur = limits.rlim_max;
    ::setrlimit(RLIMIT_FSIZE, &limits);
    PartFile whole(directory / "whole");
    buffer.write_file(whole, header, 1, 1, 0);
    whole.publish();
  });
  EXPECT_EQ(ending.exit_code, 0) << "signal " << ending.signal << ' ' << ending.message;
  expect_sample(RecordingReader(directory / "whole"), all_numbers());
}

TEST(Durability, FreeBytesAreThoseOfTheNearestFolder) {
  const TemporaryDirectory directory;
  EXPECT_GT(free_bytes(directory / "not/yet/there"), 0U);
}

}  // namespace
}  // namespace mog::io
