// Lines with bands over categories or numbers.
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "analysis/figure_data/ticks.h"
#include "app/figures/body.h"
#include "app/figures/legend.h"

namespace mog::figures {
namespace {

using analysis::LinePlot;
using analysis::LinePoint;
using analysis::LineSeries;

QString text_of(const std::string& text) {
  return drawable(text);
}

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void add(double value) {
    if (std::isfinite(value)) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  bool empty() const { return low > high; }
};

Range y_range(const LinePlot& plot) {
  Range range;
  for (const LineSeries& series : plot.series) {
    for (const LinePoint& point : series.points) {
      range.add(point.y);
      range.add(point.low);
      range.add(point.high);
    }
  }
  range.add(plot.zero_line.value_or(std::numeric_limits<double>::quiet_NaN()));
  range.low = plot.y_low.value_or(range.low);
  range.high = plot.y_high.value_or(range.high);
  const analysis::RoundRange rounded = analysis::round_range(range.low, range.high, 5);
  return {rounded.low, rounded.high};
}

Range x_range(const LinePlot& plot) {
  Range range;
  if (!plot.x_categories.empty()) {
    return {-0.5, static_cast<double>(plot.x_categories.size()) - 0.5};
  }
  for (const LineSeries& series : plot.series) {
    for (const LinePoint& point : series.points) {
      range.add(point.x);
    }
  }
  if (range.empty() || range.high == range.low) {
    return {range.empty() ? 0 : range.low - 0.5, range.empty() ? 1 : range.high + 0.5};
  }
  const double air = (range.high - range.low) * 0.03;
  return {range.low - air, range.high + air};
}

// Labels at the right of the lines, pushed apart.
struct EndLabel {
  std::size_t series = 0;
  double wanted = 0;  // middle of the text
  double y = 0;
  QPointF end;  // of the line
};

class LineBody final : public Body {
 public:
  LineBody(const LinePlot& plot, const Style& style, const QRectF& area, const LineFraming& framing)
      : plot_(plot),
        style_(style),
        area_(area),
        framing_(framing),
        tick_(style, style.tick_pt),
        title_(style, style.body_pt),
        small_(style, std::max(kSmallestType, style.tick_pt - 2)) {
    y_ = y_range(plot);
    x_ = x_range(plot);
    lay_out_axes();
  }

  QSizeF margins() const { return {box_.left() - area_.left(), area_.bottom() - box_.bottom()}; }

  void draw(Pen& pen) const override {
    if (box_.width() < 10 || box_.height() < 10) {
      return;
    }
    draw_axes(pen);
    for (const LineSeries& series : plot_.series) {
      draw_band(pen, series);
    }
    for (std::size_t i = 0; i < plot_.series.size(); ++i) {
      draw_series(pen, i, style_.line_pt * 1.2);
    }
    for (const EndLabel& label : labels_) {
      draw_label(pen, label);
    }
    if (legend_height_ > 0) {
      draw_legend(pen, text_of(plot_.legend_title), series_legend(plot_, style_),
                  QRectF(box_.left(), area_.bottom() - legend_height_, box_.width(), legend_height_));
    }
  }

  void draw_highlight(Pen& pen, const Highlight& highlight) const override {
    QColor glow = accent(pen.theme());
    if (highlight.column && *highlight.column >= 0 && !plot_.x_categories.empty()) {
      const double step = box_.width() / static_cast<double>(plot_.x_categories.size());
      const QRectF strip(box_.left() + static_cast<double>(*highlight.column) * step, box_.top(), step,
                         box_.height());
      if (strip.right() <= box_.right() + 0.5) {
        glow.setAlphaF(0.22F);
        pen.fill(strip, glow);
      }
    }
    if (highlight.series && *highlight.series >= 0 &&
        *highlight.series < static_cast<std::int64_t>(plot_.series.size())) {
      const auto series = static_cast<std::size_t>(*highlight.series);
      draw_series(pen, series, style_.line_pt * 2.5);
      if (highlight.column && *highlight.column >= 0 &&
          *highlight.column < static_cast<std::int64_t>(plot_.series[series].points.size())) {
        const LinePoint& point = plot_.series[series].points[static_cast<std::size_t>(*highlight.column)];
        if (std::isfinite(point.y)) {
          pen.disc(place(point.x, point.y), style_.marker_pt * 1.2, accent(pen.theme()));
          pen.disc(place(point.x, point.y), style_.marker_pt * 0.7,
                   colour_of(plot_.series[series].colour, pen.theme()));
        }
      }
    }
  }

  std::optional<Hit> hit(QPointF at) const override {
    if (auto found = hit_point(at)) {
      return found;
    }
    if (plot_.x_categories.empty() || at.x() < box_.left() || at.x() >= box_.right() || at.y() < box_.top() ||
        at.y() > labels_bottom_) {
      return std::nullopt;
    }
    const double step = box_.width() / static_cast<double>(plot_.x_categories.size());
    const auto column = std::min(static_cast<std::int64_t>((at.x() - box_.left()) / step),
                                 static_cast<std::int64_t>(plot_.x_categories.size()) - 1);
    Hit hit;
    hit.kind = at.y() > box_.bottom() ? Hit::Kind::column_label : Hit::Kind::bin;
    hit.column = column;
    hit.area = QRectF(box_.left() + static_cast<double>(column) * step, box_.top(), step,
                      labels_bottom_ - box_.top());
    const auto place = static_cast<std::size_t>(column);
    hit.readout = text_of(plot_.x.text()) + QStringLiteral(": ") + text_of(plot_.x_categories[place]);
    if (place < plot_.counts.size()) {
      hit.readout += QStringLiteral("; ") + text_of(analysis::grouped(plot_.counts[place])) +
                     QStringLiteral(" ") + text_of(plot_.counts_label);
    }
    return hit;
  }

 private:
  QPointF place(double x, double y) const {
    return {box_.left() + (x - x_.low) / (x_.high - x_.low) * box_.width(),
            box_.bottom() - (y - y_.low) / (y_.high - y_.low) * box_.height()};
  }

  void lay_out_axes() {
    const auto y_ticks_for = [&](double height) {
      return analysis::ticks(y_.low, y_.high,
                             std::clamp(static_cast<std::int64_t>(height / (tick_.height() * 1.6)) + 1,
                                        std::int64_t{2}, std::int64_t{8}));
    };
    y_ticks_ = y_ticks_for(area_.height() * 0.7);
    double widest = 0;
    for (const std::string& label : y_ticks_.labels()) {
      widest = std::max(widest, tick_.width(text_of(label)));
    }
    const double left = framing_.y_text ? title_.height() + 3 + widest + 4 : kGap;
    double bottom = 4 + tick_.height();
    const bool counted = !plot_.counts.empty();
    bottom += counted ? small_.height() + 1 : 0;
    bottom += framing_.x_text ? title_.height() + 2 : 0;
    box_ = area_.adjusted(framing_.left.value_or(left), tick_.height() / 2, 0, 0);
    box_.setRight(area_.right() - framing_.right.value_or(kGap));
    box_.setBottom(area_.bottom() - framing_.bottom.value_or(bottom));
    if (framing_.series_labels) {
      lay_out_labels();
    }
    labels_bottom_ = box_.bottom() + 4 + tick_.height() + (counted ? small_.height() + 1 : 0);
    y_ticks_ = y_ticks_for(box_.height());
  }

  void lay_out_labels() {
    const double line = tick_.height() + 1;
    const double title = plot_.legend_title.empty() ? 0 : small_.height() + 2;
    double widest = plot_.legend_title.empty() ? 0 : small_.width(text_of(plot_.legend_title));
    for (const LineSeries& series : plot_.series) {
      widest = std::max(widest, tick_.width(text_of(series.label)) + kSwatch);
    }
    const double labels = line * static_cast<double>(plot_.series.size()) + title;
    const bool one_without_name = plot_.series.size() == 1 && plot_.series[0].label.empty();
    if (one_without_name) {
      return;
    }
    if (labels > box_.height() || widest > area_.width() * 0.35) {
      legend_height_ =
          legend_height(text_of(plot_.legend_title), series_legend(plot_, style_), style_, box_.width());
      box_.setBottom(box_.bottom() - legend_height_ - 3);
      return;
    }
    box_.setRight(area_.right() - widest - kLeader - 2);
    for (std::size_t i = 0; i < plot_.series.size(); ++i) {
      for (auto point = plot_.series[i].points.rbegin(); point != plot_.series[i].points.rend(); ++point) {
        if (std::isfinite(point->y)) {
          const QPointF end = place(point->x, point->y);
          labels_.push_back({i, end.y(), end.y(), end});
          break;
        }
      }
    }
    std::stable_sort(labels_.begin(), labels_.end(),
                     [](const EndLabel& a, const EndLabel& b) { return a.wanted < b.wanted; });
    spread(line, box_.top() + title, box_.bottom());
  }

  // Moves labels apart by at least `line`, each as near to its line as the others let it.
  void spread(double line, double top, double bottom) {
    for (EndLabel& label : labels_) {
      label.y = std::clamp(label.wanted, top + line / 2, bottom - line / 2);
    }
    for (int round = 0; round < 200; ++round) {
      bool moved = false;
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
      if (!moved) {
        break;
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

  void draw_axes(Pen& pen) const {
    const QColor text = ink(pen.theme());
    const auto y_labels = y_ticks_.labels();
    for (std::size_t i = 0; i < y_ticks_.values.size(); ++i) {
      const double y = place(0, y_ticks_.values[i]).y();
      pen.line({box_.left(), y}, {box_.right(), y}, faint_ink(pen.theme()), 0.5);
      if (framing_.y_text) {
        pen.text({box_.left() - 4, y + tick_.cap_height() / 2}, text_of(y_labels[i]), tick_, text,
                 Across::right);
      }
    }
    if (plot_.zero_line) {
      const double y = place(0, *plot_.zero_line).y();
      pen.line({box_.left(), y}, {box_.right(), y}, soft_ink(pen.theme()), 0.7);
    }
    pen.line(box_.bottomLeft(), box_.bottomRight(), text, 0.7);
    if (framing_.y_text) {
      draw_y_title(pen);
    }
    plot_.x_categories.empty() ? draw_x_numbers(pen) : draw_x_categories(pen);
    if (framing_.x_text) {
      QString title = text_of(plot_.x.text());
      if (!plot_.counts.empty() && !plot_.counts_label.empty()) {
        title += QStringLiteral("; n: ") + text_of(plot_.counts_label);
      }
      const double room = std::max(box_.width(), std::min(area_.width(), title_.width(title)));
      const double centre = std::clamp(
          box_.center().x(), area_.left() + title_.width(title) / 2,
          std::max(area_.left() + title_.width(title) / 2, area_.right() - title_.width(title) / 2));
      pen.text({centre, labels_bottom_ + 2 + title_.ascent()}, title_.elided(title, room), title_, text,
               Across::centre);
    }
  }

  void draw_y_title(Pen& pen) const {
    const QString title = text_of(plot_.y.text());
    const double room = area_.height() - legend_height_;
    // The smallest reduction that fits; two lines would push the plot aside.
    TypeFace face = title_;
    for (double size = style_.body_pt - 1; size >= kSmallestType && face.width(title) > room; --size) {
      face = TypeFace(style_, size);
    }
    const double length = std::min(face.width(title), room);
    const double centre = std::clamp(box_.center().y(), area_.top() + length / 2,
                                     std::max(area_.top() + length / 2, area_.top() + room - length / 2));
    pen.turned_text({area_.left() + title_.ascent(), centre}, face.elided(title, room), face,
                    ink(pen.theme()), Across::centre);
  }

  void draw_x_numbers(Pen& pen) const {
    const analysis::Ticks ticks = analysis::ticks(
        x_.low, x_.high,
        std::clamp(static_cast<std::int64_t>(box_.width() / 40) + 1, std::int64_t{2}, std::int64_t{9}));
    const auto labels = ticks.labels();
    for (std::size_t i = 0; i < ticks.values.size(); ++i) {
      draw_x_tick(pen, place(ticks.values[i], y_.low).x(), text_of(labels[i]), tick_);
    }
  }

  void draw_x_tick(Pen& pen, double x, const QString& label, const TypeFace& face) const {
    pen.line({x, box_.bottom()}, {x, box_.bottom() + 2.5}, ink(pen.theme()), 0.7);
    pen.text({x, box_.bottom() + 4 + tick_.ascent()}, label, face, ink(pen.theme()), Across::centre);
  }

  void draw_x_categories(Pen& pen) const {
    const double step = box_.width() / static_cast<double>(plot_.x_categories.size());
    const auto widest = [&](const TypeFace& face) {
      double result = 0;
      for (const std::string& label : plot_.x_categories) {
        result = std::max(result, face.width(text_of(label)));
      }
      return result + 2;
    };
    TypeFace face = tick_;
    for (double size = style_.tick_pt - 1; size >= kSmallestType && widest(face) > step; --size) {
      face = TypeFace(style_, size);
    }
    const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(widest(face) / step)));
    for (std::size_t i = 0; i < plot_.x_categories.size(); i += every) {
      draw_x_tick(pen, place(static_cast<double>(i), y_.low).x(), text_of(plot_.x_categories[i]), face);
    }
    if (plot_.counts.empty()) {
      return;
    }
    const double baseline = box_.bottom() + 5 + tick_.height() + small_.ascent();
    if (framing_.y_text) {
      pen.text({box_.left() - 4, baseline}, QStringLiteral("n"), small_, soft_ink(pen.theme()),
               Across::right);
    }
    for (std::size_t i = 0; i < plot_.counts.size(); i += every) {
      const QString number = text_of(analysis::grouped(plot_.counts[i]));
      if (small_.width(number) <= step * static_cast<double>(every)) {
        pen.text({place(static_cast<double>(i), y_.low).x(), baseline}, number, small_, soft_ink(pen.theme()),
                 Across::centre);
      }
    }
  }

  // Calls `f` with each unbroken run of points whose values `value` are all there.
  template <class There, class F>
  static void for_each_run(const LineSeries& series, There there, F f) {
    std::size_t first = 0;
    while (first < series.points.size()) {
      if (!there(series.points[first])) {
        ++first;
        continue;
      }
      std::size_t last = first;
      while (last < series.points.size() && there(series.points[last])) {
        ++last;
      }
      f(first, last);
      first = last;
    }
  }

  void draw_band(Pen& pen, const LineSeries& series) const {
    QColor colour = colour_of(series.colour, pen.theme());
    colour.setAlphaF(0.2F);
    for_each_run(
        series, [](const LinePoint& point) { return std::isfinite(point.low) && std::isfinite(point.high); },
        [&](std::size_t first, std::size_t last) {
          QPolygonF band;
          for (std::size_t i = first; i < last; ++i) {
            band << place(series.points[i].x, series.points[i].high);
          }
          for (std::size_t i = last; i-- > first;) {
            band << place(series.points[i].x, series.points[i].low);
          }
          if (last - first == 1) {  // a single point has no width: a bar
            const QPointF top = band[0];
            const QPointF bottom = band[1];
            pen.line(top, bottom, colour_of(series.colour, pen.theme()), style_.line_pt);
            return;
          }
          QPainterPath path;
          path.addPolygon(clipped_polygon(band, box_));
          path.closeSubpath();
          pen.filled_path(path, colour);
        });
  }

  void draw_series(Pen& pen, std::size_t index, double width) const {
    const LineSeries& series = plot_.series[index];
    const QColor colour = colour_of(series.colour, pen.theme());
    const bool shapes = legend_height_ > 0 || !framing_.series_labels;
    for_each_run(
        series, [](const LinePoint& point) { return std::isfinite(point.y); },
        [&](std::size_t first, std::size_t last) {
          QPolygonF line;
          for (std::size_t i = first; i < last; ++i) {
            line << place(series.points[i].x, series.points[i].y);
          }
          for (const QPolygonF& run : clipped_line(line, box_)) {
            QPainterPath path;
            path.addPolygon(run);
            pen.path(path, colour, width, pen_style(series.dash));
          }
          if (series.points.size() <= 64) {
            for (const QPointF& point : line) {
              if (box_.adjusted(-0.5, -0.5, 0.5, 0.5).contains(point)) {
                draw_marker(pen, point, shapes ? static_cast<std::int64_t>(index) : 0, style_.marker_pt,
                            colour);
              }
            }
          }
        });
  }

  void draw_label(Pen& pen, const EndLabel& label) const {
    const LineSeries& series = plot_.series[label.series];
    const QColor colour = colour_of(series.colour, pen.theme());
    const double x = box_.right() + kLeader;
    QColor leader = colour;
    leader.setAlphaF(0.6F);
    if (label.end.x() < box_.right()) {
      pen.line(label.end + QPointF(style_.marker_pt, 0), {box_.right(), label.end.y()}, leader, 0.4,
               Qt::DotLine);
    }
    pen.line({box_.right(), label.end.y()}, {x, label.y}, leader, 0.5);
    pen.line({x, label.y}, {x + kSwatch - 4, label.y}, colour, style_.line_pt * 1.5, pen_style(series.dash));
    pen.text({x + kSwatch, label.y + tick_.cap_height() / 2}, text_of(series.label), tick_, ink(pen.theme()));
    if (&label == &labels_.front() && !plot_.legend_title.empty()) {
      pen.text({x, label.y - tick_.height() / 2 - 2}, text_of(plot_.legend_title), small_,
               soft_ink(pen.theme()));
    }
  }

  std::optional<Hit> hit_point(QPointF at) const {
    constexpr double kReach = 5;
    double nearest = kReach;
    std::optional<Hit> result;
    for (std::size_t s = 0; s < plot_.series.size(); ++s) {
      const LineSeries& series = plot_.series[s];
      for (std::size_t i = 0; i < series.points.size(); ++i) {
        const LinePoint& point = series.points[i];
        if (!std::isfinite(point.y)) {
          continue;
        }
        const QPointF away = place(point.x, point.y) - at;
        const double distance = std::hypot(away.x(), away.y());
        if (distance < nearest) {
          nearest = distance;
          result = Hit{};
          result->kind = Hit::Kind::point;
          result->series = static_cast<std::int64_t>(s);
          result->column = static_cast<std::int64_t>(i);
          result->area =
              QRectF(place(point.x, point.y) - QPointF(kReach, kReach), QSizeF(2 * kReach, 2 * kReach));
          result->readout = readout(series, point);
        }
      }
    }
    return result;
  }

  QString readout(const LineSeries& series, const LinePoint& point) const {
    QString result = text_of(plot_.legend_title) +
                     (plot_.legend_title.empty() ? QString() : QStringLiteral(" ")) + text_of(series.label) +
                     QStringLiteral(", ") + text_of(plot_.x.quantity) + QStringLiteral(" ");
    const auto category = static_cast<std::size_t>(std::max(0.0, point.x));
    result += category < plot_.x_categories.size() ? text_of(plot_.x_categories[category])
                                                   : text_of(analysis::readable(point.x));
    result += QStringLiteral(": ") + text_of(analysis::readable(point.y));
    if (std::isfinite(point.low) && std::isfinite(point.high)) {
      result += QStringLiteral(" [") + text_of(analysis::readable(point.low)) + QStringLiteral(", ") +
                text_of(analysis::readable(point.high)) + QStringLiteral("]");
    }
    if (point.sentences > 0) {
      result +=
          QStringLiteral("; ") + text_of(analysis::grouped(point.sentences)) + QStringLiteral(" sentences");
    }
    return result;
  }

  static constexpr double kLeader = 10;
  static constexpr double kSwatch = 12;

  const LinePlot& plot_;
  const Style& style_;
  QRectF area_;
  LineFraming framing_;
  TypeFace tick_;
  TypeFace title_;
  TypeFace small_;
  Range x_;
  Range y_;
  QRectF box_;
  analysis::Ticks y_ticks_;
  std::vector<EndLabel> labels_;
  double legend_height_ = 0;
  double labels_bottom_ = 0;
};

}  // namespace

std::unique_ptr<Body> lay_out(const LinePlot& plot, const Style& style, const QRectF& area,
                              const LineFraming& framing) {
  return std::make_unique<LineBody>(plot, style, area, framing);
}

QSizeF line_margins(const LinePlot& plot, const Style& style, double width) {
  LineFraming framing;
  framing.series_labels = false;
  return LineBody(plot, style, QRectF(0, 0, width, width), framing).margins();
}

double wanted_height(const LinePlot& plot, const Style& style, double width) {
  const QSizeF margins = line_margins(plot, style, width);
  const double labels = 1.2 * (style.tick_pt + 2) * static_cast<double>(plot.series.size() + 1);
  const double plot_height = std::clamp((width - margins.width()) * 0.5, 90.0, 320.0);
  // A little more height lets twelve layers have their labels at their lines.
  return margins.height() + std::max(plot_height, std::min(labels, plot_height * 1.35)) + style.tick_pt;
}

}  // namespace mog::figures
