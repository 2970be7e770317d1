// Type: fonts of a style by pixel size without hinting, and measured, elided, wrapped text.
#pragma once

#include <QFont>
#include <QString>
#include <QStringList>
#include <string>

#include "app/figures/style.h"

namespace mog::figures {

// UTF-8 as it can be drawn: control characters become visible signs, so that a token never breaks a line.
QString drawable(const std::string& text);

// One size of one family.
class TypeFace {
 public:
  TypeFace(const Style& style, double size_pt, bool bold = false);
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
  double size_ = 0;
  double ascent_ = 0;
  double descent_ = 0;
  double cap_height_ = 0;
};

// The smallest type allowed on paper.
inline constexpr double kSmallestType = 6;

}  // namespace mog::figures
