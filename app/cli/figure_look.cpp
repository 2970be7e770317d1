#include "app/cli/figure_look.h"

#include "analysis/figure_data/axis_limits.h"
#include "app/cli/idle_options.h"
#include "app/cli/number_check.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::cli {

void add_look_options(CLI::App& command, FigureLook& chosen) {
  const std::string look = "Look";
  command.add_option("--preset", chosen.draw.preset, preset_names() + "; slides are 16:9")
      ->capture_default_str()
      ->group(look);
  command
      .add_option("--width", chosen.draw.width_cm, "In cm, in the place of the preset's; the height follows")
      ->check(between(3.0, 120.0))
      ->group(look);
  command
      .add_option("--caption", chosen.draw.caption,
                  "none; short: what is drawn; full: the choices behind it too. The file's metadata always "
                  "have it in full")
      ->capture_default_str()
      ->group(look);
  command.add_option("--title", chosen.title, "In the place of the figure's own; \"\": none")->group(look);
  command.add_option("--font", chosen.draw.font, "A family of this machine; by default the bundled one")
      ->group(look);
  command.add_option("--x-limits", chosen.x_limits, "LOW:HIGH, ends of a numeric x axis, of bars too")
      ->group(look);
  command.add_option("--y-limits", chosen.y_limits, "LOW:HIGH, ends of the y axis of lines")->group(look);
  command.add_option("--theme", chosen.draw.theme, "light, dark or high-contrast")
      ->capture_default_str()
      ->group(look);
  command.add_option("--dpi", chosen.dots_per_inch, "Dots per inch of a PNG")
      ->capture_default_str()
      ->check(between(10.0, 2400.0))
      ->group(look);
  command.add_option("--scale", chosen.scale, "Instead of --dpi: pixels a point (72 points are an inch)")
      ->check(between(0.1, 40.0))
      ->group(look);
  command
      .add_option(
          "--mark", chosen.draw.marks,
          "What is lit: row=3, column=4, word=2, node=5, arc=1, series=2 or panel=1; several may be given")
      ->allow_extra_args(false)
      ->group(look);
  command.add_option("--letters", chosen.letters, "Of SVG and PDF: text or paths (outlines)")
      ->capture_default_str()
      ->group(look);
}

void finish_look(FigureLook& look) {
  look.draw.dots_per_inch = look.scale > 0 ? 72 * look.scale : look.dots_per_inch;
  if (look.letters != "text" && look.letters != "paths") {
    throw unknown_choice("--letters", look.letters, {"text", "paths"});
  }
  look.draw.text_as_paths = look.letters == "paths";
  for (const auto& [option, text] :
       {std::pair("--x-limits", &look.x_limits), std::pair("--y-limits", &look.y_limits)}) {
    if (!text->empty()) {
      analysis::parse_axis_limits(option, *text);
    }
  }
  check_draw_options(look.draw);
}

void apply_look(analysis::FigureData& figure, const CLI::App& command, const FigureLook& look) {
  if (given(command, "--title")) {
    figure.title = look.title;
  }
  if (given(command, "--x-limits") &&
      !analysis::set_x_limits(figure, analysis::parse_axis_limits("--x-limits", look.x_limits))) {
    throw UsageError(
        "--x-limits has no effect here; it is for bars and for lines over numbers (an axis of bins, layers "
        "or "
        "words has none)");
  }
  if (given(command, "--y-limits") &&
      !analysis::set_y_limits(figure, analysis::parse_axis_limits("--y-limits", look.y_limits))) {
    throw UsageError(
        "--y-limits has no effect here; it is for lines (bars lie: --x-limits; stacked ones fill their "
        "axis)");
  }
}

}  // namespace mog::cli
