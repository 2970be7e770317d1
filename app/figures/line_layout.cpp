// Where the parts of a line plot go, and what a point on it means.
#include <algorithm>
#include <cmath>
#include <limits>

#include "app/figures/legend.h"
#include "app/figures/line_body.h"

namespace mog::figures {
namespace {

using analysis::LinePlot;
using analysis::LinePoint;
using analysis::LineSeries;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void widen(ValueRange& range, double value) {
  if (std::isfinite(value)) {
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  }
}

ValueRange y_range(const LinePlot& plot) {
  ValueRange range{kInfinity, -kInfinity};
  for (const LineSeries& series : plot.series) {
    for (const LinePoint& point : series.points) {
      widen(range, point.y);
      widen(range, point.low);
      widen(range, point.high);
    }
  }
  widen(range, plot.zero_line.value_or(kInfinity));
  range.low = plot.y_low.value_or(range.low);
  range.high = plot.y_high.value_or(range.high);
  const analysis::RoundRange rounded = analysis::round_range(range.low, range.high, 5);
  return {rounded.low, rounded.high};
}

ValueRange x_range(const LinePlot& plot) {
  if (!plot.x_categories.empty()) {
    return {-0.5, static_cast<double>(plot.x_categories.size()) - 0.5};
  }
  ValueRange range{kInfinity, -kInfinity};
  for (const LineSeries& series : plot.series) {
    for (const LinePoint& point : series.points) {
      widen(range, point.x);
    }
  }
  if (range.low >= range.high) {
    const double middle = std::isfinite(range.low) ? range.low : 0.5;
    return {middle - 0.5, middle + 0.5};
  }
  const double air = (range.high - range.low) * 0.03;
  return {range.low - air, range.high + air};
}

bool has_values(const LinePlot& plot) {
  return std::any_of(plot.series.begin(), plot.series.end(), [](const LineSeries& series) {
    return std::any_of(series.points.begin(), series.points.end(),
                       [](const LinePoint& point) { return std::isfinite(point.y); });
  });
}

}  // namespace

LineBody::LineBody(const LinePlot& plot, const Style& style, const QRectF& area, const LineFraming& framing)
    : plot_(plot),
      style_(style),
      area_(area),
      framing_(framing),
      tick_(style, style.tick_pt),
      title_(style, style.body_pt),
      small_(style, style.tick_pt - 2 * unit(style)),
      y_title_(framing.y_title ? drawable(plot.y.text()) : QString(), style, area.height()),
      x_(x_range(plot)),
      y_(y_range(plot)),
      any_(has_values(plot)),
      leader_(10 * unit(style)),
      swatch_(12 * unit(style)) {
  lay_out_axes();
}

LineMargins LineBody::margins() const {
  return {box_.left() - area_.left() - y_title_.width(), y_title_.width(), area_.bottom() - box_.bottom()};
}

QPointF LineBody::place(double x, double y) const {
  return {box_.left() + (x - x_.low) / (x_.high - x_.low) * box_.width(),
          box_.bottom() - (y - y_.low) / (y_.high - y_.low) * box_.height()};
}

analysis::Ticks LineBody::y_ticks(double height) const {
  auto fit = std::clamp<std::int64_t>(static_cast<std::int64_t>(height / (tick_.height() * 1.6)) + 1, 2, 8);
  analysis::Ticks result = analysis::ticks(y_.low, y_.high, fit);
  while (result.values.size() < 2 && fit < 5) {  // one label says nothing of the scale
    result = analysis::ticks(y_.low, y_.high, ++fit);
  }
  return result;
}

void LineBody::lay_out_axes() {
  double widest = 0;
  for (const std::string& label : y_ticks(area_.height() * 0.7).labels()) {
    widest = std::max(widest, tick_.width(drawable(label)));
  }
  const double left = y_title_.width() + (framing_.y_labels ? 3 + widest + 4 : kGap);
  const double counts = plot_.counts.empty() ? 0 : small_.height() + 1;
  const double bottom = 4 + tick_.height() + counts + (framing_.x_title ? title_.height() + 2 : 0);
  box_ = area_.adjusted(framing_.left.value_or(left), tick_.height() / 2, 0, 0);
  box_.setRight(area_.right() - framing_.right.value_or(kGap));
  box_.setBottom(area_.bottom() - bottom);
  if (framing_.series_labels) {
    lay_out_labels();
  }
  labels_bottom_ = box_.bottom() + 4 + tick_.height() + counts;
  y_ticks_ = y_ticks(box_.height());
}

void LineBody::lay_out_labels() {
  if (plot_.series.empty() || (plot_.series.size() == 1 && plot_.series[0].label.empty())) {
    return;
  }
  const QString title = drawable(plot_.legend_title);
  const double line = tick_.height() + 1;
  const double above = title.isEmpty() ? 0 : small_.height() + 2;
  double widest = small_.width(title);
  for (const LineSeries& series : plot_.series) {
    widest = std::max(widest, tick_.width(drawable(series.label)) + swatch_);
  }
  const double needed = line * static_cast<double>(plot_.series.size()) + above;
  if (needed > box_.height() || widest > area_.width() * 0.35) {
    legend_height_ = legend_height(title, series_legend(plot_, style_), style_, box_.width());
    box_.setBottom(box_.bottom() - legend_height_ - kGap);
    return;
  }
  box_.setRight(area_.right() - widest - leader_ - 2);
  for (std::size_t i = 0; i < plot_.series.size(); ++i) {
    const auto& points = plot_.series[i].points;
    const auto last = std::find_if(points.rbegin(), points.rend(),
                                   [](const LinePoint& point) { return std::isfinite(point.y); });
    if (last != points.rend()) {
      const QPointF end = place(last->x, last->y);
      labels_.push_back({i, end.y(), end.y(), end});
    }
  }
  std::stable_sort(labels_.begin(), labels_.end(),
                   [](const EndLabel& a, const EndLabel& b) { return a.wanted < b.wanted; });
  spread(line, box_.top() + above, box_.bottom());
}

// Moves labels apart by at least `line`, each as near to its line as the others let it.
void LineBody::spread(double line, double top, double bottom) {
  for (EndLabel& label : labels_) {
    label.y = std::clamp(label.wanted, top + line / 2, bottom - line / 2);
  }
  bool moved = true;
  for (int round = 0; round < 200 && moved; ++round) {
    moved = false;
    for (std::size_t i = 1; i < labels_.size(); ++i) {
      const double overlap = line - (labels_[i].y - labels_[i - 1].y);
      if (overlap > 0.01) {
        labels_[i - 1].y -= overlap / 2;
        labels_[i].y += overlap / 2;
        moved = true;
      }
    }
    if (!labels_.empty()) {
      labels_.front().y = std::max(labels_.front().y, top + line / 2);
      labels_.back().y = std::min(labels_.back().y, bottom - line / 2);
    }
  }
  for (std::size_t i = 1; i < labels_.size(); ++i) {
    labels_[i].y = std::max(labels_[i].y, labels_[i - 1].y + line);
  }
  for (std::size_t i = labels_.size(); i-- > 0;) {
    const double limit = i + 1 < labels_.size() ? labels_[i + 1].y - line : bottom - line / 2;
    labels_[i].y = std::min(labels_[i].y, limit);
  }
}

std::optional<Hit> LineBody::hit(QPointF at) const {
  if (auto found = hit_point(at)) {
    return found;
  }
  if (plot_.x_categories.empty() || at.x() < box_.left() || at.x() >= box_.right() || at.y() < box_.top() ||
      at.y() > labels_bottom_) {
    return std::nullopt;
  }
  const auto count = static_cast<std::int64_t>(plot_.x_categories.size());
  const double step = box_.width() / static_cast<double>(count);
  Hit hit;
  hit.column = std::min(static_cast<std::int64_t>((at.x() - box_.left()) / step), count - 1);
  hit.kind = at.y() > box_.bottom() ? Hit::Kind::column_label : Hit::Kind::bin;
  hit.area = QRectF(box_.left() + static_cast<double>(hit.column) * step, box_.top(), step,
                    labels_bottom_ - box_.top());
  const auto bin = static_cast<std::size_t>(hit.column);
  hit.readout = drawable(plot_.x.text() + ": " + plot_.x_categories[bin]);
  if (bin < plot_.counts.size()) {
    hit.readout += drawable("; " + analysis::grouped(plot_.counts[bin]) + " " + plot_.counts_label);
  }
  return hit;
}

std::optional<Hit> LineBody::hit_point(QPointF at) const {
  constexpr double kReach = 5;
  double nearest = kReach;
  std::optional<Hit> result;
  for (std::size_t s = 0; s < plot_.series.size(); ++s) {
    const LineSeries& series = plot_.series[s];
    for (std::size_t i = 0; i < series.points.size(); ++i) {
      const LinePoint& point = series.points[i];
      const QPointF there = place(point.x, point.y);
      const double distance = std::hypot(there.x() - at.x(), there.y() - at.y());
      if (std::isfinite(point.y) && distance < nearest) {
        nearest = distance;
        result = Hit{};
        result->kind = Hit::Kind::point;
        result->series = static_cast<std::int64_t>(s);
        result->column = static_cast<std::int64_t>(i);
        result->area = QRectF(there - QPointF(kReach, kReach), QSizeF(2 * kReach, 2 * kReach));
        result->readout = readout(series, point);
      }
    }
  }
  return result;
}

QString LineBody::readout(const LineSeries& series, const LinePoint& point) const {
  const auto category = static_cast<std::size_t>(std::max(0.0, point.x));
  std::string text = plot_.legend_title + (plot_.legend_title.empty() ? "" : " ") + series.label;
  text += (text.empty() ? "" : ", ") + plot_.x.quantity + " ";
  text += category < plot_.x_categories.size() ? plot_.x_categories[category] : analysis::readable(point.x);
  text += ": " + analysis::readable(point.y);
  if (std::isfinite(point.low) && std::isfinite(point.high)) {
    text += " [" + analysis::readable(point.low) + ", " + analysis::readable(point.high) + "]";
  }
  if (point.sentences > 0) {
    text += "; " + analysis::grouped(point.sentences) + (point.sentences == 1 ? " sentence" : " sentences");
  }
  return drawable(text);
}

std::unique_ptr<Body> lay_out(const LinePlot& plot, const Style& style, const QRectF& area,
                              const LineFraming& framing) {
  return std::make_unique<LineBody>(plot, style, area, framing);
}

LineMargins line_margins(const LinePlot& plot, const Style& style, double width, const LineFraming& framing) {
  return LineBody(plot, style, QRectF(0, 0, width, width), framing).margins();
}

double wanted_height(const LinePlot& plot, const Style& style, double width) {
  LineFraming framing;
  framing.series_labels = false;
  const LineMargins margins = line_margins(plot, style, width, framing);
  const double labels =
      (TypeFace(style, style.tick_pt).height() + 1) * static_cast<double>(plot.series.size() + 1);
  const double plot_height =
      std::clamp((width - margins.labels - margins.title) * 0.5, 90.0 * unit(style), 320.0 * unit(style));
  // A little more height lets twelve layers have their labels at their lines.
  return margins.bottom + std::max(plot_height, std::min(labels, plot_height * 1.35)) + style.tick_pt;
}

}  // namespace mog::figures
