#include "app/gui/widgets/theme.h"

#include <QApplication>
#include <QEvent>
#include <QFontInfo>
#include <QPointer>
#include <QStyle>
#include <QStyleFactory>
#include <QTextBrowser>
#include <QWidget>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "app/gui/widgets/edge_style.h"

namespace mog::gui {

bool is_dark(const QPalette& palette) {
  return palette.color(QPalette::Window).lightnessF() < palette.color(QPalette::WindowText).lightnessF();
}

bool is_high_contrast(const QPalette& palette) {
  return palette.color(QPalette::Active, QPalette::Base) == QColor(Qt::black) &&
         palette.color(QPalette::Active, QPalette::Text) == QColor(Qt::white);
}

figures::Theme figure_theme(const QPalette& palette) {
  return is_high_contrast(palette) ? figures::Theme::high_contrast
         : is_dark(palette)        ? figures::Theme::dark
                                   : figures::Theme::light;
}

figures::Style screen_style(const QWidget& widget) {
  const QFontInfo info(widget.font());
  figures::Style style = figures::Style::of(figures::Paper::screen, figure_theme(widget.palette()));
  const double pixels = info.pixelSize();
  style.font_family = info.family();
  style.body_pt = std::clamp(pixels, 9.0, 18.0);
  style.tick_pt = style.body_pt - 1;
  style.caption_pt = style.body_pt - 2;
  style.line_pt = 1.2;
  style.marker_pt = 4;
  style.show_title = false;
  style.caption = figures::Caption::none;
  return style;
}

QColor quiet_text(const QPalette& palette) {
  if (is_high_contrast(palette)) {
    return QColor(0xe0, 0xe0, 0xe0);
  }
  return is_dark(palette) ? QColor(0xb0, 0xb0, 0xb0) : QColor(0x5a, 0x5a, 0x5a);
}

QColor edge_colour(const QPalette& palette) {
  if (is_high_contrast(palette)) {
    return QColor(0xc8, 0xc8, 0xc8);
  }
  return is_dark(palette) ? QColor(0x8c, 0x8c, 0x8c) : QColor(0x80, 0x80, 0x80);
}

Roles roles_of(const QPalette& palette) {
  if (is_high_contrast(palette)) {
    return {.window = Qt::black,
            .surface = Qt::black,
            .ink = Qt::white,
            .secondary = Qt::white,
            .faint = QColor(0xd0, 0xd0, 0xd0),
            .border = Qt::white,
            .row = QColor(0x80, 0x80, 0x80),
            .hover = QColor(0x30, 0x30, 0x30),
            .accent = QColor(0xff, 0xe0, 0x00),
            .tint = QColor(0x40, 0x38, 0x00)};
  }
  if (is_dark(palette)) {
    return {.window = QColor(0x16, 0x18, 0x1d),
            .surface = QColor(0x1c, 0x1f, 0x25),
            .ink = QColor(0xe8, 0xeb, 0xf0),
            .secondary = QColor(0xa6, 0xae, 0xba),
            .faint = QColor(0x78, 0x82, 0x8e),
            .border = QColor(0x33, 0x39, 0x43),
            .row = QColor(0x27, 0x2b, 0x32),
            .hover = QColor(0x2a, 0x2f, 0x37),
            .accent = QColor(0x7a, 0xa5, 0xff),
            .tint = QColor(0x22, 0x31, 0x50)};
  }
  return {.window = QColor(0xf6, 0xf7, 0xf9),
          .surface = Qt::white,
          .ink = QColor(0x1b, 0x1f, 0x24),
          .secondary = QColor(0x57, 0x60, 0x6a),
          .faint = QColor(0x87, 0x90, 0x9a),
          .border = QColor(0xe1, 0xe5, 0xea),
          .row = QColor(0xed, 0xf0, 0xf3),
          .hover = QColor(0xee, 0xf1, 0xf5),
          .accent = QColor(0x25, 0x63, 0xeb),
          .tint = QColor(0xe9, 0xf0, 0xfe)};
}

namespace {

struct Colours {
  QColor window;
  QColor base;
  QColor alternate;
  QColor text;
  QColor button;
  QColor highlight;
  QColor highlighted_text;
  QColor disabled;
  QColor link;
};

QPalette make_palette(const Colours& colours) {
  const auto& [window, base, alternate, text, button, highlight, highlighted_text, disabled, link] = colours;
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
  palette.setColor(QPalette::HighlightedText, highlighted_text);
  palette.setColor(QPalette::Link, link);
  palette.setColor(QPalette::LinkVisited, link);  // else that of the theme before
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
  return make_palette({.window = QColor(0xf6, 0xf7, 0xf9),
                       .base = Qt::white,
                       .alternate = QColor(0xf6, 0xf7, 0xf9),
                       .text = QColor(0x1b, 0x1f, 0x24),
                       .button = QColor(0xee, 0xf1, 0xf5),
                       .highlight = QColor(0x25, 0x63, 0xeb),
                       .highlighted_text = Qt::white,
                       .disabled = QColor(0x57, 0x60, 0x6a),
                       .link = QColor(0x25, 0x63, 0xeb)});
}

QPalette dark_palette() {
  return make_palette({.window = QColor(0x16, 0x18, 0x1d),
                       .base = QColor(0x1c, 0x1f, 0x25),
                       .alternate = QColor(0x20, 0x23, 0x2a),
                       .text = QColor(0xe8, 0xeb, 0xf0),
                       .button = QColor(0x2a, 0x2f, 0x37),
                       .highlight = QColor(0x7a, 0xa5, 0xff),
                       .highlighted_text = QColor(0x16, 0x18, 0x1d),
                       .disabled = QColor(0xa6, 0xae, 0xba),
                       .link = QColor(0x7a, 0xa5, 0xff)});
}

QPalette high_contrast_palette() {
  QPalette palette = make_palette({.window = Qt::black,
                                   .base = Qt::black,
                                   .alternate = QColor(0x14, 0x14, 0x14),
                                   .text = Qt::white,
                                   .button = QColor(0x14, 0x14, 0x14),
                                   .highlight = QColor(0xff, 0xd8, 0x00),
                                   .highlighted_text = Qt::black,
                                   .disabled = QColor(0xc8, 0xc8, 0xc8),
                                   .link = QColor(0x7f, 0xd4, 0xff)});
  // Frames are seen, not guessed.
  palette.setColor(QPalette::Light, QColor(0xc8, 0xc8, 0xc8));
  palette.setColor(QPalette::Midlight, QColor(0xa0, 0xa0, 0xa0));
  palette.setColor(QPalette::Mid, QColor(0xa0, 0xa0, 0xa0));
  palette.setColor(QPalette::Dark, QColor(0xc8, 0xc8, 0xc8));
  return palette;
}

void show_focus(QTextBrowser& page) {
  page.setStyleSheet(QStringLiteral("QTextBrowser:focus { border: 2px solid palette(highlight); }"));
}

double contrast(const QColor& one, const QColor& other) {
  const auto luminance = [](const QColor& colour) {
    const auto linear = [](float part) {
      const auto value = static_cast<double>(part);
      return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
           0.0722 * linear(colour.blueF());
  };
  const auto [dark, bright] = std::minmax({luminance(one), luminance(other)});
  return (bright + 0.05) / (dark + 0.05);
}

QStringList theme_names() {
  return {QStringLiteral("system"), QStringLiteral("light"), QStringLiteral("dark"),
          QStringLiteral("high-contrast")};
}

namespace {

// The style sheets that single widgets have, off while palettes change: what has one keeps its palette.
class SheetsOff {
 public:
  SheetsOff() {
    const QWidgetList widgets = QApplication::allWidgets();
    for (QWidget* widget : widgets) {
      if (!widget->styleSheet().isEmpty()) {
        sheets_.emplace_back(widget, widget->styleSheet());
      }
    }
    for (const auto& [widget, sheet] : sheets_) {
      if (widget != nullptr) {
        widget->setStyleSheet({});
      }
    }
  }
  SheetsOff(const SheetsOff&) = delete;
  SheetsOff& operator=(const SheetsOff&) = delete;
  ~SheetsOff() {
    for (const auto& [widget, sheet] : sheets_) {
      if (widget != nullptr) {
        widget->setStyleSheet(sheet);
      }
    }
  }

 private:
  std::vector<std::pair<QPointer<QWidget>, QString>> sheets_;
};

// Frames and menus have other widths in high contrast. Whoever is told may delete others.
void measure_anew() {
  const QWidgetList widgets = QApplication::allWidgets();
  const std::vector<QPointer<QWidget>> all(widgets.begin(), widgets.end());
  for (const QPointer<QWidget>& widget : all) {
    if (widget != nullptr) {
      QEvent event(QEvent::StyleChange);
      QCoreApplication::sendEvent(widget, &event);
    }
  }
}

}  // namespace

// Without a style sheet of the program: such a one keeps palettes, too, and taking it away runs over widgets
// that are deleted meanwhile.
void apply_theme(QApplication& application, const QString& theme) {
  static const QString of_desktop = QApplication::style()->objectName();
  const bool light = theme == QLatin1String("light");
  const bool dark = theme == QLatin1String("dark");
  const bool high_contrast = theme == QLatin1String("high-contrast");
  // A desktop's own style knows its own edges.
  const bool own = high_contrast || light || dark || of_desktop == QLatin1String("fusion");
  const QString style = own ? EdgeStyle::name() : of_desktop;
  const SheetsOff sheets_off;
  const bool before = is_high_contrast(QApplication::palette());
  if (QApplication::style()->objectName() != style) {
    QApplication::setStyle(own ? new EdgeStyle : QStyleFactory::create(style));
  }
  application.setPalette(light           ? light_palette()
                         : dark          ? dark_palette()
                         : high_contrast ? high_contrast_palette()
                                         : QPalette());
  if (is_high_contrast(QApplication::palette()) != before) {
    measure_anew();
  }
}

}  // namespace mog::gui
