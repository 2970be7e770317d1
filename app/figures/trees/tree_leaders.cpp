// A leader comes down in an arch above the rows and then follows its lane, dotted, to the top of what the
// graph has there: the lane is empty above it. Where a text or a disc stands the line is left out.
#include "app/figures/trees/tree_leaders.h"

#include <QPainterPath>
#include <algorithm>
#include <cmath>

namespace mog::figures {
namespace {

using Kind = StemLabel::Kind;

constexpr double kLeastArch = 20;  // height of an arch

const StemLabel* goal_of(const StemLayout& layout) {
  for (const StemLabel& label : layout.labels) {
    if (label.kind == Kind::goal) {
      return &label;
    }
  }
  return nullptr;
}

// Of the main stem of a word; stems of the word again have no leader.
const Stem* stem_of(const StemLayout& layout, std::int64_t word) {
  for (const Stem& stem : layout.stems.stems) {
    if (stem.word == word && stem.number == 1) {
      return &stem;
    }
  }
  return nullptr;
}

// The uppermost thing in its lane: what is carried on, a key edge that comes down, a disc, the word.
double top_of(const StemLayout& layout, const Stem& stem) {
  double top = stem.joins.empty() ? layout.words_top : layout.joins[stem.joins.back()].y() - layout.radius;
  for (const Stretch& stretch : layout.stretches) {
    if (std::abs(stretch.from.x() - layout.x(stem)) < 0.5) {
      top = std::min({top, stretch.from.y(), stretch.to.y()});
    }
  }
  if (stem.consumer && !layout.keys[*stem.consumer].in_row) {
    const QPolygonF& line = layout.keys[*stem.consumer].line;
    top = std::min(top, line[line.size() - 2].y());
  }
  return top;
}

// Everything but texts and discs.
QPainterPath free_ground(const StemLayout& layout, const QRectF& seen) {
  QPainterPath ground;
  ground.setFillRule(Qt::WindingFill);
  ground.addRect(seen);
  QPainterPath taken;
  taken.setFillRule(Qt::WindingFill);
  const double away = 3 * layout.measures.unit;
  for (const StemLabel& label : layout.labels) {
    taken.addRect(label.outline.boundingRect().adjusted(-away, -away, away, away));
  }
  for (const QPointF& disc : layout.joins) {
    taken.addEllipse(disc, layout.radius + away, layout.radius + away);
  }
  return ground.subtracted(taken);
}

}  // namespace

void draw_tree_leaders(Pen& pen, const TreeDrawing& drawing, const std::vector<Leader>& leaders) {
  const StemLayout& layout = drawing.layout;
  const double u = layout.measures.unit;
  if (!layout.measures.screen || leaders.empty()) {
    return;
  }
  QRectF seen = pen.visible();
  const double first_lane = std::max(layout.left, seen.left() + layout.left - layout.area.left());
  const StemLabel* const goal = goal_of(layout);
  const QRectF pill = goal == nullptr ? QRectF() : goal->outline.boundingRect();
  const double edge = seen.top();
  seen.setBottom(std::min(seen.bottom(), drawing.words_top(seen)));
  pen.painter().save();
  pen.painter().setClipPath(free_ground(layout, seen), Qt::IntersectClip);
  for (const Leader& leader : leaders) {
    const Stem* const stem = stem_of(layout, leader.word);
    if (stem == nullptr || layout.x(*stem) < first_lane || layout.x(*stem) > seen.right()) {
      continue;
    }
    const double x = layout.x(*stem);
    const bool owns = goal != nullptr && &layout.stems.stems[goal->of] == stem;
    QColor colour = owns ? drawing.colours.accent : drawing.colours.secondary;
    colour.setAlphaF(owns || drawing.style.theme == Theme::high_contrast ? 1.0F : 0.5F);
    QPainterPath arch({leader.x, edge});
    if (owns) {  // to the side of what says whose graph it is
      if (pill.top() < edge) {
        continue;
      }
      const bool aside = leader.x < pill.left() - 8 * u || leader.x > pill.right() + 8 * u;
      const double side = leader.x < x ? pill.left() : pill.right();
      const QPointF end = aside ? QPointF(side, pill.center().y()) : QPointF(leader.x, pill.top());
      const QPointF bend(aside ? (leader.x + end.x()) / 2 : end.x(), end.y());
      arch.cubicTo({leader.x, aside ? end.y() : edge}, bend, end);
      pen.path(arch, colour, u);
      continue;
    }
    const double top = top_of(layout, *stem);
    const double arch_end = std::max(goal == nullptr ? edge : pill.bottom(), edge + kLeastArch * u);
    if (top < edge + kLeastArch * u) {
      continue;
    }
    const double end = std::min(arch_end, top);
    const double middle = (edge + end) / 2;
    arch.cubicTo({leader.x, middle}, {x, middle}, {x, end});
    pen.path(arch, colour, u);
    if (top - end > 2 * u) {
      pen.line({x, end}, {x, top}, colour, u, Qt::DotLine);
    }
  }
  pen.painter().restore();
}

}  // namespace mog::figures
