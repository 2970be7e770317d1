// `mog examples`: the how-to pages of the manual, and their commands.
#pragma once

#include <CLI/App.hpp>

#include "app/cli/context.h"

namespace mog::cli {

void add_examples(CLI::App& app, Context& context);

}  // namespace mog::cli
