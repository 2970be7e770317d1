// `mog merge`.
#pragma once

#include <CLI/App.hpp>

#include "app/cli/context.h"

namespace mog::cli {

void add_merge(CLI::App& app, Context& context);

}  // namespace mog::cli
