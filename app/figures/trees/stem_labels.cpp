// What is said beside joins. Labels choose their places one after the other, the most needed first: owners
// from layer 2 on, weights, owners in layer 1 (they stand on their words), then numbers of words and kinds.
// What meets a disc, an edge or a label that is there already tries its next place, and is left out where it
// has none. Each is compared with all others: O(labels · (edges + labels)). Beyond kMostNamed joins, or where
// lanes are narrower than letters, nothing is said: no label would find a place.
#include <algorithm>
#include <cmath>
#include <set>

#include "app/figures/trees/stem_layout.h"

namespace mog::figures {
namespace {

using analysis::TreeFigure;
using analysis::TreeNode;
using Kind = StemLabel::Kind;

constexpr std::size_t kMostNamed = 400;

QString weight_text(double weight) {
  return weight >= 0.0995 ? QString::number(weight, 'f', 2) : QString::number(weight, 'g', 2);
}

// From the longest to what is said where there is hardly room.
QStringList carried_texts(const StemLayout& layout, const TreeFigure& tree) {
  const std::int64_t from = layout.stems.rows + 1;
  const QString row = drawable(tree.row);
  const QString rows = from == tree.layers ? QStringLiteral("%1 %2").arg(row).arg(from)
                                           : QStringLiteral("%1s %2–%3").arg(row).arg(from).arg(tree.layers);
  const QString times = std::isfinite(tree.carried_weight)
                            ? QStringLiteral(" × ") + weight_text(tree.carried_weight)
                            : QString();
  QStringList texts{QStringLiteral("carried unchanged through ") + rows + times,
                    QStringLiteral("carried, ") + rows + times,
                    QStringLiteral("carried to ") + row_name(tree, tree.layers)};
  if (!layout.measures.screen) {
    texts = {texts[2] + (times.isEmpty() ? times : QLatin1Char(',') + times), texts[2]};
  }
  return times.isEmpty() ? texts : texts << times.trimmed();
}

class Placing {
 public:
  Placing(StemLayout& layout, const TreeFigure& tree, const Style& style)
      : layout_(layout), tree_(tree), style_(style), m_(layout.measures), u_(m_.unit) {
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
    goal();
    carried();
    // Small discs are read where the pointer is.
    const bool named = layout_.joins.size() <= kMostNamed && layout_.radius > (m_.screen ? 8.1 : 2) * u_;
    for (std::size_t i = 0; named && i < layout_.joins.size(); ++i) {
      if (layer(i) > 1) {
        name(i);
      }
    }
    for (std::size_t i = 0; named && i < layout_.joins.size(); ++i) {
      weigh(i);
    }
    for (std::size_t i = 0; named && m_.screen && i < layout_.joins.size(); ++i) {
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
    const double half = m_.query_line / 2 + 0.2 * u_;
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

  double small() const { return m_.small; }
  double name_size() const { return m_.name; }

  // Whose graph it is, over the stem of its root; inside the area, so not always in its middle.
  void goal() {
    if (!m_.screen || tree_.roots.size() != 1 || !std::isfinite(tree_.carried_weight)) {
      return;
    }
    for (std::size_t i = 0; i < layout_.stems.stems.size(); ++i) {
      const Stem& stem = layout_.stems.stems[i];
      if (stem.consumer) {
        continue;
      }
      const TypeFace face(style_, small(), true);
      const QString text =
          face.elided(layout_.word(stem) + QStringLiteral(" at ") + row_name(tree_, tree_.layers), 240 * u_);
      const double wide = face.width(text) + 22 * u_;
      const double high = 24 * u_;
      const double left = std::clamp(layout_.x(stem) - wide / 2, layout_.area.left(),
                                     std::max(layout_.area.left(), layout_.area.right() - wide));
      const QRectF box(left, layout_.goal_bottom - high, wide, high);
      taken_.push_back(box);
      QPolygonF outline(box);
      outline.removeLast();
      layout_.labels.push_back({Kind::goal,
                                text,
                                {left + 11 * u_, box.center().y() + face.cap_height() / 2},
                                face.size(),
                                std::move(outline),
                                i});
    }
  }

  // Beside the lanes of what is carried on.
  void carried() {
    if (!layout_.stems.carried) {
      return;
    }
    const double high = TypeFace(style_, small()).cap_height();
    const double y = m_.screen ? (layout_.band_top + layout_.row_y.back() - layout_.radius + high) / 2
                               : layout_.band_top + high + 2 * u_;
    const double away = (m_.screen ? 10 : 4) * u_;
    for (const QString& text : carried_texts(layout_, tree_)) {
      for (std::size_t i = 0; i < layout_.stretches.size(); ++i) {
        if (layout_.makes[i] >= 0) {
          continue;
        }
        const QPointF at(layout_.stretches[i].to.x(), y);
        if (put(Kind::carried, layout_.owner[i], text, small(), false, at + QPointF(away, 0), 1) ||
            put(Kind::carried, layout_.owner[i], text, small(), false, at - QPointF(away, 0), -1)) {
          return;  // once is enough
        }
      }
    }
  }

  void name(std::size_t join) {
    const QString text = layout_.word(layout_.stems.stems[layout_.stems.joins[join].stem]);
    const QPointF at = layout_.joins[join];
    const double away = layout_.radius + (m_.screen ? 7 : 2.5) * u_;
    const double side = -key_side(join);
    const double above = (m_.screen ? 5 : 2) * u_;
    // Beside the open side of the disc, above or below its row; else above its key edge.
    const double below = (m_.screen ? 6 : 3) * u_ + TypeFace(style_, name_size(), true).cap_height();
    const bool beside =
        put(Kind::owner, join, text, name_size(), true, at + QPointF(side * away, -above), side);
    const bool placed =
        beside || put(Kind::owner, join, text, name_size(), true, at + QPointF(side * away, below), side) ||
        put(Kind::owner, join, text, name_size(), true, at + QPointF(-side * away, -1.5 * above), -side);
    if (placed) {
      named_.insert(join);
    }
  }

  void weigh(std::size_t join) {
    if (!std::isfinite(node(join).weight)) {
      return;
    }
    const QString text = weight_text(node(join).weight);
    const QPointF at = layout_.joins[join];
    const double side = key_side(join);
    const double away = layout_.radius + (m_.screen ? 7 : 2.2) * u_;
    const double above = (m_.screen ? 5 : 2) * u_;
    const double below = (m_.screen ? 6 : 2.5) * u_ + TypeFace(style_, small()).cap_height();
    for (const QPointF from : {QPointF(side * away, -above), QPointF(side * away, below)}) {
      if (put(Kind::weight, join, text, small(), false, at + from, side)) {
        return;
      }
    }
  }

  // The number of words on a screen; a kind above 1 everywhere. Where the name has no room its second line
  // has none either: alone it would seem to be of the join beside it.
  void say_more(std::size_t join) {
    if (m_.screen && !named_.contains(join)) {
      return;
    }
    QStringList says;
    if (m_.screen) {
      says << (node(join).order == 1 ? QStringLiteral("1 word")
                                     : QStringLiteral("%1 words").arg(node(join).order));
    }
    if (node(join).kind > 1) {
      says << QStringLiteral("kind %1").arg(node(join).kind);
    }
    const double side = -key_side(join);
    const QPointF at =
        layout_.joins[join] + QPointF(side * (layout_.radius + (m_.screen ? 7 : 2.5) * u_),
                                      (m_.screen ? 6 : 3) * u_ + TypeFace(style_, small()).cap_height());
    if (!says.isEmpty() &&
        !put(Kind::detail, join, says.join(QStringLiteral(", ")), small(), false, at, side) &&
        says.size() > 1) {
      put(Kind::detail, join, says.back(), small(), false, at, side);
    }
  }

  StemLayout& layout_;
  const TreeFigure& tree_;
  const Style& style_;
  const StemMeasures& m_;
  double u_;
  std::vector<QRectF> taken_;
  std::set<std::size_t> named_;  // joins
};

}  // namespace

void place_labels(StemLayout& layout, const TreeFigure& tree, const Style& style) {
  Placing(layout, tree, style).all();
}

}  // namespace mog::figures
