#include "app/gui/thumbnails.h"

#include <QPainter>
#include <algorithm>
#include <optional>

#include "app/figures/painter.h"

namespace mog::gui {
namespace {

// A figure keeps a margin around its map, the same at every size; a thumbnail among others has no room for
// it.
QPointF margin_of(const analysis::FigureData& figure, const figures::Style& style) {
  constexpr double kSide = 64;  // a figure that is hardly larger than its margin draws nothing
  const auto hit = figures::hit_test(figure, style, QSizeF(kSide, kSide), QPointF(kSide / 2, kSide / 2));
  if (!hit || hit->row < 0 || hit->column < 0) {
    return {};
  }
  return hit->area.topLeft() - QPointF(static_cast<double>(hit->column) * hit->area.width(),
                                       static_cast<double>(hit->row) * hit->area.height());
}

}  // namespace

ThumbnailPlaces::ThumbnailPlaces(const ThumbnailPage& page, std::int64_t rows, std::int64_t columns)
    : origin_(page.origin) {
  if (rows > 0 && columns > 0) {
    const double wide = (page.size.width() - origin_.x() - kGap) / static_cast<double>(columns);
    const double high = (page.size.height() - origin_.y() - kGap) / static_cast<double>(rows);
    pitch_ = std::clamp(std::min(wide, high), 1.0, kLargest + kGap);
  }
}

double ThumbnailPlaces::gap() const {
  return std::min(kGap, pitch_ / 4);
}

QRectF ThumbnailPlaces::cell(std::int64_t row, std::int64_t column) const {
  const double side = pitch_ - gap();
  return {origin_.x() + static_cast<double>(column) * pitch_, origin_.y() + static_cast<double>(row) * pitch_,
          side, side};
}

QImage paint_thumbnails(const analysis::AttentionOverview& maps, const ThumbnailPage& page) {
  QImage picture((page.size * page.ratio).toSize(), QImage::Format_ARGB32_Premultiplied);
  picture.setDevicePixelRatio(page.ratio);
  picture.fill(figures::background(page.style.theme));
  QPainter painter(&picture);
  const auto rows = static_cast<std::int64_t>(maps.maps.size());
  const std::int64_t columns = maps.heads + 1;
  const ThumbnailPlaces places(page, rows, columns);
  std::optional<QPointF> margin;
  for (std::int64_t layer = 0; layer < rows; ++layer) {
    const auto& row = maps.maps[static_cast<std::size_t>(layer)];
    for (std::int64_t head = 0; head < columns; ++head) {
      const QRectF box = places.cell(layer, head);
      if (head >= static_cast<std::int64_t>(row.size())) {
        painter.fillRect(box, QBrush(figures::faint_ink(page.style.theme), Qt::BDiagPattern));
        continue;
      }
      const analysis::FigureData& map = row[static_cast<std::size_t>(head)];
      if (!margin) {
        margin = margin_of(map, page.style);
      }
      painter.save();
      painter.setClipRect(box);
      painter.translate(box.topLeft() - *margin);
      figures::paint(painter, map, page.style, box.size() + QSizeF(2 * margin->x(), 2 * margin->y()));
      painter.restore();
    }
  }
  return picture;
}

}  // namespace mog::gui
