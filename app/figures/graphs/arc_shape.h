// The curve of one arc over a sentence: a cubic from foot to foot, or upright above the word of a root.
#pragma once

#include <QPainterPath>
#include <QPointF>
#include <QRectF>
#include <array>
#include <cmath>

namespace mog::figures {

struct ArcShape {
  double from = 0;  // feet
  double to = 0;
  double height = 0;
  std::array<QPointF, 4> control;  // of the cubic
  QPainterPath path;
  double width = 0;
  double opacity = 1;
  QRectF label;  // where it stands; empty: there is none, or no room

  // The cubic at t in [0, 1].
  QPointF at(double t) const {
    const double s = 1 - t;
    return s * s * s * control[0] + 3 * s * s * t * control[1] + 3 * s * t * t * control[2] +
           t * t * t * control[3];
  }
  // The place whose straight distance to the end is `distance`: where the line meets its arrowhead.
  double before_end(double distance) const {
    double near = 1;
    double far = 0.5;
    for (int step = 0; step < 24; ++step) {
      const double middle = (near + far) / 2;
      const QPointF away = control[3] - at(middle);
      (std::hypot(away.x(), away.y()) < distance ? near : far) = middle;
    }
    return near;
  }
  // The part from 0 to t, by de Casteljau's construction.
  QPainterPath until(double t) const {
    const auto mix = [t](QPointF a, QPointF b) { return a + (b - a) * t; };
    const QPointF a = mix(control[0], control[1]);
    const QPointF b = mix(control[1], control[2]);
    const QPointF c = mix(control[2], control[3]);
    const QPointF ab = mix(a, b);
    QPainterPath result(control[0]);
    result.cubicTo(a, ab, mix(ab, mix(b, c)));
    return result;
  }
};

}  // namespace mog::figures
