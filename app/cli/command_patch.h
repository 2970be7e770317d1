#pragma once

#include "app/cli/context.h"

namespace mog::cli {

void add_patch(CLI::App& app, Context& context);

}  // namespace mog::cli
