#include "app/figures/graphs/arc_labels.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace mog::figures {
namespace {

constexpr double kAround = 1;  // of the letters, inside the frame of an arc that was set by hand

bool is_labelled(const analysis::Arc& arc, const ArcShape& shape) {
  return !arc.label.empty() && !shape.path.isEmpty();
}

QRectF box_at(QPointF middle, const TypeFace& face, double wide) {
  const double high = face.cap_height() + 2 * kAround;
  return {middle.x() - wide / 2, middle.y() - high / 2, wide, high};
}

}  // namespace

QString arc_label(const analysis::Arc& arc) {
  return (arc.changed ? QStringLiteral("Δ ") : QString()) + drawable(arc.label);
}

void place_arc_labels(const analysis::ArcFigure& figure, const Style& style, double top,
                      std::vector<ArcShape>& shapes) {
  constexpr std::array kAlong = {0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74};
  const TypeFace face(style, smallest_type(style));
  std::vector<std::size_t> order(shapes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(shapes[a].from - shapes[a].to) < std::abs(shapes[b].from - shapes[b].to);
  });
  std::vector<QRectF> taken;
  for (const std::size_t i : order) {
    ArcShape& shape = shapes[i];
    if (!is_labelled(figure.arcs[i], shape)) {
      continue;
    }
    const double wide = face.width(arc_label(figure.arcs[i])) + 2 + 2 * kAround;
    const bool root = figure.arcs[i].source < 0;
    for (const double along : kAlong) {
      // A root's stands at its upper end.
      QRectF box = box_at(shape.at(root ? (along - kAlong.front()) * 2 : along), face, wide);
      if (root && along < kAlong.front()) {
        continue;
      }
      box.moveTop(std::max(box.top(), top));
      const bool free = std::none_of(taken.begin(), taken.end(), [&](const QRectF& other) {
        return other.adjusted(-2, -1, 2, 1).intersects(box);
      });
      if (free) {
        taken.push_back(box);
        shape.label = box;
        break;
      }
    }
  }
}

void draw_arc_label(Pen& pen, const analysis::Arc& arc, const ArcShape& shape) {
  if (shape.label.isEmpty()) {
    return;
  }
  const Style& style = pen.style();
  const TypeFace face(style, smallest_type(style));
  pen.fill(shape.label, background(pen.theme()));
  if (arc.forced) {
    pen.frame(shape.label.adjusted(-1, -1.5, 1, 1.5), ink(pen.theme()), style.line_pt);
  }
  const QColor colour = arc.changed ? palette_colour(PartColour::vermillion, pen.theme()) : ink(pen.theme());
  pen.text({shape.label.center().x(), shape.label.center().y() + face.cap_height() / 2}, arc_label(arc), face,
           colour, Across::centre);
}

QString arc_labels_note(const analysis::ArcFigure& figure, const std::vector<ArcShape>& shapes) {
  int all = 0;
  int placed = 0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const bool labelled = is_labelled(figure.arcs[i], shapes[i]);
    all += labelled ? 1 : 0;
    placed += labelled && !shapes[i].label.isEmpty() ? 1 : 0;
  }
  return placed == all ? QString()
                       : QStringLiteral("%1 of %2 arcs have no label: there is no room at this size")
                             .arg(all - placed)
                             .arg(all);
}

}  // namespace mog::figures
