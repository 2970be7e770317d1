// `mog completion` and `mog man`: what is installed beside the program, made by it.
#pragma once

#include <CLI/App.hpp>

#include "app/cli/context.h"

namespace mog::cli {

void add_completion(CLI::App& app, Context& context);
void add_man(CLI::App& app, Context& context);

}  // namespace mog::cli
