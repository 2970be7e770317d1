// Entries flow like words: from left to right, a new line where the next does not fit, a label that is
// longer than a line goes on in the next. Height and drawing come from the same function (flow), so that the
// room that was left is the room that is used. O(entries).
//
// A colour bar is 64 steps, each reaching to the end beneath the next: two areas that only touch show a seam
// in most viewers of vector files. Its ticks are round numbers; on a root scale they are taken from the end
// down where their labels have room.
//
// Trap: scale_width() is asked before the height of the bar is known, and measures the labels of several
// heights. More ticks mean more digits.
#include "app/figures/legend.h"

#include <QPainterPath>
#include <QTransform>
#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/figure_data/ticks.h"

namespace mog::figures {
namespace {

double swatch(const Style& style) {
  return 14 * unit(style);
}
double between(const Style& style) {
  return 10 * unit(style);
}
double bar_width(const Style& style) {
  return 8 * unit(style);
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

QString end_text(double value) {
  QString text = QString::number(value, 'g', 3);
  return text.replace(QChar(u'-'), QChar(u'−'));
}

// From the end down in steps of 2 to 2.5, where there is room for the labels; then 0.
std::vector<double> root_ticks(const analysis::ColourScale& scale, std::vector<QString>& labels,
                               double length, double least) {
  std::vector<double> values{scale.high};
  const int decade = static_cast<int>(std::floor(std::log10(scale.high)));
  for (int power = decade; power > decade - 4; --power) {
    for (const double digit : {5.0, 2.0, 1.0}) {
      const double value = digit * std::pow(10, power);
      const double place = scale.place(value) * length;
      if (value < scale.high && place >= least && scale.place(values.back()) * length - place >= least) {
        values.push_back(value);
      }
    }
  }
  values.push_back(scale.low);
  for (const double value : values) {
    labels.push_back(end_text(value));
  }
  return values;
}

std::vector<double> scale_ticks(const analysis::ColourScale& scale, std::vector<QString>& labels,
                                double length, double least) {
  if (scale.spacing == analysis::ColourScale::Spacing::root) {
    return root_ticks(scale, labels, length, least);
  }
  const auto most = static_cast<std::int64_t>(std::clamp(length / least + 1, 2.0, 6.0));
  analysis::Ticks ticks = analysis::ticks(scale.low, scale.high, most);
  if (ticks.values.size() < 2) {  // a narrow scale: its ends say more than one round number
    ticks.values = {scale.low, scale.high};
    labels = {end_text(scale.low), end_text(scale.high)};
    return ticks.values;
  }
  for (const std::string& label : ticks.labels()) {
    labels.push_back(QString::fromStdString(label));
  }
  return ticks.values;
}

bool title_above(const analysis::ColourScale& scale, const TypeFace& face, double width) {
  return face.width(drawable(scale.quantity.text())) > width * 0.42;
}

// The title above a flat scale, in as many lines as it needs.
QStringList flat_title(const analysis::ColourScale& scale, const TypeFace& face, double width) {
  return face.wrapped(drawable(scale.quantity.text()), width);
}

constexpr int kSteps = 64;          // colours of a bar
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

void draw_bar(Pen& pen, const analysis::ColourScale& scale, const QRectF& bar, bool vertical) {
  for (int i = 0; i < kSteps; ++i) {
    const double t = (i + 0.5) / kSteps;
    const double share = scale.spacing == analysis::ColourScale::Spacing::root ? t * t : t;
    const QColor colour = scale_colour(scale, scale.low + share * (scale.high - scale.low));
    const double from = static_cast<double>(i) / kSteps;
    if (vertical) {
      // Each step reaches up to the end, so that no seam shows between two of them.
      pen.fill(QRectF(bar.left(), bar.top(), bar.width(), bar.height() * (1 - from)), colour);
    } else {
      const double x = bar.left() + bar.width() * from;
      pen.fill(QRectF(x, bar.top(), bar.right() - x, bar.height()), colour);
    }
  }
  pen.frame(bar, soft_ink(pen.theme()), 0.4);
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
      pen.striped(QRectF(at.x(), middle - side / 2, side, side), item.entry->colour, item.entry->dash);
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
    result.push_back({drawable(series.label), colour_of(series.colour, style.theme), series.dash,
                      plot.stacked ? LegendEntry::Mark::box : LegendEntry::Mark::line,
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
    const std::string_view text = mog::name(part);
    result.push_back({QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())),
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

double scale_width(const analysis::ColourScale& scale, const Style& style) {
  const TypeFace face(style, style.tick_pt);
  // How high the bar will be is not known yet: a high one has more ticks, with more digits.
  const bool root = scale.spacing == analysis::ColourScale::Spacing::root;
  double widest = 0;
  for (const double length : {60.0, 120.0, 240.0, root ? 1000.0 : 240.0}) {
    std::vector<QString> labels;
    scale_ticks(scale, labels, length * unit(style), root ? 10 : face.height() * 1.8);
    for (const QString& label : labels) {
      widest = std::max(widest, face.width(label));
    }
  }
  const double title = scale.quantity.text().empty() ? 0 : face.height() + 2;
  return kGap * 2 + bar_width(style) + 4 + widest + title;
}

void draw_scale(Pen& pen, const analysis::ColourScale& scale, const QRectF& area, bool with_absent) {
  const TypeFace face(pen.style(), pen.style().tick_pt);
  const double absent = with_absent ? face.height() + 6 : 0;
  const double title_length = face.width(drawable(scale.quantity.text()));
  const double length = std::min(area.height() - absent, std::max(title_length, 110.0 * unit(pen.style())));
  const QRectF bar(area.left() + kGap * 2, area.top(), bar_width(pen.style()), std::max(length, 12.0));
  draw_bar(pen, scale, bar, true);
  std::vector<QString> labels;
  const auto values = scale_ticks(scale, labels, bar.height(), face.height() * 1.8);
  double widest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double y = bar.bottom() - scale.place(values[i]) * bar.height();
    pen.line({bar.right(), y}, {bar.right() + 2, y}, soft_ink(pen.theme()), 0.5);
    const double baseline =
        std::clamp(y + face.cap_height() / 2, bar.top() + face.cap_height(), bar.bottom());
    pen.text({bar.right() + 4, baseline}, labels[i], face, ink(pen.theme()));
    widest = std::max(widest, face.width(labels[i]));
  }
  pen.turned_text({bar.right() + 4 + widest + 2 + face.ascent(), bar.center().y()},
                  face.elided(drawable(scale.quantity.text()), bar.height() + absent), face, ink(pen.theme()),
                  Across::centre);
  if (with_absent) {
    const QRectF box(bar.left(), bar.bottom() + 6, bar_width(pen.style()), face.cap_height() + 1);
    pen.hatch(box);
    pen.frame(box, soft_ink(pen.theme()), 0.4);
    pen.text({box.right() + 4, box.bottom()}, QStringLiteral("absent"), face, soft_ink(pen.theme()));
  }
}

double flat_scale_height(const analysis::ColourScale& scale, const Style& style, double width) {
  const TypeFace face(style, style.tick_pt);
  const auto lines = title_above(scale, face, width) ? flat_title(scale, face, width).size() : 0;
  return bar_width(style) + 4 + face.height() +
         (lines > 0 ? face.height() * static_cast<double>(lines) + 2 : 0);
}

void draw_flat_scale(Pen& pen, const analysis::ColourScale& scale, const QRectF& area, bool with_absent) {
  const TypeFace face(pen.style(), pen.style().tick_pt);
  const bool above = title_above(scale, face, area.width());
  const QStringList title =
      above ? flat_title(scale, face, area.width()) : QStringList{drawable(scale.quantity.text())};
  // Half of the labels at the two ends stands beside the bar.
  const double end = std::max(face.width(end_text(scale.low)), face.width(end_text(scale.high))) / 2 + 1;
  const double left = area.left() + (above ? end : face.width(title.front()) + std::max(2 * kGap, end));
  const double absent = with_absent ? face.width(QStringLiteral("absent")) + 8 * kGap : end;
  const QRectF bar(left, area.top() + (above ? face.height() * static_cast<double>(title.size()) + 2 : 0),
                   std::min(160.0 * unit(pen.style()), area.right() - left - absent), bar_width(pen.style()));
  if (bar.width() < 20) {
    return;
  }
  double baseline = above ? area.top() + face.ascent() : bar.center().y() + face.cap_height() / 2;
  for (const QString& line : title) {
    pen.text({area.left(), baseline}, line, face, ink(pen.theme()));
    baseline += face.height();
  }
  draw_bar(pen, scale, bar, false);
  std::vector<QString> labels;
  const auto values = scale_ticks(scale, labels, bar.width(), 30 * unit(pen.style()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = bar.left() + scale.place(values[i]) * bar.width();
    pen.line({x, bar.bottom()}, {x, bar.bottom() + 2}, soft_ink(pen.theme()), 0.5);
    pen.text({x, bar.bottom() + 3 + face.ascent()}, labels[i], face, ink(pen.theme()), Across::centre);
  }
  if (with_absent) {
    const QRectF box(bar.right() + 4 * kGap, bar.top(), bar.height(), bar.height());
    pen.hatch(box);
    pen.frame(box, soft_ink(pen.theme()), 0.4);
    pen.text({box.right() + 4, box.bottom()}, QStringLiteral("absent"), face, soft_ink(pen.theme()));
  }
}

}  // namespace mog::figures
