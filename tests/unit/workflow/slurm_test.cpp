// What is written for Slurm, and programs that are run.
#include "app/workflow/tasks/slurm.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/workflow/tasks/program.h"
#include "app/workflow/tasks/task_progress.h"
#include "io/recording/errors.h"
#include "tests/support/temporary_folder.h"

namespace mog::app {
namespace {

using namespace std::chrono_literals;

std::string array_of(std::vector<std::int64_t> tasks) {
  return array_text(tasks);
}

TEST(Slurm, ArraysNameStretches) {
  EXPECT_EQ(array_of({}), "");
  EXPECT_EQ(array_of({5}), "5");
  EXPECT_EQ(array_of({1, 2, 3, 4}), "1-4");
  EXPECT_EQ(array_of({1, 3, 4, 7, 9, 10, 11}), "1,3-4,7,9-11");
}

// The script is run by a shell, with every character in paths and words that a shell would read otherwise.
TEST(Slurm, TheScriptRunsTheCommandAndKeepsItsEnd) {
  const test::TemporaryFolder folder;
  const std::filesystem::path state = folder.file("it's $HOME");
  std::filesystem::create_directory(state);
  const std::vector<std::string> command = {
      "sh", "-c",  "printf '%s\\n' \"$PWD\" \"$@\" >" + folder.file("said").string() + "; exit 7",
      "x",  "a b", "$(no)"};
  const auto script = folder.write("task.sh", slurm_script({}, command, state, state, 12));
  const ProgramResult result = run_program({"env", "SLURM_ARRAY_TASK_ID=3", "sh", script.string()});
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(run_program({"cat", folder.file("said").string()}).output,
            state.string() + "\na b\n$(no)\n--shard\n3/12\n");
  EXPECT_EQ(run_program({"cat", (state / "3.exit").string()}).output, "7\n");
  EXPECT_TRUE(std::filesystem::exists(state / "3.start"));
}

TEST(Slurm, OptionsAreWordsOfTheirLine) {
  const std::vector<std::string> command = {"true"};
  const std::string script =
      slurm_script({.partition = "gpu", .gpus = "a100:2", .cpus = 4, .name = "n"}, command, "/", "/", 1);
  for (const char* const line : {"#SBATCH --partition=gpu\n", "#SBATCH --gpus-per-task=a100:2\n",
                                 "#SBATCH --cpus-per-task=4\n", "#SBATCH --job-name=n\n"}) {
    EXPECT_NE(script.find(line), std::string::npos) << line;
  }
  EXPECT_EQ(script.find("--time"), std::string::npos);
  for (const char* const bad : {"a b", "a\n#SBATCH --x", "\"a\"", "a\tb", "\xC3\xA4"}) {
    EXPECT_THROW(slurm_script({.partition = bad}, command, "/", "/", 1), UsageError) << bad;
  }
}

// The clock that stamped both files may be years off ours.
TEST(TaskProgress, ItsSpeedIsThatOfItsOwnStamps) {
  const test::TemporaryFolder folder;
  const auto start = folder.write("1.start", "");
  const auto now = std::filesystem::file_time_type::clock::now();
  for (const std::chrono::hours off : {0h, 5h, -5h, 90'000h, -90'000h}) {
    std::filesystem::last_write_time(start, now + off);
    EXPECT_NEAR(sentences_per_s({50, now + off + 10s}, 20, start), 3.0, 1e-6);
    EXPECT_NEAR(sentences_per_s({50, now + off}, 20, start), 30.0, 1e-6);  // within the finest stamp
    EXPECT_EQ(sentences_per_s({50, now + off - 10s}, 20, start), 0.0);     // its clock was put back
    EXPECT_EQ(sentences_per_s({20, now + off + 10s}, 20, start), 0.0);     // nothing yet
    EXPECT_EQ(sentences_per_s({50, std::nullopt}, 20, start), 0.0);
  }
  EXPECT_EQ(sentences_per_s({50, now}, 20, folder.file("2.start")), 0.0);
}

TEST(TaskProgress, WhatIsAbsentOrDamagedCountsNothing) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(task_progress("record", folder.file("none.rec")).sentences, 0);
  EXPECT_EQ(task_progress("stats", folder.file("none.sums")).sentences, 0);
  EXPECT_EQ(task_progress("parse", folder.write("some.conllu", "1\n")).sentences, 0);
  EXPECT_EQ(task_progress("stats", folder.write("bad.sums", "mog-sums 1 x")).sentences, 0);
  std::filesystem::create_directory(folder.file("bad.rec"));
  folder.write("bad.rec/journal.jsonl", "{\"a\":\n[]\n");
  EXPECT_EQ(task_progress("record", folder.file("bad.rec")).sentences, 0);
}

TEST(Program, BothOutputsAreReadToTheirEnds) {
  const ProgramResult result =
      run_program({"sh", "-c", "head -c 300000 /dev/zero >&2; head -c 200000 /dev/zero; cat; exit 3"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.output.size(), 200000U);
  EXPECT_EQ(result.errors.size(), 300000U);
}

TEST(Program, ASignalIsAnExitAndAnAbsentProgramAnError) {
  EXPECT_EQ(run_program({"sh", "-c", "kill -9 $$"}).exit_code, 137);
  EXPECT_THROW(run_program({"no-such-program-anywhere"}), UsageError);
}

}  // namespace
}  // namespace mog::app
