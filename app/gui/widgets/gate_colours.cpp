#include "app/gui/widgets/gate_colours.h"

#include <algorithm>
#include <cmath>

#include "app/gui/widgets/theme.h"

namespace mog::gui {

QColor gate_colour(const QPalette& palette, double away) {
  const bool dark = is_dark(palette);
  const QColor middle = dark ? QColor(0x2a, 0x2e, 0x35) : QColor(0xee, 0xf0, 0xf2);
  const QColor carries = dark ? QColor(0x4c, 0xc3, 0x8a) : QColor(0x1b, 0x8a, 0x5a);
  const QColor takes = dark ? QColor(0xc0, 0x8b, 0xe6) : QColor(0x7b, 0x3f, 0xa0);
  const QColor& end = away < 0 ? carries : takes;
  const auto share = static_cast<float>(std::clamp(std::abs(away), 0.0, 1.0));
  const auto mixed = [share](float from, float to) { return from + share * (to - from); };
  return QColor::fromRgbF(mixed(middle.redF(), end.redF()), mixed(middle.greenF(), end.greenF()),
                          mixed(middle.blueF(), end.blueF()));
}

}  // namespace mog::gui
