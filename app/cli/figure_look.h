// How `mog figure` draws: paper, theme, caption, title, type, ends of axes, what a file's letters are.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "analysis/figure_data/figure_data.h"
#include "app/cli/draw.h"

namespace mog::cli {

struct FigureLook {
  DrawOptions draw;
  std::string letters = "text";  // text, paths
  double dots_per_inch = 300;
  double scale = 0;
  std::string title;
  std::string x_limits;
  std::string y_limits;
};

// `look` lives as long as the command.
void add_look_options(CLI::App& command, FigureLook& look);
// Fills in `draw`; throws UsageError for what cannot be.
void finish_look(FigureLook& look);
// The title and the ends of the axes, as far as they were given. Throws UsageError where the figure has no
// such axis.
void apply_look(analysis::FigureData& figure, const CLI::App& command, const FigureLook& look);

}  // namespace mog::cli
