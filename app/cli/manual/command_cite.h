// `mog cite`: what to cite for the program and for the methods of a command.
#pragma once

#include <CLI/App.hpp>

#include "app/cli/context.h"

namespace mog::cli {

void add_cite(CLI::App& app, Context& context);

}  // namespace mog::cli
