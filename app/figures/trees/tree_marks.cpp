// A number stands at the first place around its thing where it covers no text, no disc and no line.
#include "app/figures/trees/tree_marks.h"

#include <algorithm>
#include <optional>

namespace mog::figures {
namespace {

using Kind = StemLabel::Kind;

bool is_free(const StemLayout& layout, QPointF at, double reach) {
  const QRectF box(at - QPointF(reach, reach), at + QPointF(reach, reach));
  const auto crosses = [&](QPointF from, QPointF to) {
    return QRectF(from, to).normalized().adjusted(-1, -1, 1, 1).intersects(box);
  };
  for (const StemLabel& label : layout.labels) {
    if (label.outline.boundingRect().intersects(box)) {
      return false;
    }
  }
  for (const Stretch& stretch : layout.stretches) {
    if (crosses(stretch.from, stretch.to)) {
      return false;
    }
  }
  for (const KeyEdge& key : layout.keys) {
    for (qsizetype i = 0; i + 1 < key.line.size(); ++i) {
      if (crosses(key.line[i], key.line[i + 1])) {
        return false;
      }
    }
  }
  const double disc = layout.radius + reach;
  return std::none_of(layout.joins.begin(), layout.joins.end(), [&](QPointF join) {
    return QRectF(join - QPointF(disc, disc), join + QPointF(disc, disc)).contains(at);
  });
}

// What the number belongs to, as a box that it stands beside.
std::optional<QRectF> place_of(const StemLayout& layout, const NoteMark& mark) {
  switch (mark.of) {
    case NoteMark::Of::word:
      for (const StemLabel& label : layout.labels) {
        if (label.kind == Kind::word && layout.stems.stems[label.of].word == mark.index &&
            layout.stems.stems[label.of].number == 1) {
          return label.outline.boundingRect();
        }
      }
      return std::nullopt;
    case NoteMark::Of::node:
      for (std::size_t i = 0; i < layout.joins.size(); ++i) {
        if (layout.stems.joins[i].node == mark.index) {
          const QPointF reach(layout.radius, layout.radius);
          return QRectF(layout.joins[i] - reach, layout.joins[i] + reach);
        }
      }
      return std::nullopt;
    case NoteMark::Of::carried:
      break;
  }
  for (const Kind kind : {Kind::carried, Kind::goal}) {
    for (const StemLabel& label : layout.labels) {
      if (label.kind == kind) {
        return label.outline.boundingRect();
      }
    }
  }
  return std::nullopt;
}

}  // namespace

void draw_tree_mark(Pen& pen, const TreeDrawing& drawing, const NoteMark& mark) {
  const StemLayout& layout = drawing.layout;
  const double u = layout.measures.unit;
  const auto thing = place_of(layout, mark);
  if (!thing) {
    return;
  }
  const double radius = 9 * u;
  const QRectF around = thing->adjusted(-radius - 4 * u, -radius - 4 * u, radius + 4 * u, radius + 4 * u);
  const QPointF middle = around.center();
  const QPointF places[] = {{around.right(), middle.y()},        {around.left(), middle.y()},
                            {around.left(), around.bottom()},    {around.right(), around.bottom()},
                            {around.left(), around.top()},       {around.right(), around.top()},
                            {around.left() - 24 * u, middle.y()}};
  const QRectF room = layout.area.adjusted(radius, radius, -radius, -radius);
  const auto* const found = std::find_if(std::begin(places), std::end(places), [&](QPointF at) {
    return room.contains(at) && is_free(layout, at, radius + u);
  });
  const QPointF at = found == std::end(places) ? thing->topLeft() : *found;
  const TypeFace face(drawing.style, 11 * u, true);
  pen.disc(at, radius + 1.5 * u, background(pen.theme()));
  pen.disc(at, radius, drawing.colours.ink);
  pen.text(at + QPointF(0, face.cap_height() / 2), QString::number(mark.number), face,
           background(pen.theme()), Across::centre);
}

}  // namespace mog::figures
