// Scripts in the place of mog-loader: every way in which it may end is one message of the right kind, and an
// answer that does not hold together is refused before it is used.
#include "io/loader/loader_process.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <stop_token>
#include <string>
#include <vector>

#include "io/checkpoint/weights_file.h"
#include "io/recording/errors.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/weights_bytes.h"

namespace mog::io {
namespace {

using test::little_endian;
using test::TemporaryFolder;

class LoaderProcesses : public testing::Test {
 protected:
  LoaderTask task(const std::string& script) {
    std::ofstream(program_) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(program_, std::filesystem::perms::owner_all);
    return {.program = program_, .file = "model.pt", .doing = "opening", .parser = "its parser"};
  }
  // "UsageError: message" of what finish() throws.
  std::string outcome(const std::string& script) {
    try {
      LoaderProcess process(task(script), {});
      process.finish();
    } catch (const Error& error) {
      const std::string kind = dynamic_cast<const UsageError*>(&error) != nullptr     ? "usage"
                               : dynamic_cast<const ModelError*>(&error) != nullptr   ? "model"
                               : dynamic_cast<const StorageError*>(&error) != nullptr ? "storage"
                               : dynamic_cast<const FormatError*>(&error) != nullptr  ? "format"
                                                                                      : "other";
      return kind + ": " + error.what();
    }
    return "read";
  }
  void expect(const std::string& script, const std::string& words) {
    const std::string found = outcome(script);
    EXPECT_EQ(found.find(words.substr(0, words.find(' '))), 0U) << script << ": " << found;
    EXPECT_NE(found.find(words.substr(words.find(' ') + 1)), std::string::npos) << script << ": " << found;
  }

  TemporaryFolder folder_;
  std::filesystem::path program_ = folder_.file("loader");
};

TEST_F(LoaderProcesses, RefusalsAreThrownAsTheirFirstLetterSays) {
  expect("exit 0", "read read");
  expect("printf '...'; exit 0", "read read");
  expect("printf 'Uno such file'; exit 3", "usage: no such file");
  expect("printf '..Mwrong shape'; exit 3", "model: wrong shape");
  expect("printf 'Sno memory'; exit 3", "storage: no memory");
  expect("printf 'Fdamaged \\377'; exit 3", "format: damaged \xEF\xBF\xBD");
  expect("printf '?damaged'; exit 3", "format: damaged");
  expect("printf '...'; exit 3", "format: model.pt: the loader refuses it without a word");
  // At most 64 KiB are kept.
  EXPECT_LT(outcome("printf F; head -c 200000 /dev/zero | tr '\\0' x; exit 3").size(), 66'000U);
}

TEST_F(LoaderProcesses, WaysToEndAreSaid) {
  expect("exit 127", "storage: opening model.pt: mog-loader, which parses such files, does not start");
  expect("exit 4", "storage: --require-sandbox or MOG_REQUIRE_SANDBOX demands it");
  expect("exit 5", "storage: nothing came from its disk for a long time");
  expect("exit 9", "format: its parser breaks down (exit code 9): the file is damaged or made to do harm");
  expect("kill -KILL $$", "format: needs more processor time or memory than a file of this size may");
  expect("kill -XCPU $$", "format: needs more processor time or memory than a file of this size may");
  expect("kill -SYS $$", "format: attempts what reading a file does not need");
  expect("kill -SEGV $$", "format: its parser breaks down (");
}

TEST_F(LoaderProcesses, WhatCannotBeStartedIsNamed) {
  LoaderTask absent = task("");
  absent.program = folder_.file("absent");
  try {
    const LoaderProcess process(absent, {});
    ADD_FAILURE();
  } catch (const StorageError& error) {
    EXPECT_NE(std::string(error.what()).find("absent: No such file or directory; it belongs beside mog"),
              std::string::npos)
        << error.what();
  }
  LoaderTask bare = task("");
  std::ofstream(program_, std::ios::trunc) << "neither a script nor a program";
  try {
    const LoaderProcess process(bare, {});
    ADD_FAILURE();
  } catch (const StorageError& error) {
    EXPECT_NE(std::string(error.what()).find("opening model.pt: starting "), std::string::npos)
        << error.what();
  }
}

// Where no more files may be open there is no pipe, and a program that ends its answer without ending is
// ended.
TEST_F(LoaderProcesses, WithoutAPipeOrAnEndItIsSaid) {
  const LoaderTask sound = task("exit 0");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 0;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  std::string said;
  try {
    const LoaderProcess process(sound, {});
  } catch (const StorageError& error) {
    said = error.what();
  }
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_NE(said.find("opening model.pt: starting "), std::string::npos) << said;
  EXPECT_NE(said.find("Too many open files"), std::string::npos) << said;
  expect("exec >&-; exec sleep 100", "format: its parser needs more processor time or memory");
}

TEST_F(LoaderProcesses, AStopEndsIt) {
  std::stop_source stop;
  LoaderProcess process(task("printf .; exec sleep 100"), stop.get_token());
  std::byte byte{};
  EXPECT_EQ(process.read({&byte, 1}), 1U);
  stop.request_stop();
  EXPECT_THROW(process.read({&byte, 1}), Interrupted);
}

TEST_F(LoaderProcesses, BehindTheEndNothingIsRead) {
  LoaderProcess process(task("printf ab"), {});
  std::array<std::byte, 8> bytes{};
  std::size_t all = 0;
  for (std::size_t got = process.read(bytes); got > 0; got = process.read(bytes)) {
    all += got;
  }
  EXPECT_EQ(all, 2U);
  EXPECT_EQ(process.read(bytes), 0U);
}

TEST_F(LoaderProcesses, TheReasonOfAMissingSandboxIsTold) {
  EXPECT_EQ(sandbox_defect(task("[ \"$1\" = sandbox ] && printf 'no filters here'").program),
            "no filters here");
  EXPECT_EQ(sandbox_defect(task("exit 0").program), "");
}

// ---- the image of weights that it leaves in memory
class LoaderAnswers : public LoaderProcesses {
 protected:
  std::string opened(const std::string& image, bool values = true) {
    folder_.write("image", image);
    const LoaderTask loader = task("exec cat " + folder_.file("image").string() + " >&3");
    try {
      const WeightsFile weights = open_weights(folder_.write("model.pt", "PK"),
                                               {.format = {}, .values = values, .loader = loader.program});
      std::string text(name(weights.format()));
      for (const TensorInfo& info : weights.tensors()) {
        text += " " + info.name;
      }
      return text;
    } catch (const FormatError& error) {
      return error.what();
    }
  }
  static std::string image(const std::string& metadata, const std::string& tensors = "",
                           const std::string& values = "") {
    const std::string header = "{\"__metadata__\":{" + metadata + R"(,"places":"{}"})" + tensors + "}";
    return little_endian(header.size(), 8) + header + values;
  }
};

constexpr const char* kSound = R"("format":"torch","metadata":"{}","aliases":"{\"b\":\"a\"}")";
constexpr const char* kTensor = R"(,"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]})";

TEST_F(LoaderAnswers, AreHeldAgainstThemselves) {
  EXPECT_EQ(opened(image(kSound, kTensor, "1234")), "torch a b");
  EXPECT_EQ(opened(image(kSound, kTensor), false), "torch a b");
  const std::vector<std::string> damaged = {
      little_endian(1U << 30U, 8),
      little_endian(50, 8) + "{}",
      image(R"("format":"torch","metadata":"{}")", kTensor, "1234"),
      image(R"("format":"torch","metadata":"{}","aliases":"{"c)", kTensor, "1234"),
      image(R"("format":"torch","metadata":"{}","aliases":"{\"b\":\"c\"}")", kTensor, "1234"),
      image(R"("format":"other","metadata":"{}","aliases":"{}")", kTensor, "1234")};
  for (const std::string& bytes : damaged) {
    const std::string message = opened(bytes);
    EXPECT_NE(message.find("model.pt: "), std::string::npos) << bytes << ": " << message;
    EXPECT_TRUE(message.find("the loader's answer is damaged") != std::string::npos ||
                message.find("JSON") != std::string::npos)
        << bytes << ": " << message;
  }
  EXPECT_NE(opened("short").find("the file was cut"), std::string::npos);
}

TEST_F(LoaderAnswers, TypesThatAreNotComputedWithAreWidenedOrRefused) {
  const std::string tensors = R"(,"u16":{"dtype":"U16","shape":[1],"data_offsets":[0,2]})"
                              R"(,"i16":{"dtype":"I16","shape":[1],"data_offsets":[2,4]})"
                              R"(,"u32":{"dtype":"U32","shape":[1],"data_offsets":[4,8]})"
                              R"(,"c64":{"dtype":"C64","shape":[1],"data_offsets":[8,16]})"
                              R"(,"i8":{"dtype":"I8","shape":[1],"data_offsets":[16,17]})";
  const std::string values = little_endian(0xFFFF, 2) + little_endian(0xFFFF, 2) +
                             little_endian(0xFFFFFFFF, 4) + std::string(8, '\0') + "\xFE";
  folder_.write("image", image(R"("format":"torch","metadata":"{}","aliases":"{}")", tensors, values));
  const LoaderTask loader = task("exec cat " + folder_.file("image").string() + " >&3");
  const WeightsFile weights =
      open_weights(folder_.write("model.pt", "PK"), {.format = {}, .values = true, .loader = loader.program});
  EXPECT_EQ(weights.read("u16").values<std::int64_t>()[0], 0xFFFF);
  EXPECT_EQ(weights.read("i16").values<std::int32_t>()[0], -1);
  EXPECT_EQ(weights.read("u32").values<std::int64_t>()[0], 0xFFFFFFFF);
  EXPECT_EQ(weights.read("i8").values<std::int32_t>()[0], -2);
  EXPECT_THROW(weights.read("c64"), ModelError);
  EXPECT_THROW(weights.read("none"), ModelError);
}

}  // namespace
}  // namespace mog::io
