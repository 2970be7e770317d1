// The frame of every figure: background, title, body, caption.
#pragma once

#include <QRectF>
#include <QSizeF>
#include <QStringList>

#include "app/figures/body.h"

namespace mog::figures {

struct Frame {
  QRectF body;
  QStringList title;
  QStringList caption;
  double title_top = 0;
  double caption_top = 0;
};
Frame frame_of(const analysis::FigureData& figure, const Style& style, QSizeF size);
// Everything of the frame but the body.
double frame_height(const analysis::FigureData& figure, const Style& style, double width);

// paint() with what only files ask for.
void paint_figure(QPainter& painter, const analysis::FigureData& figure, const Style& style, QSizeF size,
                  const Highlight& highlight, PenOptions options);

inline constexpr double kMargin = 4;

}  // namespace mog::figures
