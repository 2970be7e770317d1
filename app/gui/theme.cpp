#include "app/gui/theme.h"

#include <QApplication>
#include <QStyleFactory>

namespace mog::gui {

bool is_dark(const QPalette& palette) {
  return palette.color(QPalette::Window).lightnessF() < palette.color(QPalette::WindowText).lightnessF();
}

QColor quiet_text(const QPalette& palette) {
  return is_dark(palette) ? QColor(0xb0, 0xb0, 0xb0) : QColor(0x5a, 0x5a, 0x5a);
}

namespace {

QPalette make_palette(QColor window, QColor base, QColor alternate, QColor text, QColor button,
                      QColor highlight, QColor disabled, QColor link) {
  QPalette palette;
  palette.setColor(QPalette::Window, window);
  palette.setColor(QPalette::WindowText, text);
  palette.setColor(QPalette::Base, base);
  palette.setColor(QPalette::AlternateBase, alternate);
  palette.setColor(QPalette::Text, text);
  palette.setColor(QPalette::Button, button);
  palette.setColor(QPalette::ButtonText, text);
  palette.setColor(QPalette::BrightText, Qt::white);
  palette.setColor(QPalette::ToolTipBase, base);
  palette.setColor(QPalette::ToolTipText, text);
  palette.setColor(QPalette::Highlight, highlight);
  palette.setColor(QPalette::HighlightedText, Qt::white);
  palette.setColor(QPalette::Link, link);
  palette.setColor(QPalette::PlaceholderText, disabled);
  palette.setColor(QPalette::Light, button.lighter(130));
  palette.setColor(QPalette::Midlight, button.lighter(112));
  palette.setColor(QPalette::Mid, button.darker(130));
  palette.setColor(QPalette::Dark, button.darker(160));
  palette.setColor(QPalette::Shadow, Qt::black);
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
    palette.setColor(QPalette::Disabled, role, disabled);
  }
  return palette;
}

}  // namespace

QPalette light_palette() {
  return make_palette(QColor(0xf3, 0xf3, 0xf3), Qt::white, QColor(0xf7, 0xf7, 0xf7), QColor(0x1e, 0x1e, 0x1e),
                      QColor(0xec, 0xec, 0xec), QColor(0x00, 0x5f, 0x9e), QColor(0x76, 0x76, 0x76),
                      QColor(0x00, 0x5f, 0x9e));
}

QPalette dark_palette() {
  return make_palette(QColor(0x26, 0x27, 0x29), QColor(0x1b, 0x1c, 0x1e), QColor(0x21, 0x22, 0x24),
                      QColor(0xe8, 0xe8, 0xe8), QColor(0x36, 0x37, 0x3a), QColor(0x1f, 0x6f, 0xab),
                      QColor(0x98, 0x98, 0x98), QColor(0x6c, 0xb8, 0xf0));
}

void apply_theme(QApplication& application, const QString& theme) {
  const bool dark = theme == QLatin1String("dark");
  if (!dark && theme != QLatin1String("light")) {
    return;
  }
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  application.setPalette(dark ? dark_palette() : light_palette());
}

}  // namespace mog::gui
