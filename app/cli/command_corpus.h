#pragma once

#include <CLI/App.hpp>

#include "app/cli/context.h"

namespace mog::cli {

// As the functions of context.h.
void add_corpus(CLI::App& app, Context& context);

}  // namespace mog::cli
