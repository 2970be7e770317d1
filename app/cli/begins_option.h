// `--begins`, for every command whose decoder writes or reads translations.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace mog::cli {

// `result`: what the decoder writes, as messages call it. `begins` must outlive the parsing.
CLI::Option* add_begins_option(CLI::App& command, std::string& begins,
                               const std::string& result = "translation");

}  // namespace mog::cli
