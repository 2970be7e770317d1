// A loader that a file brings down, hangs or takes over: stand-ins for mog-loader.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "app/workflow/import/import_job.h"
#include "io/loader/loader_process.h"
#include "io/recording/errors.h"
#include "tests/support/temporary_folder.h"

namespace mog::app {
namespace {

class ImportProcess : public testing::Test {
 protected:
  // A program that does `script` (a shell's) instead of parsing.
  std::filesystem::path loader(const std::string& script) {
    const std::filesystem::path program = folder_.path() / "loader";
    std::ofstream(program) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    return program;
  }
  std::filesystem::path file() {
    const std::filesystem::path path = folder_.path() / "maps.h5";
    std::ofstream(path) << "some bytes";
    return path;
  }
  ImportOptions options(const std::string& script) {
    ImportOptions options;
    options.input = file();
    options.output = folder_.path() / "out.rec";
    options.loader = loader(script);
    return options;
  }
  std::string refusal(const std::string& script) {
    const ImportOptions wanted = options(script);
    try {
      import_recording(wanted);
    } catch (const FormatError& error) {
      EXPECT_FALSE(std::filesystem::exists(wanted.output));
      return error.what();
    }
    return "";
  }
  const test::TemporaryFolder folder_;
};

TEST_F(ImportProcess, CrashesAreMessages) {
  for (const char* const signal : {"SEGV", "BUS", "ABRT", "FPE", "ILL"}) {
    const std::string message = refusal(std::string("kill -") + signal + " $$");
    EXPECT_NE(message.find("breaks down"), std::string::npos) << signal << ": " << message;
    EXPECT_NE(message.find("maps.h5"), std::string::npos) << message;
  }
  EXPECT_NE(refusal("exit 7").find("exit code 7"), std::string::npos);
}

TEST_F(ImportProcess, ForbiddenCallsAndTimeAreMessages) {
  EXPECT_NE(refusal("kill -SYS $$").find("does not need"), std::string::npos);
  EXPECT_NE(refusal("kill -XCPU $$").find("processor time"), std::string::npos);
  EXPECT_NE(refusal("kill -KILL $$").find("processor time"), std::string::npos);
}

TEST_F(ImportProcess, NonsenseIsAMessage) {
  EXPECT_NE(refusal("exit 0").find("it ends inside"), std::string::npos);
  EXPECT_NE(refusal("echo this is no frame of any kind").find("no frame"), std::string::npos);
  EXPECT_NE(refusal("head -c 100000 /dev/zero").find("no frame"), std::string::npos);
}

TEST_F(ImportProcess, MissingProgramsAndLibrariesAreNamed) {
  ImportOptions missing = options("exit 0");
  missing.loader = folder_.path() / "not-there";
  try {
    import_recording(missing);
    FAIL();
  } catch (const StorageError& error) {
    EXPECT_NE(std::string(error.what()).find("not-there"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("beside mog"), std::string::npos);
  }
  EXPECT_THROW(import_recording(options("exit 127")), StorageError);
}

TEST_F(ImportProcess, AStopEndsTheLoader) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(import_recording(options("exec sleep 600"), stop.get_token()), Interrupted);
}

TEST_F(ImportProcess, GivesWhatTheProgramWrites) {
  io::LoaderProcess process({.program = loader("printf '%s %s' \"$1\" \"$2\""),
                             .file = "a file's name",
                             .arguments = {"a file's name", "42"}},
                            {});
  std::string all;
  std::array<std::byte, 5> bytes{};
  for (std::size_t got = process.read(bytes); got > 0; got = process.read(bytes)) {
    all.append(reinterpret_cast<const char*>(bytes.data()), got);
  }
  EXPECT_EQ(all, "a file's name 42");
  EXPECT_EQ(process.read(bytes), 0U);
}

}  // namespace
}  // namespace mog::app
