// What of a command line is neither a command nor an option of it, with what was probably meant.
#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>

namespace mog::cli {

// A message for the first unknown command or option; nullopt where all are known. Values are not looked at.
std::optional<std::string> unknown_word(const CLI::App& app, int argc, const char* const* argv);

}  // namespace mog::cli
