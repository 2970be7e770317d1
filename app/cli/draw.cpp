#include "app/cli/draw.h"

#include <fmt/format.h>

#include <QtGlobal>
#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <string_view>
#include <utility>

#include "app/figures/export/export.h"
#include "app/figures/style.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::cli {
namespace {

figures::Paper parse_preset(const std::string& text) {
  std::vector<std::string> names;
  for (const figures::PaperPreset& preset : figures::paper_presets()) {
    if (preset.name == text) {
      return preset.paper;
    }
    names.emplace_back(preset.name);
  }
  throw unknown_choice("--preset", text, names);
}

figures::Caption parse_caption(const std::string& text) {
  if (text == "none") {
    return figures::Caption::none;
  }
  if (text == "short") {
    return figures::Caption::brief;
  }
  if (text == "full") {
    return figures::Caption::full;
  }
  throw unknown_choice("--caption", text, {"none", "short", "full"});
}

figures::Theme parse_theme(const std::string& text) {
  if (text == "light") {
    return figures::Theme::light;
  }
  if (text == "dark") {
    return figures::Theme::dark;
  }
  if (text == "high-contrast") {
    return figures::Theme::high_contrast;
  }
  throw unknown_choice("--theme", text, {"light", "dark", "high-contrast"});
}

figures::Highlight parse_marks(const std::vector<std::string>& marks) {
  figures::Highlight highlight;
  const std::array<std::pair<std::string_view, std::optional<std::int64_t>*>, 7> places = {
      {{"panel", &highlight.panel},
       {"row", &highlight.row},
       {"column", &highlight.column},
       {"word", &highlight.word},
       {"node", &highlight.node},
       {"arc", &highlight.arc},
       {"series", &highlight.series}}};
  for (const std::string& mark : marks) {
    const std::size_t equals = mark.find('=');
    const std::string_view digits =
        equals == std::string::npos ? std::string_view() : std::string_view(mark).substr(equals + 1);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const auto place = std::find_if(places.begin(), places.end(), [&](const auto& known) {
      return known.first == std::string_view(mark).substr(0, equals);
    });
    if (place == places.end() || error != std::errc() || end != digits.data() + digits.size() || number < 1) {
      throw UsageError("--mark " + mark +
                       ": expected row, column, word, node, arc, series or panel with a number from 1, for "
                       "example row=3");
    }
    *place->second = number - 1;
  }
  return highlight;
}

}  // namespace

std::string preset_names() {
  std::string names;
  for (const figures::PaperPreset& preset : figures::paper_presets()) {
    names += fmt::format("{}{} ({} cm)", names.empty() ? "" : ", ", preset.name, preset.width_cm);
  }
  return names;
}

void check_draw_options(const DrawOptions& options) {
  figures::format_of(options.output);
  parse_preset(options.preset);
  parse_theme(options.theme);
  parse_caption(options.caption);
  parse_marks(options.marks);
}

Drawer::Drawer() {
  // Remarks such as a missing XDG_RUNTIME_DIR mean nothing for files.
  qInstallMessageHandler([](QtMsgType, const QMessageLogContext&, const QString&) {});
  application_ = std::make_unique<figures::HeadlessApplication>();
}

Drawer::~Drawer() = default;

std::vector<std::string> Drawer::draw(const analysis::FigureData& figure, const DrawOptions& options) const {
  check_draw_options(options);
  figures::ExportOptions exported;
  exported.style = figures::Style::of(parse_preset(options.preset), parse_theme(options.theme));
  exported.style.caption = parse_caption(options.caption);
  if (options.width_cm) {
    exported.width = *options.width_cm * 72 / 2.54;
  }
  if (!options.font.empty()) {
    exported.font_family = QString::fromStdString(options.font);
    figures::check_font_family(exported.font_family);
  }
  if (options.dots_per_inch) {
    exported.png_scale = *options.dots_per_inch / 72.0;
  }
  exported.text_as_paths = options.text_as_paths;
  exported.highlight = parse_marks(options.marks);
  std::vector<std::string> notes;
  for (const QString& note : figures::save_figure(figure, options.output, exported)) {
    notes.push_back(options.output.filename().string() + ": " + note.toStdString());
  }
  return notes;
}

}  // namespace mog::cli
