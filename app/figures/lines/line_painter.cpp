// Draws lines with bands, their axes and labels.
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "analysis/figure_data/captions.h"
#include "app/figures/lines/legend.h"
#include "app/figures/lines/line_body.h"
#include "app/figures/side_title.h"
#include "io/recording/counted.h"

namespace mog::figures {
namespace {

using analysis::LinePoint;
using analysis::LineSeries;

// Calls `f` with each unbroken run [first, last) of points for which `there` holds, with each of them where
// nothing joins them.
template <class There, class F>
void for_each_run(const LineSeries& series, bool joined, There there, F f) {
  std::size_t first = 0;
  while (first < series.points.size()) {
    if (!there(series.points[first])) {
      ++first;
      continue;
    }
    std::size_t last = first;
    while (last < series.points.size() && (joined || last == first) && there(series.points[last])) {
      ++last;
    }
    f(first, last);
    first = last;
  }
}

bool whole_numbers(const analysis::LinePlot& plot) {
  return std::all_of(plot.series.begin(), plot.series.end(), [](const LineSeries& series) {
    return std::all_of(series.points.begin(), series.points.end(),
                       [](const LinePoint& point) { return point.x == std::round(point.x); });
  });
}

// A line that is dashed anyway becomes dotted.
analysis::Dash dash_of(const LineSeries& series, bool few) {
  if (!few) {
    return series.dash;
  }
  return series.dash == analysis::Dash::solid ? analysis::Dash::dashed : analysis::Dash::dotted;
}

// Labels that are plain numbers may be thinned; names of bins rather shrink.
bool all_numbers(const std::vector<std::string>& labels) {
  return std::all_of(labels.begin(), labels.end(), [](const std::string& label) {
    return !label.empty() && label.find_first_not_of("0123456789") == std::string::npos;
  });
}

}  // namespace

void LineBody::draw(Pen& pen) const {
  if (box_.width() < 10 || box_.height() < 10) {
    return;
  }
  draw_axes(pen);
  if (!any_) {
    pen.text(box_.center(), QStringLiteral("no values"), tick_, soft_ink(pen.theme()), Across::centre);
    return;
  }
  if (plot_.stacked) {
    draw_bars(pen);
  } else {
    for (std::size_t i = 0; i < plot_.series.size(); ++i) {
      draw_band(pen, i);
    }
    for (std::size_t i = 0; i < plot_.series.size(); ++i) {
      draw_series(pen, i, style_.line_pt * 1.2);
    }
  }
  for (const EndLabel& label : labels_) {
    draw_label(pen, label);
  }
  if (legend_height_ > 0) {
    draw_legend(pen, drawable(plot_.legend_title), series_legend(plot_, style_),
                QRectF(box_.left(), area_.bottom() - legend_height_, box_.width(), legend_height_));
  }
}

void LineBody::draw_highlight(Pen& pen, const Highlight& highlight) const {
  const auto categories = static_cast<std::int64_t>(plot_.x_categories.size());
  if (highlight.column && *highlight.column >= 0 && *highlight.column < categories) {
    QColor glow = accent(pen.theme());
    glow.setAlphaF(0.22F);
    const double step = box_.width() / static_cast<double>(categories);
    pen.fill(
        QRectF(box_.left() + static_cast<double>(*highlight.column) * step, box_.top(), step, box_.height()),
        glow);
  }
  if (!highlight.series || *highlight.series < 0 ||
      *highlight.series >= static_cast<std::int64_t>(plot_.series.size())) {
    return;
  }
  const auto index = static_cast<std::size_t>(*highlight.series);
  const LineSeries& series = plot_.series[index];
  if (plot_.stacked) {
    for (const BarPiece& piece : bar_pieces()) {
      if (piece.series == index &&
          (!highlight.column || static_cast<std::int64_t>(piece.point) == *highlight.column)) {
        pen.frame(piece.area, accent(pen.theme()), style_.line_pt * 1.5);
      }
    }
    return;
  }
  draw_series(pen, index, style_.line_pt * 2.5);
  if (highlight.column && *highlight.column >= 0 &&
      *highlight.column < static_cast<std::int64_t>(series.points.size())) {
    const LinePoint& point = series.points[static_cast<std::size_t>(*highlight.column)];
    const QPointF at = place(point.x + shift(index), point.y);
    if (std::isfinite(point.y) && box_.adjusted(-0.5, -0.5, 0.5, 0.5).contains(at)) {
      pen.disc(at, style_.marker_pt * 1.2, accent(pen.theme()));
      pen.disc(at, style_.marker_pt * 0.7, colour_of(series.colour, pen.theme()));
    }
  }
}

void LineBody::draw_axes(Pen& pen) const {
  const QColor text = ink(pen.theme());
  const auto y_labels = y_ticks_.labels();
  for (std::size_t i = 0; i < y_ticks_.values.size(); ++i) {
    const double y = place(0, y_ticks_.values[i]).y();
    pen.line({box_.left(), y}, {box_.right(), y}, faint_ink(pen.theme()), 0.5);
    if (framing_.y_labels) {
      pen.text({box_.left() - 4, y + tick_.cap_height() / 2}, drawable(y_labels[i]), tick_, text,
               Across::right);
    }
  }
  if (plot_.zero_line && *plot_.zero_line >= y_.low && *plot_.zero_line <= y_.high) {
    const double y = place(0, *plot_.zero_line).y();
    pen.line({box_.left(), y}, {box_.right(), y}, soft_ink(pen.theme()), 0.7);
  }
  pen.line(box_.bottomLeft(), box_.bottomRight(), text, 0.7);
  y_title_.draw(pen, area_.left(), area_.top() + (area_.height() - legend_height_) / 2);
  if (plot_.x_categories.empty()) {
    draw_x_numbers(pen);
  } else {
    draw_x_categories(pen);
  }
  if (framing_.x_title) {
    draw_x_title(pen);
  }
}

void LineBody::draw_x_title(Pen& pen) const {
  QString title = drawable(plot_.x.text());
  if (!plot_.counts.empty() && !plot_.counts_label.empty()) {
    const QString longer = title + QStringLiteral("; n: ") + drawable(plot_.counts_label);
    title = title_.width(longer) <= area_.width() ? longer : title;
  }
  const bool few = std::any_of(plot_.series.begin(), plot_.series.end(), [&](const LineSeries& series) {
    return std::any_of(series.points.begin(), series.points.end(), [&](const LinePoint& point) {
      return analysis::of_few_sentences(plot_, series, point);
    });
  });
  if (few) {
    const QString longer =
        title + QStringLiteral("; open marks: fewer than %1 sentences").arg(analysis::kFewSentences);
    title = title_.width(longer) <= area_.width() ? longer : title;
  }
  const TypeFace face = fitting_face(title, style_, area_.width());
  const QString shown = face.elided(title, area_.width());
  const double half = face.width(shown) / 2;
  const double centre =
      std::clamp(box_.center().x(), area_.left() + half, std::max(area_.left() + half, area_.right() - half));
  pen.text({centre, labels_bottom_ + 2 + title_.ascent()}, shown, face, ink(pen.theme()), Across::centre);
}

void LineBody::draw_x_numbers(Pen& pen) const {
  const auto fit = static_cast<std::int64_t>(box_.width() / (40 * unit(style_))) + 1;
  analysis::Ticks ticks = analysis::ticks(x_.low, x_.high, std::clamp<std::int64_t>(fit, 2, 9));
  if (ticks.step < 1 && whole_numbers(plot_)) {  // there is no layer 1.5
    ticks.step = 1;
    ticks.values.clear();
    for (double x = std::ceil(x_.low); x <= x_.high; ++x) {
      ticks.values.push_back(x);
    }
  }
  const auto labels = ticks.labels();
  for (std::size_t i = 0; i < ticks.values.size(); ++i) {
    draw_x_tick(pen, place(ticks.values[i], y_.low).x(), drawable(labels[i]), tick_);
  }
}

void LineBody::draw_x_tick(Pen& pen, double x, const QString& label, const TypeFace& face) const {
  pen.line({x, box_.bottom()}, {x, box_.bottom() + 2.5}, ink(pen.theme()), 0.7);
  pen.text({x, box_.bottom() + 4 + tick_.ascent()}, label, face, ink(pen.theme()), Across::centre);
}

void LineBody::draw_x_categories(Pen& pen) const {
  const double step = box_.width() / static_cast<double>(plot_.x_categories.size());
  if (turns_categories()) {
    const TypeFace face = category_face();
    const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(face.height() * 0.8 / step)));
    for (std::size_t i = 0; i < plot_.x_categories.size(); i += every) {
      const double x = place(static_cast<double>(i), y_.low).x();
      pen.line({x, box_.bottom()}, {x, box_.bottom() + 2.5}, ink(pen.theme()), 0.7);
      pen.turned_text({x + face.cap_height() / 2, box_.bottom() + 4},
                      face.elided(drawable(plot_.x_categories[i]), category_height()), face, ink(pen.theme()),
                      Across::right);
    }
    return;
  }
  const auto widest = [&](const TypeFace& face) {
    double result = 0;
    for (const std::string& label : plot_.x_categories) {
      result = std::max(result, face.width(drawable(label)));
    }
    return result + 2;
  };
  TypeFace face = tick_;
  if (!all_numbers(plot_.x_categories)) {
    for (double size = style_.tick_pt - 1; size >= smallest_type(style_) && widest(face) > step; --size) {
      face = TypeFace(style_, size);
    }
  }
  const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(widest(face) / step)));
  for (std::size_t i = 0; i < plot_.x_categories.size(); i += every) {
    draw_x_tick(pen, place(static_cast<double>(i), y_.low).x(), drawable(plot_.x_categories[i]), face);
  }
  draw_counts(pen, every);
}

void LineBody::draw_counts(Pen& pen, std::size_t every) const {
  if (plot_.counts.empty()) {
    return;
  }
  const double step = box_.width() / static_cast<double>(plot_.x_categories.size());
  const double baseline = box_.bottom() + 5 + tick_.height() + small_.ascent();
  if (framing_.y_labels) {
    // The first number may stand out over the left end of the axis.
    const double first = place(0, y_.low).x() - small_.width(drawable(grouped(plot_.counts.front()))) / 2;
    pen.text({std::min(box_.left(), first) - 4, baseline}, QStringLiteral("n"), small_, soft_ink(pen.theme()),
             Across::right);
  }
  for (std::size_t i = 0; i < plot_.counts.size(); i += every) {
    const QString number = drawable(grouped(plot_.counts[i]));
    if (small_.width(number) <= step * static_cast<double>(every)) {
      pen.text({place(static_cast<double>(i), y_.low).x(), baseline}, number, small_, soft_ink(pen.theme()),
               Across::centre);
    }
  }
}

void LineBody::draw_band(Pen& pen, std::size_t index) const {
  const LineSeries& series = plot_.series[index];
  const double aside = shift(index);
  const QColor solid = colour_of(series.colour, pen.theme());
  QColor colour = solid;
  colour.setAlphaF(0.2F);
  const auto there = [&](const LinePoint& point) {
    return std::isfinite(point.y) && std::isfinite(point.low) && std::isfinite(point.high) &&
           !analysis::of_few_sentences(plot_, series, point);
  };
  for_each_run(series, plot_.joined, there, [&](std::size_t first, std::size_t last) {
    if (last - first == 1) {  // a single point has no width: a bar
      const LinePoint& point = series.points[first];
      for (const QPolygonF& bar :
           clipped_line({place(point.x + aside, point.high), place(point.x + aside, point.low)}, box_)) {
        pen.line(bar.front(), bar.back(), solid, style_.line_pt);
      }
      return;
    }
    QPolygonF band;
    for (std::size_t i = first; i < last; ++i) {
      band << place(series.points[i].x, series.points[i].high);
    }
    for (std::size_t i = last; i-- > first;) {
      band << place(series.points[i].x, series.points[i].low);
    }
    QPainterPath path;
    path.addPolygon(clipped_polygon(band, box_));
    path.closeSubpath();
    pen.filled_path(path, colour);
    QColor edge = solid;  // where bands lie over each other their edges still tell them apart
    edge.setAlphaF(0.45F);
    for (const double LinePoint::*end : {&LinePoint::low, &LinePoint::high}) {
      QPolygonF line;
      for (std::size_t i = first; i < last; ++i) {
        line << place(series.points[i].x, series.points[i].*end);
      }
      for (const QPolygonF& run : clipped_line(line, box_)) {
        QPainterPath outline;
        outline.addPolygon(run);
        pen.path(outline, edge, style_.line_pt * 0.4, pen_style(series.dash));
      }
    }
  });
}

void LineBody::draw_series(Pen& pen, std::size_t index, double width) const {
  const LineSeries& series = plot_.series[index];
  const QColor colour = colour_of(series.colour, pen.theme());
  constexpr std::size_t kMostMarkers = 64;
  const auto there = [](const LinePoint& point) { return std::isfinite(point.y); };
  for_each_run(series, plot_.joined, there, [&](std::size_t first, std::size_t last) {
    QPolygonF line;
    for (std::size_t i = first; i < last; ++i) {
      line << place(series.points[i].x + shift(index), series.points[i].y);
    }
    draw_runs(pen, series, first, line, width);
    const bool many = series.points.size() > kMostMarkers && !plot_.significant;
    for (std::size_t i = first; i < last; ++i) {
      if (series.points[i].change) {
        draw_change(pen, line[static_cast<qsizetype>(i - first)], colour);
      }
      if (many && !analysis::of_few_sentences(plot_, series, series.points[i])) {
        continue;  // what is open says something
      }
      const QPointF point = line[static_cast<qsizetype>(i - first)];
      if (box_.adjusted(-0.5, -0.5, 0.5, 0.5).contains(point)) {
        const bool hollow = (plot_.significant && !(series.points[i].p < *plot_.significant)) ||
                            analysis::of_few_sentences(plot_, series, series.points[i]);
        draw_marker(pen, point, marker_of(series, index), marker_size(plot_, style_), colour, hollow);
      }
    }
  });
}

void LineBody::draw_change(Pen& pen, QPointF point, const QColor& colour) const {
  if (box_.adjusted(-0.5, -0.5, 0.5, 0.5).contains(point)) {
    constexpr double kAround = 2.2;  // of a marker
    QPainterPath ring;
    const double radius = marker_size(plot_, style_) * kAround / 2;
    ring.addEllipse(point, radius, radius);
    pen.path(ring, colour, style_.line_pt);
  }
}

// `line`: the points from `first` on. Where one end of a piece is of few sentences it is dashed.
void LineBody::draw_runs(Pen& pen, const LineSeries& series, std::size_t first, const QPolygonF& line,
                         double width) const {
  const auto few = [&](qsizetype i) {
    return analysis::of_few_sentences(plot_, series, series.points[first + static_cast<std::size_t>(i)]);
  };
  const auto dashed = [&](qsizetype piece) { return few(piece) || few(piece + 1); };
  for (qsizetype from = 0; from + 1 < line.size();) {
    qsizetype end = from + 1;
    while (end + 1 < line.size() && dashed(end) == dashed(from)) {
      ++end;
    }
    for (const QPolygonF& run : clipped_line(line.sliced(from, end - from + 1), box_)) {
      QPainterPath path;
      path.addPolygon(run);
      pen.path(path, colour_of(series.colour, pen.theme()), width, pen_style(dash_of(series, dashed(from))));
    }
    from = end;
  }
}

void LineBody::draw_bars(Pen& pen) const {
  std::vector<double> low(plot_.x_categories.size(), 0);
  std::vector<double> high(low);
  for (const BarPiece& piece : bar_pieces()) {
    const LineSeries& series = plot_.series[piece.series];
    pen.striped(piece.area, colour_of(series.colour, pen.theme()), series.dash);
    pen.frame(piece.area, background(pen.theme()), 0.3);
    const LinePoint& point = series.points[piece.point];
    const auto category = static_cast<std::size_t>(std::max(0.0, point.x));
    (point.y < 0 ? low : high)[category] += point.y;
  }
  const double zero = place(0, 0).y();
  pen.line({box_.left(), zero}, {box_.right(), zero}, ink(pen.theme()), 0.7);
  const double half = box_.width() / static_cast<double>(low.size()) * 0.46;
  for (std::size_t i = 0; i < low.size(); ++i) {
    if (low[i] < 0 && high[i] > 0) {  // their sum shows in neither stack
      const QPointF sum = place(static_cast<double>(i), low[i] + high[i]);
      pen.line(sum - QPointF(half, 0), sum + QPointF(half, 0), background(pen.theme()), style_.line_pt * 3);
      pen.line(sum - QPointF(half, 0), sum + QPointF(half, 0), ink(pen.theme()), style_.line_pt * 1.5);
    }
  }
}

void LineBody::draw_label(Pen& pen, const EndLabel& label) const {
  const LineSeries& series = plot_.series[label.series];
  const QColor colour = colour_of(series.colour, pen.theme());
  const double x = box_.right() + leader_;
  QColor leader = colour;
  leader.setAlphaF(0.6F);
  if (label.end.x() + style_.marker_pt < box_.right()) {
    pen.line(label.end + QPointF(style_.marker_pt, 0), {box_.right(), label.end.y()}, leader, 0.4,
             Qt::DotLine);
  }
  pen.line({box_.right(), label.end.y()}, {x, label.y}, leader, 0.5);
  const bool few = std::all_of(series.points.begin(), series.points.end(), [&](const LinePoint& point) {
    return !std::isfinite(point.y) || analysis::of_few_sentences(plot_, series, point);
  });
  pen.line({x, label.y}, {x + swatch_ - 4 * unit(style_), label.y}, colour, style_.line_pt * 1.5,
           pen_style(dash_of(series, few)));
  draw_marker(pen, {x + (swatch_ - 4 * unit(style_)) / 2, label.y}, marker_of(series, label.series),
              marker_size(plot_, style_), colour, few);
  pen.text({x + swatch_, label.y + tick_.cap_height() / 2}, drawable(series.label), tick_, ink(pen.theme()));
  if (&label == &labels_.front() && !plot_.legend_title.empty()) {
    pen.text({x, label.y - tick_.height() / 2 - 2}, drawable(plot_.legend_title), small_,
             soft_ink(pen.theme()));
  }
}

}  // namespace mog::figures
