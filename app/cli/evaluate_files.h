// What `mog evaluate` does with files of parses and of coreference: which files are some, and their options.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "analysis/statistics/table.h"
#include "app/cli/context.h"
#include "app/workflow/evaluate/score_job.h"

namespace mog::cli {

inline constexpr std::string_view kOfParses = "scores of parses (--hypothesis and --reference in CoNLL-U)";

enum class FilesOf : std::uint8_t { translations, parses, coreference };  // translations or summaries
std::string_view name(FilesOf files) noexcept;
// By the names of the scores, by the name of the reference, or by options that only parses have.
FilesOf files_of(const CLI::App& command, std::string_view metrics,
                 std::span<const std::filesystem::path> references);

// Options as they were given; --metric by default that of translations.
struct ScoreTexts {
  std::string metrics;
  std::string by;
  std::string bins;
  bool no_punct = false;
  std::string format;
  std::filesystem::path output;
};

void add_parse_options(CLI::App& command, std::string& by, bool& no_punct);

// `score` has its files and its resampling. Both throw UsageError for options that belong to translations.
void evaluate_parses(Context& context, const CLI::App& command, const app::ScoreOptions& score,
                     const ScoreTexts& texts);
void evaluate_coreference(Context& context, const CLI::App& command, const app::ScoreOptions& score,
                          const ScoreTexts& texts);

// As --json and --format say.
template <class Result>
std::string shown(const Context& context, std::string_view format, const Result& result) {
  if (context.json) {
    return to_json(result) + "\n";
  }
  return format == "csv" ? analysis::to_csv(score_table(result)) : score_text(result);
}

}  // namespace mog::cli
