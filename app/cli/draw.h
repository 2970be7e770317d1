// Figure data into files.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "analysis/figure_data/figure_data.h"

namespace mog::figures {
class HeadlessApplication;
}

namespace mog::cli {

struct DrawOptions {
  std::filesystem::path output = {};         // .svg, .pdf or .png
  std::string preset = "page";               // column, page, slide
  std::string theme = "light";               // light, dark
  std::optional<double> dots_per_inch = {};  // PNG
  bool text_as_paths = false;
};
// Throws UsageError for an extension, preset or theme that does not exist; needs no Qt.
void check_draw_options(const DrawOptions& options);

// Holds the QGuiApplication (offscreen), one at a time, in the main thread. Qt's own messages are kept back.
class Drawer {
 public:
  Drawer();
  ~Drawer();
  // Throws UsageError, StorageError.
  void draw(const analysis::FigureData& figure, const DrawOptions& options) const;

 private:
  std::unique_ptr<figures::HeadlessApplication> application_;
};

}  // namespace mog::cli
