// Which task a process is: every launcher, arrays of them, and what is refused.
#include "app/workflow/tasks/task_place.h"

#include <gtest/gtest.h>

#include <utility>

#include "app/workflow/tasks/shard.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

std::pair<std::int64_t, std::int64_t> place(const Environment& environment) {
  const TaskPlace found = task_place(environment);
  return {found.task, found.tasks};
}

std::string refusal(const Environment& environment) {
  try {
    task_place(environment);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

// Each of `words` stands in `text`.
void expect_words(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* const word : words) {
    EXPECT_NE(text.find(word), std::string::npos) << text << "\nlacks: " << word;
  }
}

using Place = std::pair<std::int64_t, std::int64_t>;

TEST(TaskPlace, IsReadFromEveryLauncher) {
  EXPECT_EQ(place({{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "4"}}), Place(3, 4));
  EXPECT_EQ(place({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}}), Place(1, 2));
  EXPECT_EQ(place({{"RANK", "7"}, {"WORLD_SIZE", "8"}}), Place(8, 8));
  EXPECT_EQ(place({{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "3"}}), Place(2, 3));
  EXPECT_EQ(place({{"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "3"}}), Place(2, 3));
  EXPECT_EQ(place({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}}), Place(1, 1));
  EXPECT_EQ(place({{"SLURM_PROCID", "0"}}), Place(1, 1));  // the script of a job that asked for no number
}

TEST(TaskPlace, OfAnArrayCountsFromItsFirstTask) {
  Environment array = {
      {"SLURM_ARRAY_TASK_ID", "3"}, {"SLURM_ARRAY_TASK_COUNT", "5"}, {"SLURM_ARRAY_TASK_MIN", "1"}};
  EXPECT_EQ(place(array), Place(3, 5));
  array["SLURM_ARRAY_TASK_MIN"] = "0";
  array["SLURM_ARRAY_TASK_ID"] = "4";
  array["SLURM_ARRAY_TASK_STEP"] = "2";
  EXPECT_EQ(place(array), Place(3, 5));
  EXPECT_EQ(task_place(array).source, "SLURM_ARRAY_TASK_ID");
}

// `--array=3` to do task 3 of eight again would be the whole corpus.
TEST(TaskPlace, OfSomeTasksOfAnArrayIsNotGuessed) {
  const Environment again = {{"SLURM_ARRAY_TASK_ID", "3"},
                             {"SLURM_ARRAY_TASK_COUNT", "1"},
                             {"SLURM_ARRAY_TASK_MIN", "3"},
                             {"SLURM_ARRAY_TASK_MAX", "3"}};
  expect_words(refusal(again), {"SLURM_ARRAY_TASK_ID is 3", "begins at 3", "--shard i/n"});
}

TEST(TaskPlace, OfAnArrayOfProcessesIsOneOfTheirProduct) {
  Environment environment = {
      {"SLURM_ARRAY_TASK_COUNT", "3"}, {"SLURM_ARRAY_TASK_MIN", "0"}, {"SLURM_STEP_NUM_TASKS", "4"}};
  std::int64_t expected = 0;
  for (const char* const id : {"0", "1", "2"}) {
    for (const char* const process : {"0", "1", "2", "3"}) {
      environment["SLURM_ARRAY_TASK_ID"] = id;
      environment["SLURM_PROCID"] = process;
      EXPECT_EQ(place(environment), Place(++expected, 12));
    }
  }
  EXPECT_EQ(task_place(environment).source, "SLURM_ARRAY_TASK_ID, SLURM_PROCID");
}

// mpirun in a Slurm job: its processes inherit the rank of the daemon that started them.
TEST(TaskPlace, BelievesTheInnermostLauncher) {
  EXPECT_EQ(place({{"SLURM_PROCID", "0"},
                   {"SLURM_NTASKS", "4"},
                   {"OMPI_COMM_WORLD_RANK", "3"},
                   {"OMPI_COMM_WORLD_SIZE", "4"}}),
            Place(4, 4));
  EXPECT_EQ(place({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"RANK", "1"}, {"WORLD_SIZE", "2"}}), Place(2, 2));
}

TEST(TaskPlace, RefusesLaunchersThatContradictEachOther) {
  expect_words(refusal({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"RANK", "0"}, {"WORLD_SIZE", "2"}}),
               {"PMI_RANK says 1 of 2", "RANK says 0 of 2"});
}

TEST(TaskPlace, RefusesWhatIsNoNumberOrOutOfRange) {
  for (const char* const bad : {"-1", "x", "1x", "1.0", " 1", "99999999999999999999", "2000000000"}) {
    expect_words(refusal({{"RANK", bad}, {"WORLD_SIZE", "2"}}), {"RANK", bad, "whole number"});
  }
  expect_words(refusal({{"RANK", "2"}, {"WORLD_SIZE", "2"}}), {"RANK is 2", "WORLD_SIZE is 2"});
  expect_words(refusal({{"RANK", "0"}, {"WORLD_SIZE", "0"}}), {"WORLD_SIZE", "from 1"});
  expect_words(refusal({{"SLURM_ARRAY_TASK_ID", "0"},
                        {"SLURM_ARRAY_TASK_MIN", "0"},
                        {"SLURM_ARRAY_TASK_COUNT", "1000000"},
                        {"RANK", "0"},
                        {"WORLD_SIZE", "1001"}}),
               {"1000000", "1001"});
}

TEST(TaskPlace, RefusesHalfOfAPair) {
  expect_words(refusal({{"RANK", "0"}}), {"RANK is set, but WORLD_SIZE is not"});
  expect_words(refusal({{"PMI_SIZE", "2"}}), {"PMI_SIZE is set, but PMI_RANK is not"});
  expect_words(refusal({{"SLURM_PROCID", "1"}}), {"SLURM_NTASKS"});
  expect_words(refusal({{"SLURM_ARRAY_TASK_ID", "1"}}), {"SLURM_ARRAY_TASK_COUNT"});
}

// --array=1,3,7: the third task does not know that it is the third.
TEST(TaskPlace, RefusesAnArrayWithGaps) {
  const Environment array = {
      {"SLURM_ARRAY_TASK_ID", "7"}, {"SLURM_ARRAY_TASK_COUNT", "3"}, {"SLURM_ARRAY_TASK_MIN", "1"}};
  expect_words(refusal(array), {"SLURM_ARRAY_TASK_ID is 7", "gaps", "--shard i/n"});
}

TEST(TaskPlace, RefusesTheScriptOfAJobOfSeveralTasks) {
  expect_words(refusal({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}), {"SLURM_NTASKS is 4", "srun mog"});
}

TEST(TaskPlace, OfNothingNamesWhatWasLookedAt) {
  const Environment nothing = {{"RANK", ""}, {"HOME", "/"}};
  expect_words(refusal(nothing), {"SLURM_ARRAY_TASK_ID", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK",
                                  "RANK", "WORLD_SIZE"});
}

TEST(Shard, IsGivenOrAsked) {
  const Shard given = parse_shard("2/12", {});
  EXPECT_EQ(Place(given.part, given.parts), Place(2, 12));
  const Shard asked = parse_shard("auto", {{"RANK", "1"}, {"WORLD_SIZE", "2"}});
  EXPECT_EQ(Place(asked.part, asked.parts), Place(2, 2));
  for (const char* const bad : {"", "2", "2/", "/2", "0/2", "3/2", "1/0", "a/b", "1/2/3", "Auto"}) {
    EXPECT_THROW(parse_shard(bad, {{"RANK", "0"}, {"WORLD_SIZE", "1"}}), UsageError) << bad;
  }
}

TEST(Shard, NamesThePathsOfItsPart) {
  EXPECT_EQ(path_of_part("run/{part}.rec", {.part = 2, .parts = 12}), "run/02.rec");
  EXPECT_EQ(path_of_part("{part}/{part}", {.part = 3, .parts = 3}), "3/3");
  EXPECT_EQ(path_of_part("run.rec", {.part = 2, .parts = 12}), "run.rec");
}

// What is refused is in cli_train_processes.py, word by word.
TEST(ProcessPlace, IsReadFromEveryLauncherAndMeetsAtOnePlace) {
  const Environment meeting = {{"MASTER_ADDR", "node1"}, {"MASTER_PORT", "29500"}};
  const auto place_of = [&](Environment environment) {
    environment.insert(meeting.begin(), meeting.end());
    return process_place(environment);
  };
  const ProcessPlace torchrun = place_of({{"RANK", "5"},
                                          {"WORLD_SIZE", "8"},
                                          {"LOCAL_RANK", "1"},
                                          {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                                          {"TORCHELASTIC_RESTART_COUNT", "2"}});
  EXPECT_EQ(torchrun.options.rank, 5);
  EXPECT_EQ(torchrun.options.count, 8);
  EXPECT_EQ(torchrun.options.address, "node1");
  EXPECT_EQ(torchrun.options.port, 29500);
  EXPECT_TRUE(torchrun.options.store_is_there);
  EXPECT_EQ(torchrun.options.attempt, "2");
  EXPECT_EQ(torchrun.local_rank, 1);
  EXPECT_EQ(torchrun.source, "RANK");

  // The tasks of an array are runs of their own.
  const ProcessPlace srun = place_of({{"SLURM_PROCID", "3"},
                                      {"SLURM_STEP_NUM_TASKS", "4"},
                                      {"SLURM_LOCALID", "0"},
                                      {"SLURM_ARRAY_TASK_ID", "2"},
                                      {"SLURM_ARRAY_TASK_COUNT", "3"},
                                      {"SLURM_ARRAY_TASK_MIN", "0"}});
  EXPECT_EQ(std::pair(srun.options.rank, srun.options.count), std::pair(3, 4));
  EXPECT_FALSE(srun.options.store_is_there);
  EXPECT_EQ(srun.local_rank, 0);
  EXPECT_EQ(place_of({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}}).local_rank,
            std::nullopt);
  EXPECT_EQ(process_place({{"RANK", "0"}, {"WORLD_SIZE", "1"}}).options.count, 1);  // meets nobody
}

TEST(ProcessPlace, OfAStartedProcessIsTheOneItWasStartedAt) {
  ProcessPlace place;
  place.options = {.rank = 2, .count = 3, .address = "127.0.0.1", .port = 4711};
  place.local_rank = 2;
  const Environment environment = environment_at(place, {{"PMI_RANK", "0"},
                                                         {"PMI_SIZE", "1"},
                                                         {"RANK", "7"},
                                                         {"WORLD_SIZE", "8"},
                                                         {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                                                         {"HOME", "/somewhere"}});
  const ProcessPlace found = process_place(environment);
  EXPECT_EQ(std::pair(found.options.rank, found.options.count), std::pair(2, 3));
  EXPECT_EQ(found.options.address, "127.0.0.1");
  EXPECT_EQ(found.options.port, 4711);
  EXPECT_FALSE(found.options.store_is_there);
  EXPECT_EQ(found.local_rank, 2);
  EXPECT_EQ(environment.at("HOME"), "/somewhere");
}

}  // namespace
}  // namespace mog::app
