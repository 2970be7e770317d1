// Figure data into files.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/figure_data/figure_data.h"

namespace mog::figures {
class HeadlessApplication;
}

namespace mog::cli {

struct DrawOptions {
  std::filesystem::path output = {};         // .svg, .pdf or .png
  std::string preset = "page";               // column, page, acl … (figures::paper_presets)
  std::string caption = "short";             // none, short, full
  std::optional<double> width_cm = {};       // default: the preset's
  std::string font = {};                     // empty: the bundled one
  std::string theme = "light";               // light, dark, high-contrast
  std::optional<double> dots_per_inch = {};  // PNG
  bool text_as_paths = false;
  // What is lit, as the window lights a selection: "row=3", "column=4", "word=2", "node=5", "arc=1",
  // "series=2", "panel=1"; counted from 1.
  std::vector<std::string> marks = {};
};
// "page, column, acl …", for help texts.
std::string preset_names();
// Throws UsageError for an extension, preset, caption, theme or mark that does not exist; needs no Qt.
void check_draw_options(const DrawOptions& options);

// Holds the QGuiApplication (offscreen), one at a time, in the main thread. Qt's own messages are kept back.
class Drawer {
 public:
  Drawer();
  ~Drawer();
  // Returns what the figure has no room for ("12 of 60 are not labelled …"; empty: nothing). Throws
  // UsageError, StorageError.
  std::vector<std::string> draw(const analysis::FigureData& figure, const DrawOptions& options) const;

 private:
  std::unique_ptr<figures::HeadlessApplication> application_;
};

}  // namespace mog::cli
