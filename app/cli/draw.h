// Figure data into files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "analysis/figure_data/figure_data.h"

namespace mog::cli {

struct DrawOptions {
  std::filesystem::path output = {};         // .svg, .pdf or .png
  std::string preset = "page";               // column, page, slide
  std::string theme = "light";               // light, dark
  std::optional<double> dots_per_inch = {};  // PNG
  bool text_as_paths = false;
};

// Makes the QGuiApplication (offscreen) on first use. Throws UsageError, StorageError.
void draw_figure(const analysis::FigureData& figure, const DrawOptions& options);
// Throws UsageError for an extension, preset or theme that does not exist; needs no Qt.
void check_draw_options(const DrawOptions& options);

}  // namespace mog::cli
