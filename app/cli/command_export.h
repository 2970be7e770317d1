// `mog export`: quantities and tables in the files of other programs.
#pragma once

#include <CLI/App.hpp>

#include "app/cli/context.h"

namespace mog::cli {

void add_export(CLI::App& app, Context& context);

}  // namespace mog::cli
