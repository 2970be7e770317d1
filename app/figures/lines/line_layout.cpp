// Where the parts of a line plot go, and what a point on it means.
//
// Lines are named at their right ends, which is read faster than a legend, as long as that is possible:
// labels are sorted by their lines' ends and pushed apart, half the overlap each, for at most 200 rounds;
// two last passes make distances and borders hold exactly. If a label then is more than a line away from its
// line, or there are too many or too wide ones, all go into a legend below. O(rounds · series).
//
// The axis of y ends at round numbers around the values and their intervals. Stacked bars are the exception:
// a sliver below 0 would get a third of the height.
//
// Trap: labels take width from the plot, a legend takes height, and both change where lines end. The order
// here (axes, labels, legend, ticks) is the one in which nothing has to be done twice.
#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/figure_data/captions.h"
#include "app/figures/lines/legend.h"
#include "app/figures/lines/line_body.h"
#include "io/recording/counted.h"

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

// Of each category: what is stacked below 0 and above it.
std::vector<ValueRange> stacks(const LinePlot& plot) {
  std::vector<ValueRange> result(plot.x_categories.size(), ValueRange{0, 0});
  for (const LineSeries& series : plot.series) {
    for (const LinePoint& point : series.points) {
      const auto place = static_cast<std::size_t>(std::max(0.0, point.x));
      if (place < result.size() && std::isfinite(point.y)) {
        (point.y < 0 ? result[place].low : result[place].high) += point.y;
      }
    }
  }
  return result;
}

ValueRange y_range(const LinePlot& plot) {
  if (plot.y_limits) {
    return {plot.y_limits->low, plot.y_limits->high};
  }
  ValueRange range{kInfinity, -kInfinity};
  if (plot.stacked) {
    range = {0, 0};
    for (const ValueRange& stack : stacks(plot)) {
      widen(range, stack.low);
      widen(range, stack.high);
    }
    // Not to the next round number: a sliver below 0 would cost a third of the height.
    const double air = (range.high - range.low) * 0.02;
    if (air <= 0) {
      return {0, 1};
    }
    return {range.low < 0 ? range.low - air : 0, range.high > 0 ? range.high + air : 0};
  }
  for (const LineSeries& series : plot.series) {
    for (const LinePoint& point : series.points) {
      widen(range, point.y);
      if (!analysis::of_few_sentences(plot, series, point)) {
        widen(range, point.low);
        widen(range, point.high);
      }
    }
  }
  widen(range, plot.zero_line.value_or(kInfinity));
  range.low = plot.y_low.value_or(range.low);
  range.high = plot.y_high.value_or(range.high);
  const analysis::RoundRange rounded = analysis::round_range(range.low, range.high, 5);
  // Values that are nowhere below 0 get no axis below it.
  return {range.low >= 0 ? std::max(0.0, rounded.low) : rounded.low, rounded.high};
}

ValueRange x_range(const LinePlot& plot) {
  if (!plot.x_categories.empty()) {
    return {-0.5, static_cast<double>(plot.x_categories.size()) - 0.5};
  }
  if (plot.x_limits) {
    return {plot.x_limits->low, plot.x_limits->high};
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
      small_(style, smallest_type(style)),
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

double LineBody::shift(std::size_t series) const {
  if (plot_.joined) {
    return 0;
  }
  constexpr double kShare = 0.6;  // of a category's width
  const auto count = static_cast<double>(plot_.series.size());
  return (static_cast<double>(series) - (count - 1) / 2) * kShare / count;
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
  box_ = area_.adjusted(framing_.left.value_or(left), tick_.height() / 2, 0, 0);
  box_.setRight(area_.right() - framing_.right.value_or(kGap));
  const double below = category_height();
  const double bottom = 4 + below + counts + (framing_.x_title ? title_.height() + 2 : 0);
  box_.setBottom(area_.bottom() - bottom);
  if (framing_.series_labels) {
    lay_out_labels();
  }
  labels_bottom_ = box_.bottom() + 4 + below + counts;
  y_ticks_ = y_ticks(box_.height());
}

void LineBody::lay_out_labels() {
  const bool unnamed = plot_.series.size() == 1 && plot_.series[0].label.empty();
  const bool named_below = plot_.stacked && series_legend(plot_, style_).empty();
  if (plot_.series.empty() || (unnamed && !plot_.significant) || named_below) {
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
  const auto with_legend = [&] {
    legend_height_ = legend_height(title, series_legend(plot_, style_), style_, box_.width());
    box_.setBottom(box_.bottom() - legend_height_ - kGap);
    if (framing_.y_title) {  // beside the axis, not beside the legend
      const double before = y_title_.width();
      y_title_ = SideTitle(drawable(plot_.y.text()), style_, area_.height() - legend_height_ - kGap);
      box_.setLeft(box_.left() + (framing_.left ? 0 : y_title_.width() - before));
    }
  };
  if (plot_.stacked || !plot_.joined || plot_.significant || needed > box_.height() ||
      widest > area_.width() * 0.35) {
    with_legend();
    return;
  }
  const double right = box_.right();
  box_.setRight(area_.right() - widest - leader_ - 2);
  for (std::size_t i = 0; i < plot_.series.size(); ++i) {
    const auto& points = plot_.series[i].points;
    const auto last = std::find_if(points.rbegin(), points.rend(), [this](const LinePoint& point) {
      return std::isfinite(point.y) && point.x >= x_.low && point.x <= x_.high;
    });
    if (last != points.rend()) {
      QPointF end = place(last->x, last->y);
      end.setY(std::clamp(end.y(), box_.top(), box_.bottom()));  // a line may end beyond chosen limits
      labels_.push_back({i, end.y(), end.y(), end});
    }
  }
  std::stable_sort(labels_.begin(), labels_.end(),
                   [](const EndLabel& a, const EndLabel& b) { return a.wanted < b.wanted; });
  spread(line, box_.top() + above, box_.bottom());
  // Labels far from their lines name them badly, in an order that is not that of the bins.
  constexpr double kFarthest = 1;
  if (std::any_of(labels_.begin(), labels_.end(), [&](const EndLabel& label) {
        return std::abs(label.y - label.wanted) > kFarthest * line;
      })) {
    labels_.clear();
    box_.setRight(right);
    with_legend();
  }
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

// Words that do not fit are turned rather than left out: those below stacked bars, and names that have no
// digit, of which no neighbour says what is left out between.
bool LineBody::turns_categories() const {
  const bool names = std::all_of(
      plot_.x_categories.begin(), plot_.x_categories.end(),
      [](const std::string& label) { return label.find_first_of("0123456789") == std::string::npos; });
  if (!(plot_.stacked || names) || plot_.x_categories.empty()) {
    return false;
  }
  double widest = 0;
  for (const std::string& label : plot_.x_categories) {
    widest = std::max(widest, tick_.width(drawable(label)));
  }
  return widest + 2 > box_.width() / static_cast<double>(plot_.x_categories.size());
}

TypeFace LineBody::category_face() const {
  const double step = box_.width() / static_cast<double>(std::max<std::size_t>(plot_.x_categories.size(), 1));
  return tick_.height() <= step ? tick_ : TypeFace(style_, smallest_type(style_));
}

double LineBody::category_height() const {
  if (!turns_categories()) {
    return tick_.height();
  }
  constexpr double kLongest = 70;  // points; longer words are elided
  const TypeFace face = category_face();
  double longest = tick_.height();
  for (const std::string& label : plot_.x_categories) {
    longest = std::max(longest, std::min(kLongest * unit(style_), face.width(drawable(label))));
  }
  return longest;
}

std::vector<BarPiece> LineBody::bar_pieces() const {
  std::vector<BarPiece> pieces;
  std::vector<ValueRange> filled(plot_.x_categories.size(), ValueRange{0, 0});
  const double step = box_.width() / static_cast<double>(std::max<std::size_t>(filled.size(), 1));
  for (std::size_t s = 0; s < plot_.series.size(); ++s) {
    const auto& points = plot_.series[s].points;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto category = static_cast<std::size_t>(std::max(0.0, points[i].x));
      if (category >= filled.size() || !std::isfinite(points[i].y)) {
        continue;
      }
      double& end = points[i].y < 0 ? filled[category].low : filled[category].high;
      const double from = end;
      end += points[i].y;
      const QPointF centre = place(points[i].x, from);
      const double other = place(points[i].x, end).y();
      pieces.push_back(
          {s, i,
           QRectF(QPointF(centre.x() - step * 0.36, centre.y()), QPointF(centre.x() + step * 0.36, other))
               .normalized()});
    }
  }
  return pieces;
}

std::optional<Hit> LineBody::hit_bar(QPointF at) const {
  for (const BarPiece& piece : bar_pieces()) {
    if (!piece.area.contains(at)) {
      continue;
    }
    const LineSeries& series = plot_.series[piece.series];
    Hit hit;
    hit.kind = Hit::Kind::point;
    hit.series = static_cast<std::int64_t>(piece.series);
    hit.column = static_cast<std::int64_t>(piece.point);
    hit.area = piece.area;
    hit.readout = readout(series, series.points[piece.point]);
    return hit;
  }
  return std::nullopt;
}

std::optional<Hit> LineBody::hit(QPointF at) const {
  if (auto found = plot_.stacked ? hit_bar(at) : hit_point(at)) {
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
    hit.readout += drawable("; " + grouped(plot_.counts[bin]) + " " + plot_.counts_label);
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
      const QPointF there = place(point.x + shift(s), point.y);
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
    text += "; " + grouped(point.sentences) + (point.sentences == 1 ? " sentence" : " sentences");
  }
  if (std::isfinite(point.p)) {
    text += "; p = " + analysis::readable(point.p);
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
  const double height =
      margins.bottom + std::max(plot_height, std::min(labels, plot_height * 1.35)) + style.tick_pt;
  // A legend stands below the plot and takes nothing from it.
  const LineBody whole(plot, style, QRectF(0, 0, width, height), {});
  return height + std::max(0.0, whole.margins().bottom - margins.bottom);
}

}  // namespace mog::figures
