// Lanes, rows and tracks are those of the large picture (stems.h); here lanes are even and rows without a
// join as high as the others, as far as there is room.
#include "app/figures/trees/tree_thumbnail.h"

#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "app/figures/pen.h"
#include "app/figures/trees/stem_measures.h"
#include "app/figures/trees/stems.h"

namespace mog::figures {

void paint_tree_thumbnail(QPainter& painter, const analysis::TreeFigure& tree, const Style& style,
                          const QRectF& area) {
  const Stems stems = stems_of(tree);
  if (stems.lanes.empty()) {
    return;
  }
  Pen pen(painter, style);
  const StemColours colours = colours_of(style);
  const auto lanes = static_cast<double>(stems.lanes.size());
  const double pitch = std::min(area.width() / lanes, 22.0);
  const double leaf = std::clamp(pitch * 0.36, 1.0, 6.0);  // side
  const double row = (area.height() - leaf - 3) / static_cast<double>(std::max<std::int64_t>(stems.rows, 1));
  const double high = std::min(row, 16.0);
  const double radius = std::clamp(std::min(pitch, high) * 0.3, 1.0, 3.2);
  const double ground = area.bottom() - leaf;
  const double left = area.center().x() - pitch * lanes / 2;
  const double wide = std::clamp(pitch / 12, 0.6, 1.2);
  const auto x = [&](const Stem& stem) { return left + (static_cast<double>(stem.lane) + 0.5) * pitch; };
  const auto y = [&](std::int64_t layer) { return ground - static_cast<double>(layer) * high; };
  for (const Stem& stem : stems.stems) {
    pen.line({x(stem), ground}, {x(stem), y(stems.top(stem))}, colours.secondary, wide);
  }
  for (const StemJoin& join : stems.joins) {
    const Stem& owner = stems.stems[join.stem];
    const Stem& key = stems.stems[join.key];
    const double level = y(join.layer) + std::min(static_cast<double>(join.track) * 2.5, high * 0.6);
    const double round = std::min(3.0, std::abs(x(key) - x(owner)) / 2);
    QPainterPath path(QPointF(x(owner), level));
    path.lineTo(x(key) + (x(key) < x(owner) ? round : -round), level);
    path.quadTo(x(key), level, x(key), level + round);
    path.lineTo(x(key), std::max(level + round, y(stems.top(key))));
    pen.path(path, colours.secondary, wide);
  }
  for (const StemJoin& join : stems.joins) {
    const Part part = tree.nodes[static_cast<std::size_t>(join.node)].part;
    pen.disc({x(stems.stems[join.stem]), y(join.layer)}, radius,
             part == Part::none ? colours.ink : part_colour(part, style.theme));
  }
  for (const Stem& stem : stems.stems) {
    const QRectF box(x(stem) - leaf / 2, ground, leaf, leaf);
    pen.fill(box, colours.ink);
    if (stem.number > 1 && leaf > 3) {
      pen.fill(box.adjusted(1, 1, -1, -1), background(style.theme));
    }
  }
}

}  // namespace mog::figures
