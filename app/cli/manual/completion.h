// Scripts by which a shell completes a command line: commands, options, and the values of those that have
// names.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/manual/command_page.h"

namespace mog::cli {

struct CompletionValues {
  // By option, "--model", or by command and option, "stats --quantity", or positional, "figure KIND": the
  // names that it takes. Nothing: files.
  std::map<std::string, std::vector<std::string>, std::less<>> names;
  std::map<std::string, std::vector<std::string>> figure_options;  // by kind: options of its own
  // Options whose names may be joined by commas, and options that take files beside the names.
  std::vector<std::string> lists;
  std::vector<std::string> files;
};

// The names that this installation knows: bundled models, quantities, kinds of figures, …
CompletionValues completion_values(const CommandPage& program);

// The names of an option of a command; nullptr: none are known.
const std::vector<std::string>* names_of(const CompletionValues& values, std::string_view command,
                                         const OptionPage& option);

std::string bash_completion(const CommandPage& program, const CompletionValues& values);
std::string zsh_completion(const CommandPage& program, const CompletionValues& values);
std::string fish_completion(const CommandPage& program, const CompletionValues& values);

}  // namespace mog::cli
