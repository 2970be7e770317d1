// What is written for Slurm, and programs that are run.
#include "app/workflow/tasks/slurm.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/workflow/tasks/program.h"
#include "io/recording/errors.h"
#include "tests/support/temporary_folder.h"

namespace mog::app {
namespace {

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
