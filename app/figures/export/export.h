// Figures into files. One build writes the same figure byte by byte the same, with or without a display.
#pragma once

#include <QByteArray>
#include <QSizeF>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/figure_data/figure_data.h"
#include "app/figures/painter.h"
#include "app/figures/style.h"

class QGuiApplication;

namespace mog::figures {

enum class FileFormat : std::uint8_t { svg, pdf, png };

// By the extension, in any case. Throws UsageError that names the path and the extensions allowed.
FileFormat format_of(const std::filesystem::path& path);

struct ExportOptions {
  Style style{};                  // its font family is ignored: that of files is the next
  QString font_family{};          // empty: the bundled font, the same on every machine
  std::optional<double> width{};  // points; default that of the style's paper. The height follows
  std::optional<QSizeF> size{};   // points; default preferred_size(figure, style)
  double png_scale = 300.0 / 72;  // pixels per point; 300 dots per inch by default
  bool text_as_paths = false;     // SVG and PDF: letters as outlines
  Highlight highlight{};
};

// Bytes of the file. Throws UsageError for a size that is empty or beyond 200 inches (PNG: 32,000 pixels).
QByteArray render_figure(const analysis::FigureData& figure, FileFormat format,
                         const ExportOptions& options = {});

// Renders and writes beside `path`, then renames. Returns notes() of the size. Throws StorageError (no space,
// unwritable), UsageError.
QStringList save_figure(const analysis::FigureData& figure, const std::filesystem::path& path,
                        const ExportOptions& options = {});

// A QGuiApplication that needs no display: the offscreen platform, unless QT_QPA_PLATFORM is set. Only one,
// in the main thread; when one exists already it is used. `mog` makes it in `figure` and `demo` alone.
class HeadlessApplication {
 public:
  HeadlessApplication();
  ~HeadlessApplication();
  HeadlessApplication(const HeadlessApplication&) = delete;
  HeadlessApplication& operator=(const HeadlessApplication&) = delete;

 private:
  std::unique_ptr<QGuiApplication> application_;
};

// Throws UsageError, naming the nearest, where the machine has no such font. Needs a QGuiApplication.
void check_font_family(const QString& family);

// The family of the bundled font, registered on first use. Needs a QGuiApplication.
QString bundled_font_family();

}  // namespace mog::figures
