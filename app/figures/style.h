// How figures look: theme, paper preset, sizes (the rules of the design's one visual language).
#pragma once

#include <QColor>
#include <QSizeF>
#include <QString>
#include <cstdint>
#include <span>
#include <string_view>

#include "analysis/figure_data/figure_data.h"

namespace mog::figures {

// high_contrast: white and strong colours on black, for eyes that need it.
enum class Theme : std::uint8_t { light, dark, high_contrast };

// Widths of printed figures; height follows the content. `screen` fills the size it is given.
enum class Paper : std::uint8_t {
  column,    // 8.5 cm
  page,      // 17.5 cm
  acl,       // a column of ACL's paper, 7.7 cm
  acl_wide,  // both of its columns, 16 cm
  neurips,   // text of NeurIPS, 13.97 cm (5.5 inches)
  lncs,      // text of Lecture Notes in Computer Science, 12.2 cm
  slide,     // 16:9, 25.4 cm wide, larger type
  screen,
};

// What `--preset` calls a paper; `screen` has no name.
struct PaperPreset {
  std::string_view name;
  Paper paper = Paper::page;
  double width_cm = 0;
};
std::span<const PaperPreset> paper_presets();

// What stands below a figure. Files hold the whole caption in their metadata, whichever is drawn.
enum class Caption : std::uint8_t {
  none,
  brief,  // what is drawn, in two lines at most
  full,   // the level of the claim and the choices behind the numbers, too
};

// Lengths are in points (1/72 inch); on a screen one point is one logical pixel.
struct Style {
  Theme theme = Theme::light;
  Paper paper = Paper::page;
  QString font_family;  // empty: the bundled font
  double body_pt = 9;   // axis titles, words
  double tick_pt = 8;   // tick labels, direct labels
  double caption_pt = 7;
  double line_pt = 0.8;
  double marker_pt = 3;
  bool show_title = true;
  Caption caption = Caption::brief;
  // Of a view: what a layout does not let grow beyond a measure may grow so many times more.
  double zoom = 1;

  // Type and lines of a preset; slides double them.
  static Style of(Paper paper, Theme theme = Theme::light);
  friend bool operator==(const Style&, const Style&) = default;
};

// Width of a preset in points.
double width_pt(Paper paper);

QColor background(Theme theme);
QColor ink(Theme theme);        // text and axes
QColor soft_ink(Theme theme);   // captions, special tokens
QColor faint_ink(Theme theme);  // grid, layer lines
QColor accent(Theme theme);     // what is lit
QColor palette_colour(PartColour place, Theme theme);
QColor part_colour(Part part, Theme theme);
// Step `index` of `count` on the sequential ramp: light to dark on paper, dark to light on a dark screen.
QColor ramp_colour(std::int64_t index, std::int64_t count, Theme theme);
QColor colour_of(const analysis::ColourKey& key, Theme theme);
// Weights at t in [0, 1]: from paper to one hue; its lightness goes in even steps.
QColor weight_colour(double t, Theme theme);
// Cividis at t in [0, 1].
QColor cividis(double t);
// Less, none, more at t in [-1, 1].
QColor difference_colour(double t, Theme theme);
// Carries more, the median, takes in more at t in [-1, 1].
QColor gate_colour(double t, Theme theme);
// Colour of a value on a scale, clamped to its ends; an invalid colour for an absent value.
QColor scale_colour(const analysis::ColourScale& scale, double value, Theme theme);
class UnevenSteps;
// The same for many cells, without a power for each; transparent for an absent value.
class ScaleColours {
 public:
  ScaleColours(const analysis::ColourScale& scale, Theme theme);
  QRgb operator()(double value) const;
  // Of a row of cells; `colours` has room for them.
  void operator()(std::span<const double> values, QRgb* colours) const;

 private:
  std::span<const QRgb> colours_;
  double zero_ = 0;                     // the value with the first colour
  double width_ = 1;                    // from there to the value with the last
  const UnevenSteps* steps_ = nullptr;  // none: even ones
};
// Of a cell that the scale is not made for: most of it is paper.
QColor dimmed(const QColor& colour, Theme theme);
// Black or white, whichever reads better on `fill`.
QColor text_on(const QColor& fill);

}  // namespace mog::figures
