// Files that are whole or not there: what is said where a place is not as it should be, and what is left
// behind.
#include "io/hdf5/file/durable_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include "io/hdf5/file/free_space.h"
#include "io/recording/errors.h"
#include "io/text/sha256.h"
#include "samples.h"

namespace mog::io {
namespace {

namespace fs = std::filesystem;
using test::TemporaryDirectory;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// What `action` throws: its text and the program's exit code.
template <class Action>
std::pair<std::string, ExitCode> storage_error_of(const Action& action) {
  try {
    action();
  } catch (const StorageError& error) {
    return {error.what(), error.exit_code()};
  }
  return {"nothing", ExitCode::ok};
}

template <class Action>
void expect_storage_error(const Action& action, const std::string& said) {
  const auto [text, code] = storage_error_of(action);
  EXPECT_NE(text.find(said), std::string::npos) << text;
}

TEST(DurableFile, ReplacesTheOldFileAsAWhole) {
  const TemporaryDirectory folder;
  const fs::path path = folder / "numbers";
  std::ofstream(path) << "old";
  {
    PartFile part(path);
    FileDescriptor twin = part.file().duplicated(path);
    twin.write(std::string_view("new text"));
    EXPECT_EQ(part.size_bytes(), 8U);
    Sha256 hash;
    hash.update(std::as_bytes(std::span("new text", 8)));
    EXPECT_EQ(part.sha256(), hash.hex());
    EXPECT_EQ(text_of(part.open_name()), "new text");
    EXPECT_EQ(text_of(path), "old");
    part.publish();
    twin.close();
  }
  EXPECT_EQ(text_of(path), "new text");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(DurableFile, LeavesNothingWhereItIsGivenUp) {
  const TemporaryDirectory folder;
  const fs::path path = folder / "numbers";
  {
    const PartFile part(path);
    EXPECT_TRUE(fs::exists(part.file().path()));
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(DurableFile, TakesNobodyElsesFileForItsOwn) {
  const TemporaryDirectory folder;
  const fs::path path = folder / "numbers";
  fs::path taken;
  {
    PartFile part(path);
    taken = part.file().path();
    fs::remove(taken);
    std::ofstream(taken) << "of another program";
    expect_storage_error([&] { part.publish(); }, "another program has taken");
  }
  EXPECT_EQ(text_of(taken), "of another program");  // and stays
  EXPECT_FALSE(fs::exists(path));
  PartFile part(path);
  fs::remove(part.file().path());
  expect_storage_error([&] { part.publish(); }, "another program has taken");
}

TEST(DurableFile, AFolderInItsPlaceIsToldAndKept) {
  const TemporaryDirectory folder;
  fs::create_directories(folder / "numbers/inside");
  {
    PartFile part(folder / "numbers");
    expect_storage_error([&] { part.publish(); }, "renaming to");
  }
  EXPECT_TRUE(fs::exists(folder / "numbers/inside"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(DurableFile, TheFolderMayBeGoneMeanwhile) {
  const TemporaryDirectory folder;
  fs::create_directory(folder / "runs");
  PartFile part(folder / "runs/numbers");
  fs::rename(folder / "runs", folder / "moved");
  std::ofstream(folder / "runs") << "a file now";
  expect_storage_error([&] { part.publish(); }, "looking at");
}

TEST(DurableFile, SaysWhatTheSystemRefuses) {
  const TemporaryDirectory folder;
  expect_storage_error([&] { FileDescriptor(folder / "absent", O_RDONLY); }, "opening");
  expect_storage_error([&] { FileDescriptor(folder / "absent/file", O_WRONLY | O_CREAT); }, "creating");
  expect_storage_error([&] { sync_directory(folder / "absent"); }, "opening");

  FileDescriptor full("/dev/full", O_WRONLY);
  const auto [text, code] = storage_error_of([&] { full.write(std::string_view("text")); });
  EXPECT_EQ(code, ExitCode::no_space);
  EXPECT_NE(text.find("needed: 4 bytes; free: "), std::string::npos) << text;
  EXPECT_NE(text.find("--resume"), std::string::npos) << text;

  std::ofstream(folder / "file") << "text";
  FileDescriptor unwritable(folder / "file", O_RDONLY);
  expect_storage_error([&] { unwritable.write(std::string_view("text")); }, "writing");
  FileDescriptor closed(folder / "file", O_RDONLY);
  ::close(closed.get());
  expect_storage_error([&] { closed.sync(); }, "flushing");
  expect_storage_error([&] { closed.duplicated("copy"); }, "opening copy");
  expect_storage_error([&] { closed.close(); }, "closing");
  EXPECT_FALSE(closed);
}

// A part whose descriptor somebody closed: every question says so, and nothing is published.
TEST(DurableFile, ADescriptorThatIsGone) {
  const TemporaryDirectory folder;
  PartFile part(folder / "numbers");
  const int kept = ::dup(part.file().get());
  ::close(part.file().get());
  expect_storage_error([&] { static_cast<void>(part.size_bytes()); }, "writing");
  expect_storage_error([&] { static_cast<void>(part.sha256()); }, "reading again");
  EXPECT_EQ(part.open_name(), part.file().path());
  expect_storage_error([&] { part.publish(); }, "flushing");
  ::dup2(kept, part.file().get());
  ::close(kept);
  part.publish();
  EXPECT_TRUE(fs::exists(folder / "numbers"));
}

TEST(DurableFile, SpaceIsAskedForBeforeItIsNeeded) {
  const TemporaryDirectory folder;
  const PartFile part(folder / "numbers");
  part.reserve(0);
  part.reserve(1000);
  const auto [text, code] = storage_error_of([&] { part.reserve(std::uint64_t{1} << 60U); });
  EXPECT_EQ(code, ExitCode::no_space) << text;
  EXPECT_GT(free_bytes(folder / "not/yet/there"), 0U);
  expect_storage_error([&] { throw_storage_error("writing", std::string(5000, 'x'), EFBIG); },
                       "no space left");
}

TEST(DurableFile, LooksAtWhatIsThere) {
  const TemporaryDirectory folder;
  std::ofstream(folder / "file") << "text";
  fs::create_symlink("file", folder / "link");
  fs::create_symlink("loop", folder / "loop");
  EXPECT_EQ(look_at(folder / "link").type(), fs::file_type::symlink);
  EXPECT_EQ(look_behind(folder / "link").type(), fs::file_type::regular);
  EXPECT_EQ(look_behind(folder / "loop").type(), fs::file_type::not_found);
  EXPECT_EQ(look_at(folder / std::string(300, 'x')).type(), fs::file_type::not_found);
  EXPECT_EQ(look_at(folder / "file/below").type(), fs::file_type::not_found);
}

}  // namespace
}  // namespace mog::io
