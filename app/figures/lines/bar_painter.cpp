// Bars from 0 with intervals, one below the other, labels at their left.
#include <algorithm>
#include <cmath>

#include "analysis/figure_data/ticks.h"
#include "app/figures/body.h"
#include "app/figures/side_title.h"

namespace mog::figures {
namespace {

using analysis::BarPlot;
using analysis::BarRow;

constexpr double kLines = 1.45;       // height of a row in heights of its label
constexpr double kMostLabels = 0.52;  // of the width

class BarBody final : public Body {
 public:
  BarBody(const BarPlot& plot, const Style& style, const QRectF& area)
      : plot_(plot),
        style_(style),
        area_(area),
        tick_(style, style.tick_pt),
        title_(style, style.body_pt),
        label_(style, style.tick_pt) {
    // Long labels rather shrink than end early.
    for (double size = style.tick_pt; size >= smallest_type(style); --size) {
      label_ = TypeFace(style, size);
      labels_ = 0;
      for (const BarRow& row : plot.rows) {
        labels_ = plot.labels ? std::max(labels_, label_.width(drawable(row.label))) : 0;
      }
      if (labels_ <= area.width() * kMostLabels) {
        break;
      }
    }
    labels_ = std::min(labels_, area.width() * kMostLabels);
    box_ =
        area.adjusted(labels_ > 0 ? labels_ + 5 : 2, 0, -kGap * 2, -(tick_.height() + title_.height() + 6));
    double low = 0;
    double high = 0;
    for (const BarRow& row : plot.rows) {
      for (const double value : {row.value, row.low, row.high}) {
        if (std::isfinite(value)) {
          low = std::min(low, value);
          high = std::max(high, value);
        }
      }
    }
    const analysis::RoundRange range =
        analysis::round_range(plot.x_low.value_or(low), plot.x_high.value_or(high), 5);
    low_ = plot.x_low.value_or(range.low);
    high_ = plot.x_high.value_or(range.high);
  }

  void draw(Pen& pen) const override {
    if (box_.width() < 10 || box_.height() < 10) {
      return;
    }
    const auto fit = static_cast<std::int64_t>(box_.width() / (26 * unit(style_))) + 1;
    const analysis::Ticks ticks = analysis::ticks(low_, high_, std::clamp<std::int64_t>(fit, 2, 7));
    const std::vector<std::string> labels = ticks.labels();
    for (std::size_t i = 0; i < ticks.values.size(); ++i) {
      const double x = place(ticks.values[i]);
      pen.line({x, box_.top()}, {x, box_.bottom()}, faint_ink(pen.theme()), 0.5);
      // The outermost ones stay inside.
      const double half = tick_.width(drawable(labels[i])) / 2;
      const double centre =
          std::clamp(x, area_.left() + half, std::max(area_.left() + half, area_.right() - half));
      pen.text({centre, box_.bottom() + 3 + tick_.ascent()}, drawable(labels[i]), tick_, ink(pen.theme()),
               Across::centre);
    }
    for (std::size_t row = 0; row < plot_.rows.size(); ++row) {
      draw_row(pen, row);
    }
    pen.line({place(0), box_.top()}, {place(0), box_.bottom()}, ink(pen.theme()), 0.7);
    const TypeFace face = fitting_face(drawable(plot_.x.text()), style_, area_.width());
    const QString title = face.elided(drawable(plot_.x.text()), area_.width());
    const double half = face.width(title) / 2;
    const double centre = std::clamp(box_.center().x(), area_.left() + half,
                                     std::max(area_.left() + half, area_.right() - half));
    pen.text({centre, box_.bottom() + 4 + tick_.height() + title_.ascent()}, title, face, ink(pen.theme()),
             Across::centre);
  }

  void draw_highlight(Pen& pen, const Highlight& highlight) const override {
    if (highlight.row && *highlight.row >= 0 &&
        *highlight.row < static_cast<std::int64_t>(plot_.rows.size())) {
      pen.frame(row_area(static_cast<std::size_t>(*highlight.row)), accent(pen.theme()), 1);
    }
  }

  std::optional<Hit> hit(QPointF at) const override {
    for (std::size_t row = 0; row < plot_.rows.size(); ++row) {
      const QRectF own = row_area(row);
      if (own.contains(at)) {
        const BarRow& bar = plot_.rows[row];
        Hit hit;
        hit.kind = Hit::Kind::cell;
        hit.row = static_cast<std::int64_t>(row);
        hit.area = own;
        hit.readout =
            drawable(bar.label) + QStringLiteral(": ") +
            (std::isfinite(bar.value) ? drawable(analysis::readable(bar.value)) : QStringLiteral("absent"));
        if (std::isfinite(bar.low) && std::isfinite(bar.high)) {
          hit.readout +=
              drawable(" [" + analysis::readable(bar.low) + ", " + analysis::readable(bar.high) + "]");
        }
        return hit;
      }
    }
    return std::nullopt;
  }

 private:
  double place(double value) const {
    return box_.left() + (std::clamp(value, low_, high_) - low_) / (high_ - low_) * box_.width();
  }
  QRectF row_area(std::size_t row) const {
    const double height = box_.height() / static_cast<double>(std::max<std::size_t>(1, plot_.rows.size()));
    return {area_.left(), box_.top() + static_cast<double>(row) * height, area_.width(), height};
  }

  void draw_row(Pen& pen, std::size_t row) const {
    const BarRow& bar = plot_.rows[row];
    const QRectF own = row_area(row);
    const double middle = own.center().y();
    if (plot_.labels) {
      pen.text({area_.left() + labels_, middle + label_.cap_height() / 2},
               label_.elided(drawable(bar.label), labels_), label_, ink(pen.theme()), Across::right);
    }
    const double thick = std::min(own.height() * 0.62, tick_.height());
    if (!std::isfinite(bar.value)) {
      pen.hatch(QRectF(place(0), middle - thick / 2, box_.width() * 0.05, thick));
      return;
    }
    const double from = std::min(place(0), place(bar.value));
    const double to = std::max(place(0), place(bar.value));
    QColor colour = colour_of(bar.colour, pen.theme());
    colour.setAlphaF(0.75F);
    pen.fill(QRectF(from, middle - thick / 2, to - from, thick), colour);
    if (std::isfinite(bar.low) && std::isfinite(bar.high)) {
      const double end = thick * 0.22;
      pen.line({place(bar.low), middle}, {place(bar.high), middle}, ink(pen.theme()), style_.line_pt);
      for (const double x : {place(bar.low), place(bar.high)}) {
        pen.line({x, middle - end}, {x, middle + end}, ink(pen.theme()), style_.line_pt);
      }
    }
  }

  const BarPlot& plot_;
  const Style& style_;
  QRectF area_;
  TypeFace tick_;
  TypeFace title_;
  TypeFace label_;
  QRectF box_;
  double labels_ = 0;
  double low_ = 0;
  double high_ = 1;
};

}  // namespace

std::unique_ptr<Body> lay_out(const BarPlot& plot, const Style& style, const QRectF& area) {
  return std::make_unique<BarBody>(plot, style, area);
}

double wanted_height(const BarPlot& plot, const Style& style, double /*width*/) {
  const TypeFace tick(style, style.tick_pt);
  const TypeFace title(style, style.body_pt);
  const auto rows = static_cast<double>(std::max<std::size_t>(1, plot.rows.size()));
  return rows * tick.height() * kLines + tick.height() + title.height() + 6;
}

}  // namespace mog::figures
