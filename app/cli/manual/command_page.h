// What the program says of its commands, as data: manual pages and completions are made of the same texts as
// --help.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace mog::cli {

struct OptionPage {
  std::vector<std::string> names = {};  // "--model", "-m"; of a positional its name alone, "KIND"
  bool positional = false;
  bool required = false;
  bool several = false;
  std::string value = {};  // what stands for a value, "TEXT"; empty: a flag
  std::string usual = {};  // the default; empty: none
  std::string description = {};
  std::string group = {};  // the heading that it stands under; empty: it is hidden
};

struct CommandPage {
  std::string name;
  std::string description;
  std::string footer = {};  // "Examples:\n  mog …"
  std::vector<OptionPage> options = {};
  std::vector<CommandPage> commands = {};
};

// Of the whole program, or of one command. Hidden options come, too.
CommandPage page_of(const CLI::App& app);

}  // namespace mog::cli
