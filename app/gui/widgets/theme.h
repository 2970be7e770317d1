// The themes of the window, light, dark and high contrast, and what follows from a palette.
#pragma once

#include <QColor>
#include <QPalette>
#include <QString>
#include <QStringList>

#include "app/figures/style.h"

class QApplication;
class QTextBrowser;
class QWidget;

namespace mog::gui {

bool is_dark(const QPalette& palette);
// White on black: ours, or a desktop's own theme of high contrast.
bool is_high_contrast(const QPalette& palette);
// What figures are drawn in on a widget of this palette.
figures::Theme figure_theme(const QPalette& palette);
// Style of figures in the window: the widget's font and its palette.
figures::Style screen_style(const QWidget& widget);
// Of fields, boxes and cards: seen against all backgrounds (contrast above 3, WCAG 2, 1.4.11).
QColor edge_colour(const QPalette& palette);
// What the surface is made of, beyond a palette's own roles.
struct Roles {
  QColor window;     // behind surfaces: rail, filmstrip
  QColor surface;    // canvas, strip, inspector
  QColor ink;        // text
  QColor secondary;  // text that explains
  QColor faint;      // only for what is said elsewhere too
  QColor border;     // between regions
  QColor row;        // between rows
  QColor hover;
  QColor accent;  // selection, and nothing else
  QColor tint;    // behind what belongs to the selection
};
Roles roles_of(const QPalette& palette);
// For hints and empty states: between text and background, readable (contrast above 4.5).
QColor quiet_text(const QPalette& palette);

QPalette light_palette();
QPalette dark_palette();
QPalette high_contrast_palette();

// A page of text that shows when it has the focus; styles give such pages no mark of their own.
void show_focus(QTextBrowser& page);

// WCAG 2: (lighter + 0.05) / (darker + 0.05) of the relative luminances; 1 to 21.
double contrast(const QColor& one, const QColor& other);

// "system", "light", "dark", "high-contrast".
QStringList theme_names();
// "system", or a name that is none, takes the palette of the desktop.
void apply_theme(QApplication& application, const QString& theme);

}  // namespace mog::gui
