#include "app/cli/unknown_words.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <vector>

#include "io/recording/nearest_name.h"

namespace mog::cli {
namespace {

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

const CLI::App* command_named(const CLI::App& app, const std::string& name) {
  for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == name) {
      return command;
    }
  }
  return nullptr;
}

}  // namespace

std::optional<std::string> unknown_word(const CLI::App& app, int argc, const char* const* argv) {
  const CLI::App* command = nullptr;
  std::vector<std::string> options = option_names(app);
  std::vector<std::string> commands = {"help"};
  for (const CLI::App* const one : app.get_subcommands([](const CLI::App*) { return true; })) {
    commands.push_back(one->get_name());
  }
  bool value = false;  // of an option before the command
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--") {
      return std::nullopt;
    }
    if (word.starts_with("--")) {
      const std::string name = word.substr(0, word.find('='));
      // Options of the command are known once it is: those before it are the program's own.
      if (std::find(options.begin(), options.end(), name) == options.end()) {
        if (command == nullptr) {
          for (int later = i + 1; later < argc; ++later) {
            const CLI::App* const next = command_named(app, argv[later]);
            const std::vector<std::string> own =
                next == nullptr ? std::vector<std::string>() : option_names(*next);
            if (std::find(own.begin(), own.end(), name) != own.end()) {
              return fmt::format("{} is an option of mog {}, and stands behind it: mog {} {} …", name,
                                 next->get_name(), next->get_name(), name);
            }
          }
        }
        const std::string of = command == nullptr ? "mog" : "mog " + command->get_name();
        return fmt::format("{} has no option {}{}", of, name, did_you_mean(name, options));
      }
      if (command == nullptr) {
        const CLI::Option* const option = app.get_option_no_throw(name);
        value = option != nullptr && option->get_items_expected_min() > 0 && name == word;
      }
    } else if (command == nullptr && !value && !word.starts_with("-")) {
      command = command_named(app, word);
      if (command == nullptr) {
        return "mog has no command \"" + word + "\"" + did_you_mean(word, commands);
      }
      const std::vector<std::string> own = option_names(*command);
      options.insert(options.end(), own.begin(), own.end());
    } else {
      value = false;
    }
  }
  return std::nullopt;
}

}  // namespace mog::cli
