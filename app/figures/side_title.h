// The title of a vertical axis: turned, in one line or two.
#pragma once

#include <QString>
#include <QStringList>

#include "app/figures/pen.h"

namespace mog::figures {

// As large as fits `room`: one line at the body size or slightly smaller, else two lines.
class SideTitle {
 public:
  SideTitle(const QString& text, const Style& style, double room);
  double width() const noexcept;  // across the text
  // Centred at height `centre`, the first line beginning at `left`.
  void draw(Pen& pen, double left, double centre) const;

 private:
  TypeFace face_;
  QStringList lines_;
};

// The body's face, smaller as far as type may be where `text` is wider than `room`: titles of x axes.
TypeFace fitting_face(const QString& text, const Style& style, double room);

}  // namespace mog::figures
