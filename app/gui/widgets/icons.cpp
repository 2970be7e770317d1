#include "app/gui/widgets/icons.h"

#include <QPainter>
#include <QPainterPath>
#include <QStringList>
#include <array>
#include <cmath>

#include "app/gui/widgets/theme.h"

namespace mog::gui {
namespace {

constexpr double kGrid = 16;
constexpr double kStroke = 1.3;

// Paths in the letters of SVG, absolute: M and L with points, Q with two, C with three, Z; O x y r: a circle;
// "F" begins what is filled. In the order of Icon.
constexpr std::array<const char*, kIcons> kPaths = {
    // read: an open book
    "M 8 4.2 Q 5.5 2.6 2 3 L 2 12.4 Q 5.5 12 8 13.6 Q 10.5 12 14 12.4 L 14 3 Q 10.5 2.6 8 4.2 L 8 13.4",
    // graphs: a join and what it joins
    "O 8 3.6 1.7 O 3.6 12.4 1.7 O 12.4 12.4 1.7 M 8 5.3 L 8 8 M 3.6 10.7 L 3.6 8 L 12.4 8 L 12.4 10.7",
    // attention: four maps
    "M 2.5 2.5 L 7 2.5 L 7 7 L 2.5 7 Z M 9 2.5 L 13.5 2.5 L 13.5 7 L 9 7 Z M 2.5 9 L 7 9 L 7 13.5 L 2.5 "
    "13.5 Z M 9 9 L 13.5 9 L 13.5 13.5 L 9 13.5 Z",
    // corpus: a line over its axes
    "M 2.5 2.5 L 2.5 13.5 L 13.8 13.5 M 4.8 10.8 L 7.4 7.4 L 9.6 9 L 13.4 4.2",
    // compare: two panels
    "M 2.2 3 L 6.8 3 L 6.8 13 L 2.2 13 Z M 9.2 3 L 13.8 3 L 13.8 13 L 9.2 13 Z",
    // translate: words of two sentences, linked crosswise
    "O 3.8 3.4 1.6 O 12.2 3.4 1.6 O 3.8 12.6 1.6 O 12.2 12.6 1.6 M 4.9 4.6 L 11.1 11.4 M 11.1 4.6 L 4.9 11.4",
    // parse: arcs over words
    "M 2 13 L 4 13 M 7 13 L 9 13 M 12 13 L 14 13 M 3 10.4 C 3 6.6 8 6.6 8 10.4 M 2.6 7.4 C 3.4 1 13 1 13 9.6 "
    "M 11 8 L 13 10.2 L 15 8",
    // model: a cube
    "M 8 1.9 L 13.4 4.9 L 13.4 11.1 L 8 14.1 L 2.6 11.1 L 2.6 4.9 Z M 2.6 4.9 L 8 8 L 13.4 4.9 M 8 8 L 8 14",
    // sentence: a page
    "M 3.4 2 L 9.6 2 L 12.6 5 L 12.6 14 L 3.4 14 Z M 9.4 2.2 L 9.4 5.2 L 12.4 5.2 M 5.6 8.2 L 10.4 8.2 M 5.6 "
    "11 L 10.4 11",
    // recording: a cylinder
    "M 2.8 4 C 2.8 1.6 13.2 1.6 13.2 4 C 13.2 6.4 2.8 6.4 2.8 4 L 2.8 12 C 2.8 14.4 13.2 14.4 13.2 12 L 13.2 "
    "4 "
    "M 2.8 8 C 2.8 10.4 13.2 10.4 13.2 8",
    // mask: a word struck out
    "M 2 4.4 L 14 4.4 L 14 11.6 L 2 11.6 Z M 4.6 11.2 L 11.4 4.8",
    // cut: scissors
    "O 4 12 1.9 O 12 12 1.9 M 5.1 10.4 L 11.4 2.4 M 10.9 10.4 L 4.6 2.4",
    // replace: there and back
    "M 2.4 5.2 L 12.8 5.2 M 10.2 2.6 L 12.9 5.2 L 10.2 7.8 M 13.6 10.8 L 3.2 10.8 M 5.8 8.2 L 3.1 10.8 L 5.8 "
    "13.4",
    // gate: a knob on its scale
    "O 8 8 2.6 M 8 1.8 L 8 5.4 M 8 10.6 L 8 14.2 M 1.8 8 L 5.4 8 M 10.6 8 L 14.2 8",
    // plus
    "M 8 2.8 L 8 13.2 M 2.8 8 L 13.2 8",
    // close
    "M 3.8 3.8 L 12.2 12.2 M 12.2 3.8 L 3.8 12.2",
    // exporting: an arrow out of a box
    "M 8 10 L 8 2 M 4.9 5 L 8 1.9 L 11.1 5 M 3 8.4 L 3 14 L 13 14 L 13 8.4",
    // theme: half in the dark
    "O 8 8 5.8 F M 8 2.2 C 15.7 2.2 15.7 13.8 8 13.8 Z",
    // search: a lens
    "O 7 7 4.6 M 10.4 10.4 L 14 14",
    // previous
    "M 10 3.2 L 5.2 8 L 10 12.8",
    // next
    "M 6 3.2 L 10.8 8 L 6 12.8",
    // pin
    "M 9.6 2 L 14 6.4 L 11.6 7.2 L 9.2 11.6 L 4.4 6.8 L 8.8 4.4 Z M 6.4 9.6 L 2.2 13.8",
    // help: a question
    "O 8 8 6.1 M 6 6.3 C 6 3.4 10.2 3.6 10.1 6.2 C 10 7.8 8 7.9 8 9.5 F O 8 11.7 0.45",
    // collapse: a panel at the left
    "M 2 3 L 14 3 L 14 13 L 2 13 Z M 6 3 L 6 13",
    // window: one more in front
    "M 5.4 2.4 L 14 2.4 L 14 9.6 L 5.4 9.6 Z M 3.6 5.6 L 2 5.6 L 2 13.6 L 10.8 13.6 L 10.8 11.6",
    // more
    "F O 3.4 8 1 O 8 8 1 O 12.6 8 1",
};

struct Strokes {
  QPainterPath lines;
  QPainterPath filled;
};

Strokes strokes_of(Icon which) {
  Strokes strokes;
  QPainterPath* path = &strokes.lines;
  const QStringList letters = QString::fromLatin1(kPaths[static_cast<std::size_t>(which)])
                                  .split(QLatin1Char(' '), Qt::SkipEmptyParts);
  qsizetype at = 0;
  const auto number = [&] { return letters[at++].toDouble(); };
  const auto point = [&] {
    const double x = number();
    return QPointF(x, number());
  };
  while (at < letters.size()) {
    switch (letters[at++].front().toLatin1()) {
      case 'M':
        path->moveTo(point());
        break;
      case 'L':
        path->lineTo(point());
        break;
      case 'Q': {
        const QPointF control = point();
        path->quadTo(control, point());
        break;
      }
      case 'C': {
        const QPointF first = point();
        const QPointF second = point();
        path->cubicTo(first, second, point());
        break;
      }
      case 'O': {
        const QPointF middle = point();
        const double radius = number();
        path->addEllipse(middle, radius, radius);
        break;
      }
      case 'F':
        path = &strokes.filled;
        break;
      default:
        path->closeSubpath();
    }
  }
  return strokes;
}

}  // namespace

QPixmap icon_picture(Icon which, const QColor& colour, int size, double ratio) {
  QPixmap picture(QSize(size, size) * ratio);
  picture.setDevicePixelRatio(ratio);
  picture.fill(Qt::transparent);
  QPainter painter(&picture);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.scale(size / kGrid, size / kGrid);
  const Strokes strokes = strokes_of(which);
  painter.setPen(QPen(colour, kStroke, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter.drawPath(strokes.lines);
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  painter.drawPath(strokes.filled);
  return picture;
}

QIcon icon(Icon which, const QPalette& palette) {
  const Roles roles = roles_of(palette);
  QIcon made;
  for (const int size : {16, 20, 24}) {
    for (const double ratio : {1.0, 2.0}) {
      const auto add = [&](const QColor& colour, QIcon::Mode mode, QIcon::State state) {
        made.addPixmap(icon_picture(which, colour, size, ratio), mode, state);
      };
      add(roles.ink, QIcon::Normal, QIcon::Off);
      add(roles.accent, QIcon::Normal, QIcon::On);
      add(palette.color(QPalette::Disabled, QPalette::WindowText), QIcon::Disabled, QIcon::Off);
    }
  }
  return made;
}

}  // namespace mog::gui
