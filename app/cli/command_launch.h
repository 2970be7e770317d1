#pragma once

#include <CLI/App.hpp>

#include "app/cli/context.h"

namespace mog::cli {

// As the functions of context.h: `mog launch` and `mog status`.
void add_launch(CLI::App& app, Context& context);
void add_status(CLI::App& app, Context& context);

}  // namespace mog::cli
