// `mog stats --model`: statistics of a corpus while a model runs over it.
#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <string>

#include "app/cli/context.h"
#include "app/cli/shard_option.h"
#include "app/workflow/statistics/running_job.h"

namespace mog::cli {

struct RunningTexts {
  std::filesystem::path model;
  std::filesystem::path input;
  ShardOption shard;
  std::string long_sentences = "error";
  std::string invalid_utf8 = "error";
  bool resume = false;
  bool overwrite = false;
  app::RecordOptions record;
  std::int64_t commit_every = 20'000;
  bool wanted() const { return !model.empty() || !input.empty(); }
};

void add_running_options(CLI::App& command, RunningTexts& texts);
// Options of running without it; options of `mog stats` that say nothing here. Throws UsageError.
void check_running_options(const CLI::App& command, const RunningTexts& texts);
// Counts, and writes the sums (output.sums) or the table.
void run_running(Context& context, const RunningTexts& texts, const app::RunningRequest& request,
                 const std::filesystem::path& output);

}  // namespace mog::cli
