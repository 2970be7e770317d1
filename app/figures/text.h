// Type: fonts of a style by pixel size without hinting, and measured, elided, wrapped text.
#pragma once

#include <QFont>
#include <QFontMetricsF>
#include <QString>
#include <QStringList>
#include <algorithm>
#include <string>

#include "app/figures/style.h"

namespace mog::figures {

// UTF-8 as it can be drawn: control characters become visible signs, so that a token never breaks a line.
QString drawable(const std::string& text);

// One size of one family.
class TypeFace {
 public:
  TypeFace(const Style& style, double size_pt, bool bold = false, bool italic = false);
  const QFont& font() const noexcept { return font_; }
  double size() const noexcept { return size_; }
  double width(const QString& text) const;
  double ascent() const noexcept { return ascent_; }  // above the baseline, of capitals and accents
  double descent() const noexcept { return descent_; }
  double height() const noexcept { return ascent_ + descent_; }
  double cap_height() const noexcept { return cap_height_; }
  // Cut with "…" where it is wider than `width`.
  QString elided(const QString& text, double width) const;
  // Lines no wider than `width`; words longer than a line are broken.
  QStringList wrapped(const QString& text, double width) const;

 private:
  QFont font_;
  QFontMetricsF metrics_;
  double size_ = 0;
  double ascent_ = 0;
  double descent_ = 0;
  double cap_height_ = 0;
};

// Lengths that belong to the type (swatches, gaps, arrowheads) grow with it: 1 on paper, 2 on slides.
inline double unit(const Style& style) {
  return style.tick_pt / 8;
}
// The smallest type allowed: of paper 6 points, of a screen, which is read from farther away, 11 pixels
// beside text of 13.
inline double smallest_type(const Style& style) {
  return style.paper == Paper::screen ? std::max(6 * unit(style), style.body_pt - 2) : 6 * unit(style);
}

}  // namespace mog::figures
