// Fusion with edges that are seen in every theme.
#pragma once

#include <QProxyStyle>

namespace mog::gui {

// Fusion draws edges in shades of the window's colour, which a dark one hides and black does not have: those
// of fields and boxes are drawn over it; in high contrast those of everything, and what is chosen is filled.
// What it draws follows from palettes alone, so that themes change without another style.
class EdgeStyle : public QProxyStyle {
  Q_OBJECT
 public:
  static QString name();
  EdgeStyle();

  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
  void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                   const QWidget* widget) const override;
  void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                          const QWidget* widget) const override;
  QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents,
                         const QWidget* widget) const override;
  int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
};

}  // namespace mog::gui
