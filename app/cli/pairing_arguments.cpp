#include "app/cli/pairing_arguments.h"

#include <CLI/CLI.hpp>
#include <cstdint>

namespace mog::cli {

void add_pairing_options(CLI::App& command, app::StatisticsOptions& job, const std::string& of,
                         const std::string& group) {
  CLI::Option* const options[] = {
      command
          .add_option_function<std::string>(
              "--pair-by", [&job](const std::string& text) { job.pair_by = analysis::parse_pair_by(text); },
              of + ": sentences that belong together: text (the same characters), or number (the same place "
                   "in two corpora, such as a translation)")
          ->default_str("text"),
      command.add_flag("--allow-partial", job.allow_partial,
                       of + ": also where less than 90 % of the smaller corpus is in pairs"),
      command.add_option("--permutations", job.permutations, of + ": sign flips of sentences behind p")
          ->capture_default_str()
          ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}))};
  for (CLI::Option* const option : options) {
    if (!group.empty()) {
      option->group(group);
    }
  }
}

}  // namespace mog::cli
