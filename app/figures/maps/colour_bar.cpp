// A colour bar is 64 steps, each reaching to the end beneath the next: two areas that only touch show a seam
// in most viewers of vector files. Its ticks are round numbers at their true places; on a scale by a power
// they are taken from the end down where their labels have room. Where cells lie beyond the end, its label
// says "and more".
//
// Trap: scale_width() is asked before the height of the bar is known, and measures the labels of several
// heights. More ticks mean more digits.
#include "app/figures/maps/colour_bar.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "analysis/figure_data/ticks.h"

namespace mog::figures {
namespace {

double bar_width(const Style& style) {
  return 8 * unit(style);
}

QString end_text(double value) {
  QString text = QString::number(value, 'g', 3);
  return text.replace(QChar(u'-'), QChar(u'−'));
}

// What is said at an end that cells lie beyond.
const QString kMore = QStringLiteral("and more");
const QString kLess = QStringLiteral("and less");

bool less(const analysis::ColourScale& scale) {
  return scale.more && scale.kind == analysis::ColourScale::Kind::diverging;
}

// From the end down in steps of 2 to 2.5, where there is room for the labels; then 0. An end with more
// beyond it has two lines.
std::vector<double> powered_ticks(const analysis::ColourScale& scale, std::vector<QString>& labels,
                                  double length, double least) {
  std::vector<double> values{scale.high};
  const int decade = static_cast<int>(std::floor(std::log10(scale.high)));
  for (int power = decade; power > decade - 4; --power) {
    for (const double digit : {5.0, 2.0, 1.0}) {
      const double value = digit * std::pow(10, power);
      const double place = scale.place(value) * length;
      const double room = scale.more && values.size() == 1 ? 1.6 * least : least;
      if (value < scale.high && place >= least && scale.place(values.back()) * length - place >= room) {
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
  if (scale.colouring != analysis::ColourScale::Colouring::even) {
    return powered_ticks(scale, labels, length, least);
  }
  const auto most = static_cast<std::int64_t>(std::clamp(length / least + 1, 2.0, 6.0));
  analysis::Ticks ticks = analysis::ticks(scale.low, scale.high, most);
  // A narrow scale: its ends say more than one round number. What cells lie beyond is said, too.
  if (ticks.values.size() < 2 || scale.more) {
    ticks.values = {scale.low, scale.high};
    if (scale.kind == analysis::ColourScale::Kind::diverging) {
      ticks.values.insert(ticks.values.begin() + 1, 0.0);
    }
    for (const double value : ticks.values) {
      labels.push_back(end_text(value));
    }
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

constexpr int kSteps = 64;  // colours of a bar

void draw_bar(Pen& pen, const analysis::ColourScale& scale, const QRectF& bar, bool vertical) {
  for (int i = 0; i < kSteps; ++i) {
    const double t = (i + 0.5) / kSteps;
    const QColor colour = scale_colour(scale, scale.at(t), pen.theme());
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
  if (scale.kind == analysis::ColourScale::Kind::gate) {
    const double middle = std::clamp(scale.place(scale.middle), 0.0, 1.0);
    const double x = bar.left() + bar.width() * middle;
    const double y = bar.bottom() - bar.height() * middle;
    pen.line(vertical ? QPointF(bar.left(), y) : QPointF(x, bar.top()),
             vertical ? QPointF(bar.right(), y) : QPointF(x, bar.bottom()), ink(pen.theme()), 1);
  }
}

}  // namespace

double scale_width(const analysis::ColourScale& scale, const Style& style) {
  const TypeFace face(style, style.tick_pt);
  // How high the bar will be is not known yet: a high one has more ticks, with more digits.
  const bool root = scale.colouring != analysis::ColourScale::Colouring::even;
  double widest = 0;
  for (const double length : {60.0, 120.0, 240.0, root ? 1000.0 : 240.0}) {
    std::vector<QString> labels;
    scale_ticks(scale, labels, length * unit(style), root ? 10 : face.height() * 1.8);
    for (const QString& label : labels) {
      widest = std::max(widest, face.width(label));
    }
  }
  if (scale.more) {
    widest =
        std::max(widest, face.width(less(scale) && face.width(kLess) > face.width(kMore) ? kLess : kMore));
  }
  const double title = scale.quantity.text().empty() ? 0 : face.height() + 2;
  return kGap * 2 + bar_width(style) + 4 + widest + title;
}

namespace {

double absent_height(const Style& style, bool with_absent) {
  return with_absent ? TypeFace(style, style.tick_pt).height() + 6 : 0;
}

double bar_length(const analysis::ColourScale& scale, const Style& style, double height, bool with_absent) {
  const double title = TypeFace(style, style.tick_pt).width(drawable(scale.quantity.text()));
  const double length =
      std::min(height - absent_height(style, with_absent), std::max(title, 110.0 * unit(style)));
  return std::max(length, 12.0);
}

}  // namespace

double scale_length(const analysis::ColourScale& scale, const Style& style, double height, bool with_absent) {
  return bar_length(scale, style, height, with_absent) + absent_height(style, with_absent);
}

void draw_scale(Pen& pen, const analysis::ColourScale& scale, const QRectF& area, bool with_absent) {
  const TypeFace face(pen.style(), pen.style().tick_pt);
  const double absent = absent_height(pen.style(), with_absent);
  const QRectF bar(area.left() + kGap * 2, area.top(), bar_width(pen.style()),
                   bar_length(scale, pen.style(), area.height(), with_absent));
  draw_bar(pen, scale, bar, true);
  std::vector<QString> labels;
  const auto values = scale_ticks(scale, labels, bar.height(), face.height() * 1.8);
  double widest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double y = bar.bottom() - scale.place(values[i]) * bar.height();
    pen.line({bar.right(), y}, {bar.right() + 2, y}, soft_ink(pen.theme()), 0.5);
    double baseline = std::clamp(y + face.cap_height() / 2, bar.top() + face.cap_height(), bar.bottom());
    widest = std::max(widest, face.width(labels[i]));
    if (scale.more && values[i] == scale.high) {
      pen.text({bar.right() + 4, baseline + face.height()}, kMore, face, ink(pen.theme()));
      widest = std::max(widest, face.width(kMore));
    } else if (less(scale) && values[i] == scale.low) {
      pen.text({bar.right() + 4, baseline}, kLess, face, ink(pen.theme()));
      widest = std::max(widest, face.width(kLess));
      baseline -= face.height();
    }
    pen.text({bar.right() + 4, baseline}, labels[i], face, ink(pen.theme()));
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

namespace {

// Where there is no room for "0.2 and more" it is "≥ 0.2".
QString flat_label(const analysis::ColourScale& scale, double value, const QString& label, bool brief) {
  if (scale.more && value == scale.high) {
    return brief ? QStringLiteral("≥ ") + label : label + QLatin1Char(' ') + kMore;
  }
  if (less(scale) && value == scale.low) {
    return brief ? QStringLiteral("≤ ") + label : label + QLatin1Char(' ') + kLess;
  }
  return label;
}

// A flat bar, and what stands beside it.
struct FlatBar {
  QRectF bar;
  bool brief = false;   // its ends say "≥ 0.2"
  double absent = 0;    // from the bar to the sign of absent cells
  bool fitting = true;  // the labels of its ends do not meet
};

FlatBar flat_bar(const analysis::ColourScale& scale, const Style& style, const QRectF& area,
                 const QStringList& title, bool above, bool with_absent, bool brief) {
  const TypeFace face(style, style.tick_pt);
  const double low = face.width(flat_label(scale, scale.low, end_text(scale.low), brief));
  const double high = face.width(flat_label(scale, scale.high, end_text(scale.high), brief));
  // Half of the labels at the two ends stands beside the bar.
  const double end = std::max(low, high) / 2 + 1;
  FlatBar result;
  result.brief = brief;
  result.absent = scale.more ? 4 * kGap + end : std::max(4 * kGap, end + kGap);
  const double left = area.left() + (above ? end : face.width(title.front()) + std::max(2 * kGap, end));
  const double right = with_absent ? result.absent + 4 * kGap + face.width(QStringLiteral("absent")) : end;
  const double top = area.top() + (above ? face.height() * static_cast<double>(title.size()) + 2 : 0);
  result.bar =
      QRectF(left, top, std::min(160.0 * unit(style), area.right() - left - right), bar_width(style));
  result.fitting = (low + high) / 2 + kGap <= result.bar.width();
  return result;
}

// None meets another: those of the ends come first.
void draw_flat_labels(Pen& pen, const analysis::ColourScale& scale, const FlatBar& flat) {
  const TypeFace face(pen.style(), pen.style().tick_pt);
  std::vector<QString> labels;
  const auto values = scale_ticks(scale, labels, flat.bar.width(), 30 * unit(pen.style()));
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  std::vector<std::size_t> order{static_cast<std::size_t>(high - values.begin()),
                                 static_cast<std::size_t>(low - values.begin())};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i != order[0] && i != order[1]) {
      order.push_back(i);
    }
  }
  std::vector<std::pair<double, double>> taken;
  for (const std::size_t i : order) {
    const double x = flat.bar.left() + scale.place(values[i]) * flat.bar.width();
    const QString label = flat_label(scale, values[i], labels[i], flat.brief);
    const double half = face.width(label) / 2;
    pen.line({x, flat.bar.bottom()}, {x, flat.bar.bottom() + 2}, soft_ink(pen.theme()), 0.5);
    if (std::any_of(taken.begin(), taken.end(), [&](const auto& other) {
          return x - half < other.second + kGap / 2 && x + half > other.first - kGap / 2;
        })) {
      continue;
    }
    taken.emplace_back(x - half, x + half);
    pen.text({x, flat.bar.bottom() + 3 + face.ascent()}, label, face, ink(pen.theme()), Across::centre);
  }
}

}  // namespace

void draw_flat_scale(Pen& pen, const analysis::ColourScale& scale, const QRectF& area, bool with_absent) {
  const TypeFace face(pen.style(), pen.style().tick_pt);
  const bool above = title_above(scale, face, area.width());
  const QStringList title =
      above ? flat_title(scale, face, area.width()) : QStringList{drawable(scale.quantity.text())};
  FlatBar flat = flat_bar(scale, pen.style(), area, title, above, with_absent, false);
  if (scale.more && !flat.fitting) {
    flat = flat_bar(scale, pen.style(), area, title, above, with_absent, true);
  }
  const QRectF& bar = flat.bar;
  if (bar.width() < 20) {
    return;
  }
  double baseline = above ? area.top() + face.ascent() : bar.center().y() + face.cap_height() / 2;
  for (const QString& line : title) {
    pen.text({area.left(), baseline}, line, face, ink(pen.theme()));
    baseline += face.height();
  }
  draw_bar(pen, scale, bar, false);
  draw_flat_labels(pen, scale, flat);
  if (with_absent) {
    const QRectF box(bar.right() + flat.absent, bar.top(), bar.height(), bar.height());
    pen.hatch(box);
    pen.frame(box, soft_ink(pen.theme()), 0.4);
    pen.text({box.right() + 4, box.bottom()}, QStringLiteral("absent"), face, soft_ink(pen.theme()));
  }
}

}  // namespace mog::figures
