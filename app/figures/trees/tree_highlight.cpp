// A lit subgraph is painted again over a picture that fades; on paper, where nothing fades, it is thicker. No
// label stands on an edge, so none is covered. What is behind the operands of the selected join is a tint
// laid over them, and they are painted again.
//
// A node may occur several times. What is lit is every occurrence; what is selected is the first.
#include "app/figures/trees/tree_highlight.h"

#include <QPainterPath>
#include <algorithm>
#include <cmath>

namespace mog::figures {
namespace {

using Kind = StemLabel::Kind;

constexpr float kFaded = 0.7F;  // of the ground, over what is not lit

// The stem from its leaf up to its join number `count` (all before it), and what these take in.
Subgraph collect(const Stems& stems, std::size_t stem, std::size_t count) {
  Subgraph result;
  std::vector<std::pair<std::size_t, std::size_t>> open{{stem, count}};
  if (count > 0) {
    result.top = stems.joins[stems.stems[stem].joins[count - 1]].layer;
  }
  while (!open.empty()) {
    const auto [at, joins] = open.back();
    open.pop_back();
    result.stems.push_back(at);
    for (std::size_t i = 0; i < joins; ++i) {
      const std::size_t join = stems.stems[at].joins[i];
      result.joins.push_back(join);
      const std::size_t key = stems.joins[join].key;
      open.emplace_back(key, stems.stems[key].joins.size());
    }
  }
  return result;
}

std::size_t place_of(const Stems& stems, std::size_t join) {
  const std::vector<std::size_t>& joins = stems.stems[stems.joins[join].stem].joins;
  return static_cast<std::size_t>(std::find(joins.begin(), joins.end(), join) - joins.begin());
}

bool has(const std::vector<std::size_t>& all, std::size_t one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// With what goes beyond the height of capitals.
QPolygonF wider(const QPolygonF& outline) {
  const QPointF up = (outline[1] - outline[0]) * 0.35;
  const QPointF along = (outline[0] - outline[3]) * 0.02;
  return {outline[0] - up + along, outline[1] + up + along, outline[2] + up - along, outline[3] - up - along};
}

class Lighting {
 public:
  Lighting(Pen& pen, const TreeDrawing& drawing)
      : pen_(pen), draw_(drawing), layout_(drawing.layout), m_(layout_.measures), u_(m_.unit) {}

  void operator()(const Highlight& highlight) {
    const std::optional<std::size_t> chosen = first(highlight.chosen);
    if (chosen) {
      operand(left_of(layout_.stems, *chosen), QStringLiteral("left: what it had"));
      operand(right_of(layout_.stems, *chosen), QStringLiteral("right: what it takes in"));
    }
    if (highlight.node) {
      node(*highlight.node);
    }
    if (highlight.word) {
      words_.push_back(*highlight.word);
    }
    light_words();
    if (chosen) {
      ring(*chosen, layout_.radius + 3 * u_, 2.5 * u_);
    }
  }

 private:
  std::optional<std::size_t> first(const std::optional<std::int64_t>& node) const {
    for (std::size_t i = 0; node && i < layout_.joins.size(); ++i) {
      if (layout_.stems.joins[i].node == *node) {
        return i;
      }
    }
    return std::nullopt;
  }

  void ring(std::size_t join, double radius, double wide) {
    QPainterPath path;
    path.addEllipse(layout_.joins[join], radius, radius);
    pen_.path(path, draw_.colours.accent, wide);
  }

  void node(std::int64_t lit) {
    std::vector<std::size_t> tops;
    Subgraph all;
    for (std::size_t i = 0; i < layout_.joins.size(); ++i) {
      if (layout_.stems.joins[i].node == lit) {
        tops.push_back(i);
        const Subgraph one = subgraph_of(layout_.stems, i);
        all.joins.insert(all.joins.end(), one.joins.begin(), one.joins.end());
        all.stems.insert(all.stems.end(), one.stems.begin(), one.stems.end());
      }
    }
    if (tops.empty()) {
      return;
    }
    if (m_.screen) {
      QColor fade = background(pen_.theme());
      fade.setAlphaF(kFaded);
      pen_.fill(layout_.area.adjusted(-2, -2, 2, 2), fade);
    } else {
      for (const std::size_t stem : all.stems) {
        words_.push_back(layout_.stems.stems[stem].word);
      }
    }
    subgraph(all);
    for (const std::size_t top : tops) {
      if (m_.screen && layout_.radius < 10 * u_) {
        enlarge(top);
      }
      ring(top, layout_.radius + (m_.screen ? 3 : 2.5) * u_, (m_.screen ? 1.5 : 1.6) * u_);
    }
  }

  void subgraph(const Subgraph& all) {
    const double times = m_.screen ? 1 : 1.75;
    for (std::size_t i = 0; i < layout_.stretches.size(); ++i) {
      if (layout_.makes[i] >= 0 && has(all.joins, static_cast<std::size_t>(layout_.makes[i]))) {
        draw_.stretch(pen_, i, times);
      }
    }
    for (const std::size_t join : all.joins) {
      draw_.key_edge(pen_, join, times);
    }
    for (const std::size_t join : all.joins) {
      draw_.disc(pen_, join);
    }
    for (const StemLabel& label : layout_.labels) {
      const bool of_join =
          label.kind == Kind::owner || label.kind == Kind::weight || label.kind == Kind::detail;
      if (m_.screen &&
          ((of_join && has(all.joins, label.of)) ||
           ((label.kind == Kind::word || label.kind == Kind::number) && has(all.stems, label.of)))) {
        draw_.label(pen_, label);
      }
    }
  }

  // A disc too small for its letters gets them, and its owner and weight, above what is there.
  void enlarge(std::size_t join) {
    const analysis::TreeNode& node = draw_.node(join);
    QString text = layout_.word(node.word);
    if (std::isfinite(node.weight)) {
      text += QStringLiteral("  ") + QString::number(node.weight, 'g', 2);
    }
    const TypeFace face(draw_.style, m_.small, true);
    const double wide = face.width(text) + 12 * u_;
    const double high = 20 * u_;
    const QPointF at = layout_.joins[join];
    QRectF box(at.x() - wide / 2, at.y() - 16 * u_ - high, wide, high);
    box.moveLeft(std::clamp(box.left(), layout_.area.left(),
                            std::max(layout_.area.left(), layout_.area.right() - wide)));
    QPainterPath chip;
    chip.addRoundedRect(box, 4 * u_, 4 * u_);
    pen_.filled_path(chip, background(pen_.theme()));
    pen_.path(chip, draw_.colours.box, u_);
    pen_.text({box.left() + 6 * u_, box.center().y() + face.cap_height() / 2}, text, face, draw_.colours.ink);
    draw_.disc(pen_, join, 11 * u_);
  }

  // Runs of lanes beside each other: an operand need not stand together.
  void operand(const Subgraph& one, const QString& text) {
    if (!m_.screen || draw_.colours.tint <= 0) {
      return;
    }
    std::vector<std::size_t> lanes;
    for (const std::size_t stem : one.stems) {
      lanes.push_back(layout_.stems.stems[stem].lane);
    }
    std::sort(lanes.begin(), lanes.end());
    const double top = one.top == 0
                           ? layout_.words_top - 8 * u_
                           : layout_.row_y[static_cast<std::size_t>(one.top)] - layout_.radius - 22 * u_;
    QColor tint = draw_.colours.accent;
    tint.setAlphaF(draw_.colours.tint);
    bool said = one.top == 0;  // a word has no room above it
    for (std::size_t i = 0; i < lanes.size();) {
      std::size_t last = i;
      while (last + 1 < lanes.size() && lanes[last + 1] == lanes[last] + 1) {
        ++last;
      }
      const double from = layout_.lane_x[lanes[i]] - layout_.lane_width[lanes[i]] / 2 + 3 * u_;
      const double to = layout_.lane_x[lanes[last]] + layout_.lane_width[lanes[last]] / 2 - 3 * u_;
      const QRectF area(from, top, to - from, layout_.words_bottom - top + 2 * u_);
      QPainterPath path;
      path.addRoundedRect(area, 8 * u_, 8 * u_);
      pen_.filled_path(path, tint);
      said = said || say(text, area);
      i = last + 1;
    }
    subgraph(one);  // in its own colours
  }

  // In a corner of the area where it meets nothing.
  bool say(const QString& text, const QRectF& area) {
    const TypeFace face(draw_.style, m_.small);
    const double wide = face.width(text);
    const double y = area.top() + 6 * u_ + face.cap_height();
    for (const double x : {area.left() + 10 * u_, area.right() - 10 * u_ - wide}) {
      const QRectF box(x - 2 * u_, y - face.cap_height() - 2 * u_, wide + 4 * u_,
                       face.cap_height() + face.descent() + 3 * u_);
      if (area.contains(box) && free(box)) {
        pen_.text({x, y}, text, face, draw_.colours.accent);
        return true;
      }
    }
    return false;
  }

  bool free(const QRectF& box) const {
    const auto crosses = [&](QPointF from, QPointF to) {
      return QRectF(from, to).normalized().adjusted(-1, -1, 1, 1).intersects(box);
    };
    for (const StemLabel& label : layout_.labels) {
      if (label.outline.boundingRect().intersects(box)) {
        return false;
      }
    }
    for (const Stretch& stretch : layout_.stretches) {
      if (crosses(stretch.from, stretch.to)) {
        return false;
      }
    }
    for (const KeyEdge& key : layout_.keys) {
      for (qsizetype i = 0; i + 1 < key.line.size(); ++i) {
        if (crosses(key.line[i], key.line[i + 1])) {
          return false;
        }
      }
    }
    const double reach = layout_.radius + 3 * u_;
    return std::none_of(layout_.joins.begin(), layout_.joins.end(), [&](QPointF at) {
      return QRectF(at - QPointF(reach, reach), at + QPointF(reach, reach)).intersects(box);
    });
  }

  bool lit(std::int64_t word) const { return std::find(words_.begin(), words_.end(), word) != words_.end(); }

  // Their places light up, those of gaps too. A word without a label gets one; the labels that it would cut
  // are left out whole.
  void light_words() {
    QColor glow = draw_.colours.accent;
    glow.setAlphaF(m_.screen ? 0.18F : 0.3F);
    for (std::size_t gap = 0; gap < layout_.stems.gaps.size(); ++gap) {
      const WordGap& hidden = layout_.stems.gaps[gap];
      if (std::any_of(words_.begin(), words_.end(),
                      [&](std::int64_t word) { return word >= hidden.first && word <= hidden.last; })) {
        pen_.fill(layout_.gap_area(gap), glow);
      }
    }
    for (std::size_t i = 0; i < layout_.stems.stems.size(); ++i) {
      const Stem& stem = layout_.stems.stems[i];
      if (!lit(stem.word)) {
        continue;
      }
      const auto label =
          std::find_if(layout_.labels.begin(), layout_.labels.end(),
                       [&](const StemLabel& one) { return one.kind == Kind::word && one.of == i; });
      if (label == layout_.labels.end() && stem.number == 1) {
        hidden_word(i);
      }
      if (m_.screen && !layout_.turned && label != layout_.labels.end()) {  // around its box
        QPainterPath box;
        box.addRoundedRect(label->outline.boundingRect().adjusted(-3 * u_, -3 * u_, 3 * u_, 3 * u_), 8 * u_,
                           8 * u_);
        pen_.path(box, draw_.colours.accent, 2 * u_);
        if (stem.number > 1) {
          draw_.label(pen_, *label);  // its number lies over the line
        }
      } else {
        pen_.fill(layout_.word_area(stem), glow);
      }
    }
  }

  // In the place of the labels beside it, unless these are lit themselves.
  void hidden_word(std::size_t stem) {
    const StemLabel label = layout_.word_label(stem);
    std::vector<const StemLabel*> gone;
    for (const StemLabel& other : layout_.labels) {
      if ((other.kind != Kind::word && other.kind != Kind::gap) ||
          std::abs(other.at.x() - label.at.x()) * 0.866 >=
              TypeFace(draw_.style, label.size).cap_height() + 0.6) {
        continue;
      }
      if (other.kind == Kind::word && lit(layout_.stems.stems[other.of].word)) {
        return;
      }
      gone.push_back(&other);
    }
    for (const StemLabel* const other : gone) {
      QPainterPath under;
      under.addPolygon(wider(other->outline));
      pen_.filled_path(under, background(pen_.theme()));
    }
    draw_.label(pen_, label);
  }

  Pen& pen_;
  const TreeDrawing& draw_;
  const StemLayout& layout_;
  const StemMeasures& m_;
  double u_;
  std::vector<std::int64_t> words_;
};

}  // namespace

Subgraph subgraph_of(const Stems& stems, std::size_t join) {
  return collect(stems, stems.joins[join].stem, place_of(stems, join) + 1);
}

Subgraph left_of(const Stems& stems, std::size_t join) {
  return collect(stems, stems.joins[join].stem, place_of(stems, join));
}

Subgraph right_of(const Stems& stems, std::size_t join) {
  const std::size_t key = stems.joins[join].key;
  return collect(stems, key, stems.stems[key].joins.size());
}

void draw_tree_highlight(Pen& pen, const TreeDrawing& drawing, const Highlight& highlight) {
  Lighting lighting(pen, drawing);
  lighting(highlight);
}

}  // namespace mog::figures
