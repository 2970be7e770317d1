// The line icons of the window: drawn on a grid of 16, in the colour of the text around them.
#pragma once

#include <QColor>
#include <QIcon>
#include <QPalette>
#include <QPixmap>
#include <cstdint>

namespace mog::gui {

enum class Icon : std::uint8_t {
  read,
  graphs,
  attention,
  corpus,
  compare,
  translate,
  parse,
  model,
  sentence,
  recording,
  mask,
  cut,
  replace,
  gate,
  plus,
  close,
  exporting,
  theme,
  search,
  previous,
  next,
  pin,
  help,
  collapse,
  window,
  more,
};
inline constexpr int kIcons = 26;

// Normal, disabled and chosen (accent) in the colours of a palette.
QIcon icon(Icon which, const QPalette& palette);
// One picture of it, `size` logical pixels wide.
QPixmap icon_picture(Icon which, const QColor& colour, int size, double ratio);

}  // namespace mog::gui
