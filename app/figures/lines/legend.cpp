// Entries flow like words: from left to right, a new line where the next does not fit, a label that is
// longer than a line goes on in the next. Height and drawing come from the same function (flow), so that the
// room that was left is the room that is used. O(entries).
#include "app/figures/lines/legend.h"

#include <QPainterPath>
#include <QTransform>
#include <algorithm>
#include <cmath>
#include <set>

namespace mog::figures {
namespace {

double swatch(const Style& style) {
  return 14 * unit(style);
}
double between(const Style& style) {
  return 10 * unit(style);
}

struct Placed {
  QPointF at;  // left end, on the baseline
  QString text;
  const LegendEntry* entry = nullptr;  // nullptr: the title
  bool marked = true;                  // false: a further line of a long label
};

double mark_width(const LegendEntry& entry, const Style& style) {
  switch (entry.mark) {
    case LegendEntry::Mark::line:
      return swatch(style) + 3;
    case LegendEntry::Mark::box:
      return swatch(style) * 0.6 + 2;
    case LegendEntry::Mark::point:
      return swatch(style) * 0.5 + 2;
    case LegendEntry::Mark::none:
      return 0;
  }
  return 0;
}

struct Flow {
  std::vector<Placed> items;
  double height = 0;
};

Flow flow(const QString& title, const std::vector<LegendEntry>& entries, const Style& style, double width) {
  const TypeFace face(style, style.tick_pt);
  const double line = face.height() + 2;
  Flow result;
  double x = 0;
  double y = 0;
  if (!title.isEmpty()) {
    result.items.push_back({{0, face.ascent()}, title, nullptr});
    x = face.width(title) + between(style);
  }
  for (const LegendEntry& entry : entries) {
    const double mark = mark_width(entry, style);
    const double wide = mark + face.width(entry.label);
    if (x > 0 && x + wide > width) {
      x = 0;
      y += line;
    }
    // A label that is longer than a line goes on in the next.
    const QStringList lines = face.wrapped(entry.label, std::max(8.0, width - x - mark));
    result.items.push_back({{x, y + face.ascent()}, lines.value(0), &entry});
    for (qsizetype i = 1; i < lines.size(); ++i) {
      y += line;
      result.items.push_back({{x, y + face.ascent()}, lines[i], &entry, false});
    }
    x += wide + between(style);
  }
  result.height = result.items.empty() ? 0 : y + line;
  return result;
}

constexpr double kOpenMarks = 1.7;  // a hole has to be seen at the size of paper
constexpr double kShapes = 1.5;     // so has a shape

// A bar across, turned by `degrees`, and another one square to it.
QPainterPath cross(QPointF centre, double r, double degrees) {
  const double thin = r * 0.36;
  QTransform turn;
  turn.translate(centre.x(), centre.y());
  turn.rotate(degrees);
  const QPolygonF plus{{-thin, -r}, {thin, -r}, {thin, -thin}, {r, -thin}, {r, thin},   {thin, thin},
                       {thin, r},   {-thin, r}, {-thin, thin}, {-r, thin}, {-r, -thin}, {-thin, -thin}};
  QPainterPath path;
  path.addPolygon(turn.map(plus));
  path.closeSubpath();
  return path;
}

QPainterPath hexagon(QPointF centre, double r) {
  QPolygonF corners;
  for (int i = 0; i < 6; ++i) {
    const double angle = i * M_PI / 3;
    corners << centre + QPointF(r * std::cos(angle), r * 0.62 * std::sin(angle));
  }
  QPainterPath path;
  path.addPolygon(corners);
  path.closeSubpath();
  return path;
}

}  // namespace

double legend_height(const QString& title, const std::vector<LegendEntry>& entries, const Style& style,
                     double width) {
  return flow(title, entries, style, width).height;
}

void draw_legend(Pen& pen, const QString& title, const std::vector<LegendEntry>& entries,
                 const QRectF& area) {
  const Style& style = pen.style();
  const TypeFace face(style, style.tick_pt);
  const Flow placed = flow(title, entries, style, area.width());
  for (const Placed& item : placed.items) {
    QPointF at = area.topLeft() + item.at;
    if (item.entry == nullptr) {
      pen.text(at, item.text, face, soft_ink(pen.theme()));
      continue;
    }
    const double middle = at.y() - face.cap_height() / 2;
    if (!item.marked) {
      at.rx() += mark_width(*item.entry, style);
      pen.text(at, item.text, face, ink(pen.theme()));
      continue;
    }
    if (item.entry->mark == LegendEntry::Mark::line) {
      pen.line({at.x(), middle}, {at.x() + swatch(style), middle}, item.entry->colour, style.line_pt * 1.5,
               pen_style(item.entry->dash));
      if (item.entry->marker >= 0) {
        draw_marker(pen, {at.x() + swatch(style) / 2, middle}, item.entry->marker, style.marker_pt * kShapes,
                    item.entry->colour);
      }
    } else if (item.entry->mark == LegendEntry::Mark::point) {
      draw_marker(pen, {at.x() + swatch(style) * 0.25, middle}, item.entry->marker,
                  style.marker_pt * kOpenMarks, item.entry->colour, item.entry->hollow);
    } else if (item.entry->mark == LegendEntry::Mark::box) {
      const double side = face.cap_height();
      const QRectF box(at.x(), middle - side / 2, side, side);
      if (item.entry->hollow) {
        pen.frame(box, item.entry->colour, style.line_pt);
      } else {
        pen.striped(box, item.entry->colour, item.entry->dash);
      }
    }
    at.rx() += mark_width(*item.entry, style);
    pen.text(at, item.text, face, ink(pen.theme()));
  }
}

// A bar for each series, named below it.
static bool named_by_categories(const analysis::LinePlot& plot) {
  return plot.stacked && std::all_of(plot.series.begin(), plot.series.end(), [&](const auto& series) {
           if (series.points.size() != 1) {
             return false;
           }
           const double place = series.points.front().x;
           return place >= 0 && place < static_cast<double>(plot.x_categories.size()) &&
                  plot.x_categories[static_cast<std::size_t>(place)] == series.label;
         });
}

std::vector<LegendEntry> series_legend(const analysis::LinePlot& plot, const Style& style) {
  std::vector<LegendEntry> result;
  if (named_by_categories(plot)) {
    return result;
  }
  for (const analysis::LineSeries& series : plot.series) {
    if (plot.significant && series.label.empty()) {
      continue;  // the only line
    }
    using Mark = LegendEntry::Mark;
    result.push_back({drawable(series.label), colour_of(series.colour, style.theme), series.dash,
                      plot.stacked  ? Mark::box
                      : plot.joined ? Mark::line
                                    : Mark::point,
                      marker_of(series, static_cast<std::size_t>(&series - plot.series.data()))});
  }
  if (plot.significant) {
    const std::string level = analysis::shortest(*plot.significant);
    const QColor colour = ink(style.theme);
    using Mark = LegendEntry::Mark;
    result.push_back({drawable("p < " + level), colour, analysis::Dash::solid, Mark::point, 0});
    result.push_back({drawable("p ≥ " + level), colour, analysis::Dash::solid, Mark::point, 0, true});
  }
  return result;
}

double marker_size(const analysis::LinePlot& plot, const Style& style) {
  return style.marker_pt * (plot.significant ? kOpenMarks : plot.series.size() > 1 ? kShapes : 1);
}

std::int64_t marker_of(const analysis::LineSeries& series, std::size_t index) {
  using Kind = analysis::ColourKey::Kind;
  const bool ordered = series.colour.kind == Kind::ramp || series.colour.kind == Kind::layer;
  return ordered ? series.colour.index : static_cast<std::int64_t>(index);
}

std::vector<LegendEntry> part_legend(const std::vector<Part>& parts, Theme theme) {
  std::vector<LegendEntry> result;
  for (const Part part : std::set<Part>(parts.begin(), parts.end())) {
    result.push_back({mog::name(part).empty() ? QString() : drawable(part.description().label),
                      part_colour(part, theme), analysis::dash_of_part(part), LegendEntry::Mark::line, -1});
  }
  return result;
}

void draw_marker(Pen& pen, QPointF centre, std::int64_t shape, double size, const QColor& colour,
                 bool hollow) {
  if (hollow) {
    // Two fills: a stroke would come out otherwise under another clip.
    const double line = pen.style().line_pt * 1.3;
    draw_marker(pen, centre, shape, size + line, colour);
    draw_marker(pen, centre, shape, size - line, background(pen.theme()));
    return;
  }
  const double r = size / 2;
  QPainterPath path;
  switch (shape % kMarkers) {
    case 1:
      path.addRect(QRectF(centre.x() - r, centre.y() - r, r * 2, r * 2));
      break;
    case 2:
      path.addPolygon(QPolygonF{centre + QPointF(0, -r * 1.2), centre + QPointF(r * 1.1, r * 0.8),
                                centre + QPointF(-r * 1.1, r * 0.8)});
      path.closeSubpath();
      break;
    case 3:
      path.addPolygon(QPolygonF{centre + QPointF(0, -r * 1.4), centre + QPointF(r * 1.4, 0),
                                centre + QPointF(0, r * 1.4), centre + QPointF(-r * 1.4, 0)});
      path.closeSubpath();
      break;
    case 4:
      path.addPolygon(QPolygonF{centre + QPointF(0, r * 1.2), centre + QPointF(r * 1.1, -r * 0.8),
                                centre + QPointF(-r * 1.1, -r * 0.8)});
      path.closeSubpath();
      break;
    case 5:
      path = cross(centre, r * 1.35, 45);
      break;
    case 6:
      path = cross(centre, r * 1.25, 0);
      break;
    case 7:
      path = hexagon(centre, r * 1.3);
      break;
    default:
      pen.disc(centre, r, colour);
      return;
  }
  pen.filled_path(path, colour);
}

}  // namespace mog::figures
