#pragma once

#include "app/cli/context.h"

namespace mog::cli {

void add_attribute(CLI::App& app, Context& context);

}  // namespace mog::cli
