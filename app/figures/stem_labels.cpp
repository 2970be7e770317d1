// What is said beside joins. Labels choose their places one after the other, the most needed first: owners
// from layer 2 on, weights, owners in layer 1 (they stand on their words), then numbers of words and kinds.
// What meets a disc, an edge or a label that is there already tries its next place, and is left out where it
// has none. Each is compared with all others: O(labels · (edges + labels)). Beyond kMostNamed joins, or where
// lanes are narrower than letters, nothing is said: no label would find a place.
#include <algorithm>
#include <cmath>

#include "app/figures/stem_layout.h"

namespace mog::figures {
namespace {

using analysis::TreeFigure;
using analysis::TreeNode;
using Kind = StemLabel::Kind;

constexpr std::size_t kMostNamed = 400;
constexpr std::size_t kManyLanes = 24;

QString weight_text(double weight) {
  return weight >= 0.0995 ? QString::number(weight, 'f', 2) : QString::number(weight, 'g', 2);
}

class Placing {
 public:
  Placing(StemLayout& layout, const TreeFigure& tree, const Style& style)
      : layout_(layout), tree_(tree), style_(style), u_(unit(style)) {
    for (const QPointF& disc : layout.joins) {
      taken_.emplace_back(disc - QPointF(layout.radius + 0.8 * u_, layout.radius + 0.8 * u_),
                          disc + QPointF(layout.radius + 0.8 * u_, layout.radius + 0.8 * u_));
    }
    for (const Stretch& stretch : layout.stretches) {
      line(stretch.from, stretch.to);
    }
    for (const KeyEdge& key : layout.keys) {
      for (qsizetype i = 0; i + 1 < key.line.size(); ++i) {
        line(key.line[i], key.line[i + 1]);
      }
    }
  }

  void all() {
    carried();
    const bool named = layout_.joins.size() <= kMostNamed && layout_.radius > 2 * u_;
    for (std::size_t i = 0; named && i < layout_.joins.size(); ++i) {
      if (layer(i) > 1) {
        name(i);
      }
    }
    for (std::size_t i = 0; named && i < layout_.joins.size(); ++i) {
      weigh(i);
    }
    const bool screen = style_.paper == Paper::screen;
    for (std::size_t i = 0; named && screen && i < layout_.joins.size(); ++i) {
      if (layer(i) == 1) {
        name(i);
      }
    }
    const bool few = layout_.lane_x.size() <= kManyLanes;
    for (std::size_t i = 0; named && few && i < layout_.joins.size(); ++i) {
      say_more(i);
    }
  }

 private:
  const TreeNode& node(std::size_t join) const {
    return tree_.nodes[static_cast<std::size_t>(layout_.stems.joins[join].node)];
  }
  std::int64_t layer(std::size_t join) const { return layout_.stems.joins[join].layer; }
  // -1: its key edge goes to the left.
  double key_side(std::size_t join) const {
    const KeyEdge& key = layout_.keys[join];
    return key.line.back().x() < layout_.joins[join].x() ? -1 : 1;
  }

  void line(QPointF from, QPointF to) {
    const double half = style_.line_pt * 0.7 + 0.2 * u_;
    taken_.push_back(QRectF(from, to).normalized().adjusted(-half, -half, half, half));
  }

  // At one of `sides` of x (-1: it ends there, 1: it begins there), on a baseline.
  bool put(Kind kind, std::size_t of, const QString& text, double size, bool bold, QPointF from,
           double side) {
    const TypeFace face(style_, size, bold);
    const double wide = face.width(text);
    const double left = side < 0 ? from.x() - wide : from.x();
    const QRectF box(left - 0.5, from.y() - face.cap_height() - 0.8, wide + 1,
                     face.cap_height() + (kind == Kind::weight ? 1 : 1 + face.descent() * 0.8));
    if (box.left() < layout_.left || box.right() > layout_.area.right() || box.top() < layout_.area.top() ||
        box.bottom() > layout_.words_top + 0.5 ||
        std::any_of(taken_.begin(), taken_.end(),
                    [&](const QRectF& other) { return other.intersects(box); })) {
      return false;
    }
    taken_.push_back(box);
    QPolygonF outline(box);
    outline.removeLast();
    layout_.labels.push_back({kind, text, {left, from.y()}, size, std::move(outline), of});
    return true;
  }

  double small() const { return smallest_type(style_); }
  double name_size() const { return style_.paper == Paper::screen ? style_.tick_pt : small() + 0.5 * u_; }

  // Beside the lanes of what is carried on.
  void carried() {
    if (!layout_.stems.carried) {
      return;
    }
    const QString text = QStringLiteral("carried to ") + row_name(tree_, tree_.layers);
    const double y = layout_.band_top + TypeFace(style_, small()).cap_height() + 2 * u_;
    for (std::size_t i = 0; i < layout_.stretches.size(); ++i) {
      if (layout_.makes[i] >= 0) {
        continue;
      }
      const QPointF at(layout_.stretches[i].to.x(), y);
      if (put(Kind::carried, layout_.owner[i], text, small(), false, at + QPointF(4 * u_, 0), 1) ||
          put(Kind::carried, layout_.owner[i], text, small(), false, at - QPointF(4 * u_, 0), -1)) {
        return;  // once is enough
      }
    }
  }

  void name(std::size_t join) {
    const QString text = layout_.word(layout_.stems.stems[layout_.stems.joins[join].stem]);
    const QPointF at = layout_.joins[join];
    const double away = layout_.radius + 2.5 * u_;
    const double side = -key_side(join);
    // Beside the open side of the disc, above or below its row; else above its key edge.
    const double below = 3 * u_ + TypeFace(style_, name_size(), true).cap_height();
    if (!put(Kind::owner, join, text, name_size(), true, at + QPointF(side * away, -2 * u_), side) &&
        !put(Kind::owner, join, text, name_size(), true, at + QPointF(side * away, below), side)) {
      put(Kind::owner, join, text, name_size(), true, at + QPointF(-side * away, -3 * u_), -side);
    }
  }

  void weigh(std::size_t join) {
    if (!std::isfinite(node(join).weight)) {
      return;
    }
    const QString text = weight_text(node(join).weight);
    const QPointF at = layout_.joins[join];
    const double side = key_side(join);
    const double away = layout_.radius + 2.2 * u_;
    const double below = 2.5 * u_ + TypeFace(style_, small()).cap_height();
    for (const QPointF from : {QPointF(side * away, -2 * u_), QPointF(side * away, below)}) {
      if (put(Kind::weight, join, text, small(), false, at + from, side)) {
        return;
      }
    }
  }

  // The number of words on a screen; a kind above 1 everywhere.
  void say_more(std::size_t join) {
    QStringList says;
    if (style_.paper == Paper::screen) {
      says << (node(join).order == 1 ? QStringLiteral("1 word")
                                     : QStringLiteral("%1 words").arg(node(join).order));
    }
    if (node(join).kind > 1) {
      says << QStringLiteral("kind %1").arg(node(join).kind);
    }
    const double side = -key_side(join);
    const QPointF at = layout_.joins[join] + QPointF(side * (layout_.radius + 2.5 * u_),
                                                     3 * u_ + TypeFace(style_, small()).cap_height());
    if (!says.isEmpty() &&
        !put(Kind::detail, join, says.join(QStringLiteral(", ")), small(), false, at, side) &&
        says.size() > 1) {
      put(Kind::detail, join, says.back(), small(), false, at, side);
    }
  }

  StemLayout& layout_;
  const TreeFigure& tree_;
  const Style& style_;
  double u_;
  std::vector<QRectF> taken_;
};

}  // namespace

void place_labels(StemLayout& layout, const TreeFigure& tree, const Style& style) {
  Placing(layout, tree, style).all();
}

}  // namespace mog::figures
