// Light and dark palettes, and what follows from a palette.
#pragma once

#include <QColor>
#include <QPalette>
#include <QString>

class QApplication;

namespace mog::gui {

bool is_dark(const QPalette& palette);
// For hints and empty states: between text and background, readable (contrast above 4.5).
QColor quiet_text(const QPalette& palette);

QPalette light_palette();
QPalette dark_palette();

// "light", "dark"; anything else leaves the palette of the desktop.
void apply_theme(QApplication& application, const QString& theme);

}  // namespace mog::gui
