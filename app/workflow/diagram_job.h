// The paper's diagrams, of expressions that the user gives or of the paper's own: the work behind `mog figure
// kinds` and its like.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/figure_data/figure_data.h"
#include "app/workflow/figure_job.h"

namespace mog::app {

// "kinds", "iterations", "layer-step", "sentence-mog", in the order in which `mog figure list` prints them.
std::span<const FigureKind> diagram_kinds();
bool is_diagram(std::string_view kind) noexcept;

struct DiagramOptions {
  std::string kind;
  std::vector<std::string> expressions;      // texts; with no file either: the paper's
  std::vector<std::filesystem::path> files;  // as `mog expr --input` reads them
  std::string sentence;                      // the words, with spaces between; empty: as they appear
  std::int64_t layer = 0;                    // layer-step; 0: the last
};

// Throws ExpressionError, FormatError, UsageError.
analysis::FigureData make_diagram(const DiagramOptions& options);

}  // namespace mog::app
