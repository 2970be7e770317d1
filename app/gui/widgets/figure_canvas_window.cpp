// A picture that is larger than the view: labels that stay, the small picture of the whole, going there.
#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/widgets/figure_overlays.h"

namespace mog::gui {
namespace {
constexpr double kNearlyAll = 0.75;
constexpr double kMostCovered = 0.25;  // of the cells that are seen, by the overview
}  // namespace

std::vector<FigurePin> FigureCanvas::pins() const {
  const auto frame = overflows() ? laidOut().map_frame() : std::nullopt;
  return frame ? figure_pins(*frame, size(), offset_) : std::vector<FigurePin>();
}

void FigureCanvas::setLeastCell(double side) {
  least_cell_ = side;
  least_size_.reset();
  place();
  drop();
}

void FigureCanvas::see(std::optional<std::int64_t> row, std::optional<std::int64_t> column) {
  const auto frame = figure_ && overflows() ? laidOut().map_frame() : std::nullopt;
  const auto* map = frame ? std::get_if<analysis::HeatMap>(&figure_->body) : nullptr;
  if (map == nullptr) {
    return;
  }
  const double wide = frame->cells.width() / static_cast<double>(map->columns.size());
  const double high = frame->cells.height() / static_cast<double>(map->rows.size());
  const QPointF at = frame->cells.topLeft() + QPointF(wide * static_cast<double>(column.value_or(0)),
                                                      high * static_cast<double>(row.value_or(0)));
  const QRectF cell(at, QSizeF(wide, high));
  // Not below the small picture either.
  drawOverview();
  const bool covered = row && column && overviewBox().intersects(cell.translated(-offset_));
  const QPointF there = offset_to_see(cell, *frame, size(), covered ? QPointF(-1e6, offset_.y()) : offset_);
  const QPointF before = offset_;
  offset_ = {column ? there.x() : offset_.x(), row ? there.y() : offset_.y()};
  clampOffset();
  if (offset_ != before) {
    moved_ = true;
    drop();
  }
}

bool FigureCanvas::litInSight(QSize view) const {
  const auto frame = figure_ && laid_out_ != nullptr ? laid_out_->map_frame() : std::nullopt;
  const auto* map = frame ? std::get_if<analysis::HeatMap>(&figure_->body) : nullptr;
  if (map == nullptr || (!highlight_.row && !highlight_.column)) {
    return false;
  }
  const double wide = frame->cells.width() / static_cast<double>(map->columns.size());
  const double high = frame->cells.height() / static_cast<double>(map->rows.size());
  const QPointF at =
      frame->cells.topLeft() + QPointF((static_cast<double>(highlight_.column.value_or(0)) + 0.5) * wide,
                                       (static_cast<double>(highlight_.row.value_or(0)) + 0.5) * high);
  const bool across = !highlight_.column || (at.x() >= offset_.x() && at.x() < offset_.x() + view.width());
  const bool down = !highlight_.row || (at.y() >= offset_.y() && at.y() < offset_.y() + view.height());
  return across && down;
}

void FigureCanvas::fit() {
  whole_ = larger_ && !(whole_ && zoom_ == 1);
  zoom_ = 1;
  moved_ = false;
  least_size_.reset();
  place();
  drop();
  see(highlight_.row, highlight_.column);
}

// Of a matrix it is the same at every zoom.
void FigureCanvas::drawOverview() {
  const bool of_map = overflows() && laidOut().map_frame();
  figures::Style look = style();
  look.zoom = of_map ? 1 : look.zoom;
  OverviewOf now{figure_, look, size(), devicePixelRatioF(), of_map};
  if (overview_of_ == now) {
    return;
  }
  const QSizeF whole = figureSize();
  if (of_map) {
    overview_ = overview_of(std::get<analysis::HeatMap>(figure_->body), look, size(), now.ratio);
  } else if (whole.width() > 1.5 * width()) {
    overview_ = overview_of(laidOut(), whole, now.ratio);
  } else {
    overview_ = {};
  }
  overview_of_ = std::move(now);
}

QRectF FigureCanvas::overviewBox() const {
  if (overview_.isNull() || overview_of_.figure != figure_ || !overflows()) {
    return {};
  }
  const auto frame = laidOut().map_frame();
  const QRectF box =
      frame ? overview_box(*this, overview_, frame->below, pinned_scale_width(*frame, size(), offset_))
            : overview_box(*this, overview_, laidOut().foot(seen()), 0);
  if (frame && !looking_) {
    // It would cover more than it says where nearly all cells are seen, or few have room.
    const QRectF cells = QRectF(offset_, QSizeF(size()))
                             .adjusted(frame->left, frame->above,
                                       -pinned_scale_width(*frame, size(), offset_), -frame->below) &
                         frame->cells;
    const double whole = frame->cells.width() * frame->cells.height();
    const double shown = cells.width() * cells.height();
    if (shown > kNearlyAll * whole || box.width() * box.height() > kMostCovered * shown) {
      return {};
    }
  }
  return box;
}

QRectF FigureCanvas::seenInOverview(const QRectF& box) const {
  const auto frame = laidOut().map_frame();
  const QRectF whole = frame ? frame->cells : QRectF(QPointF(0, 0), figureSize());
  QRectF seen(offset_, QSizeF(size()));
  if (frame) {
    seen = seen.adjusted(frame->left, frame->above, -pinned_scale_width(*frame, size(), offset_),
                         -frame->below) &
           whole;
  }
  const double across = box.width() / whole.width();
  const double down = box.height() / whole.height();
  return {box.left() + (seen.left() - whole.left()) * across, box.top() + (seen.top() - whole.top()) * down,
          seen.width() * across, seen.height() * down};
}

bool FigureCanvas::lookAt(QPointF position) {
  const QRectF box = overviewBox();
  if (box.isEmpty() || (!looking_ && !box.contains(position))) {
    looking_ = false;
    return false;
  }
  const QRectF seen = seenInOverview(box);
  const auto frame = laidOut().map_frame();
  const QSizeF whole = frame ? frame->cells.size() : figureSize();
  const QPointF away = position - seen.center();
  offset_ += QPointF(away.x() * whole.width() / box.width(), away.y() * whole.height() / box.height());
  moved_ = true;
  clampOffset();
  drop();
  return true;
}

}  // namespace mog::gui
