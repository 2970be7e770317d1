// A map has often more cells a side than its thumbnail has pixels, and painting would leave whole rows and
// columns out: such maps are averaged down to one cell a pixel first, over the cells that are there.
// O(cells). Then all are painted by the one painter, so that colours and hatches are those of the large map.
//
// A figure keeps a margin around its map. It is found once by asking the painter what lies in the middle of
// a small one (margin_of), and each thumbnail is painted that much larger and moved, under a clip of its
// own.
//
// Trap: the pitch is at least one pixel and all thumbnails lie on the page: one outside could not be
// clicked.
#include "app/gui/widgets/thumbnails.h"

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/figure_data/no_cell.h"
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

// Of `cells` in a row, into which of `kept` each falls.
std::vector<std::size_t> shared_places(std::size_t cells, std::size_t kept) {
  std::vector<std::size_t> places(cells);
  for (std::size_t i = 0; i < cells; ++i) {
    places[i] = i * kept / cells;
  }
  return places;
}

// The map with at most so many cells a side, means of neighbours, if it has more: with more of them than
// pixels the painter would leave whole rows and columns out.
std::optional<analysis::FigureData> with_fewer_cells(const analysis::HeatMap& map, std::size_t most) {
  const std::size_t rows = map.rows.size();
  const std::size_t columns = map.columns.size();
  if (std::max(rows, columns) <= most) {
    return std::nullopt;
  }
  analysis::HeatMap fewer;
  fewer.thumbnail = true;
  fewer.scale = map.scale;
  fewer.special_in_scale = map.special_in_scale;
  fewer.rows.resize(std::min(rows, most));
  fewer.columns.resize(std::min(columns, most));
  const std::vector<std::size_t> down = shared_places(rows, fewer.rows.size());
  const std::vector<std::size_t> along = shared_places(columns, fewer.columns.size());
  for (std::size_t row = 0; row < rows; ++row) {
    fewer.rows[down[row]].special |= map.rows[row].special;
  }
  for (std::size_t column = 0; column < columns; ++column) {
    fewer.columns[along[column]].special |= map.columns[column].special;
  }
  std::vector<double> shared(fewer.rows.size() * fewer.columns.size());  // cells that are there
  std::vector<char> absent(shared.size());                               // some are, where no other is
  fewer.values.resize(shared.size());
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t first = down[row] * fewer.columns.size();
    for (std::size_t column = 0; column < columns; ++column) {
      if (const double value = map.values[row * columns + column]; std::isfinite(value)) {
        fewer.values[first + along[column]] += value;
        ++shared[first + along[column]];
      } else if (analysis::has_cell(value)) {
        absent[first + along[column]] = 1;
      }
    }
  }
  for (std::size_t i = 0; i < shared.size(); ++i) {
    if (shared[i] > 0) {
      fewer.values[i] /= shared[i];
    } else {
      fewer.values[i] = analysis::kUnseen;
      if (absent[i] != 0) {
        fewer.values[i] = analysis::kAbsent;
      }
    }
  }
  return analysis::FigureData{{}, {}, std::move(fewer)};
}

std::size_t most_cells(double side, double ratio) {
  return static_cast<std::size_t>(std::max(1.0, std::floor(side * ratio)));
}

void paint_within(QPainter& painter, const analysis::FigureData& map, const figures::Style& style,
                  const QRectF& box, QPointF margin) {
  painter.save();
  painter.setClipRect(box);
  painter.translate(box.topLeft() - margin);
  figures::paint(painter, map, style, box.size() + QSizeF(2 * margin.x(), 2 * margin.y()));
  painter.restore();
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
  const std::size_t most = most_cells(places.cell(0, 0).width(), page.ratio);
  std::optional<QPointF> margin;
  for (std::int64_t place = 0; place < rows; ++place) {
    const auto& row = maps.maps[maps.at_row(static_cast<std::size_t>(place))];
    for (std::int64_t head = 0; head < columns; ++head) {
      const QRectF box = places.cell(place, head);
      if (head >= static_cast<std::int64_t>(row.size())) {
        painter.fillRect(box, QBrush(figures::faint_ink(page.style.theme), Qt::BDiagPattern));
        continue;
      }
      const analysis::FigureData& whole = row[static_cast<std::size_t>(head)];
      const std::optional<analysis::FigureData> fewer =
          with_fewer_cells(std::get<analysis::HeatMap>(whole.body), most);
      const analysis::FigureData& map = fewer ? *fewer : whole;
      if (!margin) {
        margin = margin_of(map, page.style);
      }
      paint_within(painter, map, page.style, box, *margin);
    }
  }
  return picture;
}

void paint_thumbnail(QPainter& painter, const analysis::HeatMap& map, const figures::Style& style,
                     const QRectF& box, double ratio) {
  std::optional<analysis::FigureData> cells =
      with_fewer_cells(map, most_cells(std::max(box.width(), box.height()), ratio));
  if (!cells) {
    cells = analysis::FigureData{{}, {}, map};
    std::get<analysis::HeatMap>(cells->body).thumbnail = true;
  }
  paint_within(painter, *cells, style, box, margin_of(*cells, style));
}

}  // namespace mog::gui
