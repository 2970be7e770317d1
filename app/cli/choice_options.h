// Options of the command line made from choices (app/workflow/common/choices.h).
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <string_view>

#include "app/workflow/common/choices.h"

namespace mog::cli {

// The choices of a command and what was given of them. Lives as long as the command.
struct ChoiceOptions {
  app::Choices choices;
  app::ChosenTexts chosen;

  // Declared choices become options. An empty group hides them from the help.
  void add_to(CLI::App& command, const std::string& group = "Options");
  // Reads what was given; throws UsageError as Choices::take.
  void take(std::string_view command) const { choices.take(chosen, command); }
};

}  // namespace mog::cli
