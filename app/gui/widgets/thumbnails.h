// The thumbnails of a layer × head grid: where they stand on its page, and their picture. Safe on any thread.
#pragma once

#include <QImage>
#include <QRectF>
#include <QSizeF>
#include <cstdint>

#include "analysis/figure_data/attention_overview.h"
#include "app/figures/style.h"

class QPainter;

namespace mog::gui {

// What the picture is made for, in logical pixels.
struct ThumbnailPage {
  QSizeF size;
  QPointF origin;    // of the first thumbnail: numbers of layers left of it, of heads above
  double ratio = 1;  // device pixels a logical one
  figures::Style style;
  friend bool operator==(const ThumbnailPage&, const ThumbnailPage&) = default;
};

class ThumbnailPlaces {
 public:
  static constexpr double kGap = 4;       // between thumbnails, less where there are many
  static constexpr double kLargest = 96;  // of one
  ThumbnailPlaces(const ThumbnailPage& page, std::int64_t rows, std::int64_t columns);
  // From one to the next. All of them are inside the page, however many: none could be clicked outside.
  double pitch() const { return pitch_; }
  double gap() const;
  QRectF cell(std::int64_t row, std::int64_t column) const;  // from 0

 private:
  QPointF origin_;
  double pitch_ = 0;
};

// The page with every map in its place; pixels outside them have the colour of paper. Where a map has more
// cells than pixels, each pixel is the mean of its cells.
QImage paint_thumbnails(const analysis::AttentionOverview& maps, const ThumbnailPage& page);

// One matrix without its labels in `box`, of a painter with so many device pixels a logical one.
void paint_thumbnail(QPainter& painter, const analysis::HeatMap& map, const figures::Style& style,
                     const QRectF& box, double ratio);

}  // namespace mog::gui
