// The other direction of `mog figure`: from what is shown to the command line that makes the same figure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/workflow/figure_job.h"

namespace mog::app {

// "mog", "figure", kind, recordings and every choice that differs from the default of the command; without
// --output. Throws UsageError for choices that it has no words for (tables, diagrams, grammars other than
// heads of a mean).
std::vector<std::string> figure_arguments(const FigureOptions& options);

// One line for a POSIX shell; quoted where a shell would read anything else.
std::string shell_line(std::span<const std::string> arguments);

}  // namespace mog::app
