#include "app/cli/draw.h"

#include <QtGlobal>
#include <memory>

#include "app/figures/export.h"
#include "app/figures/style.h"
#include "io/recording/errors.h"

namespace mog::cli {
namespace {

figures::Paper parse_preset(const std::string& text) {
  if (text == "column") {
    return figures::Paper::column;
  }
  if (text == "page") {
    return figures::Paper::page;
  }
  if (text == "slide") {
    return figures::Paper::slide;
  }
  throw UsageError("--preset " + text + ": allowed are column, page, slide");
}

figures::Theme parse_theme(const std::string& text) {
  if (text == "light") {
    return figures::Theme::light;
  }
  if (text == "dark") {
    return figures::Theme::dark;
  }
  throw UsageError("--theme " + text + ": allowed are light, dark");
}

}  // namespace

void check_draw_options(const DrawOptions& options) {
  figures::format_of(options.output);
  parse_preset(options.preset);
  parse_theme(options.theme);
}

Drawer::Drawer() {
  // Remarks such as a missing XDG_RUNTIME_DIR mean nothing for files.
  qInstallMessageHandler([](QtMsgType, const QMessageLogContext&, const QString&) {});
  application_ = std::make_unique<figures::HeadlessApplication>();
}

Drawer::~Drawer() = default;

void Drawer::draw(const analysis::FigureData& figure, const DrawOptions& options) const {
  check_draw_options(options);
  figures::ExportOptions exported;
  exported.style = figures::Style::of(parse_preset(options.preset), parse_theme(options.theme));
  if (options.dots_per_inch) {
    exported.png_scale = *options.dots_per_inch / 72.0;
  }
  exported.text_as_paths = options.text_as_paths;
  figures::save_figure(figure, options.output, exported);
}

}  // namespace mog::cli
