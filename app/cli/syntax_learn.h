// `mog syntax --learn` and `--ensemble`: labelled trees of head ensembles.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "app/cli/context.h"
#include "app/workflow/syntax/syntax_job.h"

namespace mog::cli {

struct LearnTexts {
  std::int64_t sentences = 0;  // 0: not asked for
  std::vector<std::filesystem::path> from;
  std::filesystem::path treebank;
  std::string tags = "gold";
  std::string weights = "fitted";
  std::filesystem::path save;
  std::filesystem::path ensemble;
  bool wanted() const { return sentences > 0 || !ensemble.empty(); }
};

void add_learn_options(CLI::App& command, LearnTexts& texts);
// Options of learning without it; options of `mog syntax` that say nothing here. Throws UsageError.
void check_learn_options(const CLI::App& command, const LearnTexts& texts);
// Learns or reads ensembles, scores them, writes what was asked for.
void run_learn(Context& context, const LearnTexts& texts, const app::SyntaxOptions& options,
               std::span<const std::filesystem::path> recordings, const std::filesystem::path& output,
               const std::filesystem::path& trees);

}  // namespace mog::cli
