// Adds the subcommand `import`.
#pragma once

#include <CLI/App.hpp>

#include "app/cli/context.h"

namespace mog::cli {

void add_import(CLI::App& app, Context& context);

}  // namespace mog::cli
