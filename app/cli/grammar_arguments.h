// The choices behind an attention grammar, the same in every command that builds one.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "app/workflow/grammar_options.h"

namespace mog::cli {

// --heads, --gate, --pi, --rho, --residual-share, --target and, where the words may be pieces,
// --keep-pieces. `group`: under which heading --help lists them; empty: among the others.
void add_grammar_options(CLI::App& command, app::GrammarTexts& texts, const std::string& group = "",
                         bool with_pieces = true);

}  // namespace mog::cli
