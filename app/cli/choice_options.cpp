#include "app/cli/choice_options.h"

#include <CLI/CLI.hpp>
#include <utility>
#include <vector>

namespace mog::cli {
namespace {

std::string names_of(const app::Choice& choice) {
  return "--" + choice.name + (choice.letter == 0 ? std::string() : std::string(",-") + choice.letter);
}

CLI::Option* add_one(CLI::App& command, const std::string& names, const app::Choice& choice,
                     app::ChosenTexts& chosen) {
  if (choice.value.empty()) {
    return command.add_flag_callback(
        names,
        [&chosen, name = choice.name] {
          chosen.push_back({name, {}});
        },
        choice.help);
  }
  const auto keep = [&chosen, name = choice.name](const std::vector<std::string>& texts) {
    chosen.push_back({name, texts});
  };
  CLI::Option* option = nullptr;
  if (choice.several) {
    option = command.add_option_function<std::vector<std::string>>(names, keep, choice.help);
    option->allow_extra_args(false);
  } else {
    option = command.add_option_function<std::string>(
        names, [keep](const std::string& text) { keep({text}); }, choice.help);
  }
  option->type_name(choice.value);
  if (!choice.usual.empty()) {
    option->default_str(choice.usual);
  }
  return option;
}

}  // namespace

void ChoiceOptions::add_to(CLI::App& command, const std::string& group) {
  for (const app::Choice& choice : choices.all()) {
    CLI::Option* const option = add_one(command, names_of(choice), choice, chosen);
    option->group(group);
    if (!choice.former.empty()) {
      add_one(command, "--" + choice.former, choice, chosen)->group("");
    }
  }
}

}  // namespace mog::cli
