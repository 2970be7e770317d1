// Files of recordings are opened by mog-loader first: stand-ins for it that a file brings down.
#include "io/hdf5/recording/recording_check.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "io/loader/loader_process.h"
#include "io/recording/errors.h"
#include "tests/support/temporary_folder.h"

namespace mog::io {
namespace {

class RecordingCheck : public testing::Test {
 protected:
  // With a program that does `script` (a shell's) instead of reading.
  void check(const std::string& script) const {
    const std::filesystem::path program = folder_.path() / "loader";
    std::ofstream(program) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    const std::vector<std::filesystem::path> files{"a.h5", "b.h5"};
    check_apart("runs/a.rec", CheckedFiles::shards, files, program);
  }
  template <class E>
  std::string words(const std::string& script) const {
    try {
      check(script);
    } catch (const E& error) {
      return error.what();
    }
    ADD_FAILURE() << script;
    return "";
  }

 private:
  const test::TemporaryFolder folder_;
};

TEST_F(RecordingCheck, ThrowsTheWordsOfTheLoader) {
  EXPECT_NO_THROW(check("printf ..."));
  EXPECT_NO_THROW(check(R"([ "$*" = "check shards a.h5 b.h5" ])"));
  EXPECT_EQ(words<FormatError>("printf '..Fline 3 is not what it should be'; exit 3"),
            "line 3 is not what it should be");
  EXPECT_EQ(words<UsageError>("printf Uabsent; exit 3"), "absent");
  EXPECT_EQ(words<StorageError>("printf Sshort; exit 3"), "short");
}

TEST_F(RecordingCheck, AFileThatBreaksTheLoaderDownIsRefused) {
  for (const char* const signal : {"SEGV", "BUS", "ABRT", "FPE", "ILL", "XCPU", "SYS"}) {
    const std::string message = words<FormatError>(std::string("kill -") + signal + " $$");
    EXPECT_NE(message.find("reading runs/a.rec"), std::string::npos) << message;
  }
}

TEST_F(RecordingCheck, ADiskThatDoesNotAnswerIsNotADamagedFile) {
  words<StorageError>("exit " + std::to_string(kBlocked));
}

TEST_F(RecordingCheck, ALoaderThatCannotBeRestrictedMayBeRefused) {
  EXPECT_NE(words<StorageError>("exit " + std::to_string(kUnrestricted)).find("--require-sandbox"),
            std::string::npos);
}

}  // namespace
}  // namespace mog::io
