// Derivation trees as words by layers: who joins whom, where, and what is carried on (decision 34).
//
// Where things stand is decided in stem_layout.cpp, what is said beside them in stem_labels.cpp; here it is
// painted: rows, edges, discs, labels, and over them what is lit. A lit subgraph is painted again, thicker:
// no label stands on an edge, so none is covered.
//
// Trap: a node may occur several times. What is lit is every occurrence.
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "analysis/figure_data/ticks.h"
#include "app/figures/body.h"
#include "app/figures/stem_layout.h"
#include "app/figures/tree_key.h"

namespace mog::figures {
namespace {

using analysis::TreeFigure;
using analysis::TreeNode;
using Kind = StemLabel::Kind;

constexpr double kTurn = 60;  // of words that do not fit level
constexpr double kRule = 6;   // between words and key, in units

class TreeBody final : public Body {
 public:
  TreeBody(const TreeFigure& tree, const Style& style, const QRectF& area)
      : tree_(tree),
        style_(style),
        area_(area),
        small_(style, smallest_type(style)),
        layout_(tree, style, picture_area(tree, style, area)),
        key_(tree_key(tree, layout_.stems)),
        notes_(small_.wrapped(note(), area.width())) {
    place_labels(layout_, tree, style);
  }

  // Without the key and the notes.
  static QRectF picture_area(const TreeFigure& tree, const Style& style, const QRectF& area) {
    const Stems stems = stems_of(tree);
    const double key = tree_key_height(tree_key(tree, stems), style, area.width());
    const TypeFace face(style, smallest_type(style));
    const StemLayout layout(tree, style, area);
    const auto lines = face.wrapped(note_of(layout), area.width()).size();
    const double below =
        key + (key > 0 ? kRule * unit(style) : 0) + static_cast<double>(lines) * face.height();
    return area.adjusted(0, 0, 0, -std::min(below, area.height()));
  }

  void draw(Pen& pen) const override {
    if (layout_.stems.stems.empty()) {
      return;
    }
    draw_rows(pen);
    draw_stretches(pen, 1.4);
    for (std::size_t i = 0; i < layout_.keys.size(); ++i) {
      draw_key_edge(pen, layout_.keys[i], 1.2);
    }
    for (std::size_t i = 0; i < layout_.joins.size(); ++i) {
      draw_disc(pen, i);
    }
    for (const StemLabel& label : layout_.labels) {
      draw_label(pen, label);
    }
    draw_below(pen);
  }

  QStringList notes() const override { return note().isEmpty() ? QStringList() : QStringList{note()}; }

  void draw_highlight(Pen& pen, const Highlight& highlight) const override {
    std::vector<std::int64_t> words;
    if (highlight.word) {
      words.push_back(*highlight.word);
    }
    if (highlight.node) {
      for (std::size_t i = 0; i < layout_.joins.size(); ++i) {
        if (layout_.stems.joins[i].node == *highlight.node) {
          light_subgraph(pen, i, words);
        }
      }
    }
    light_words(pen, words);
  }

  std::optional<Hit> hit(QPointF point) const override {
    double nearest = layout_.radius + 4;
    std::optional<Hit> result;
    for (std::size_t i = 0; i < layout_.joins.size(); ++i) {
      const QPointF away = layout_.joins[i] - point;
      const double distance = std::hypot(away.x(), away.y());
      if (distance < nearest) {
        nearest = distance;
        result = node_hit(i);
      }
    }
    if (result || point.y() < layout_.words_top || point.y() > layout_.area.bottom() + 1) {
      return result;
    }
    for (const Stem& stem : layout_.stems.stems) {
      if (layout_.word_area(stem).contains(point)) {
        Hit hit;
        hit.kind = Hit::Kind::word;
        hit.word = stem.word;
        hit.area = layout_.word_area(stem);
        hit.readout = layout_.word(stem);
        return hit;
      }
    }
    for (std::size_t gap = 0; gap < layout_.stems.gaps.size(); ++gap) {
      if (layout_.gap_area(gap).contains(point)) {
        Hit hit;
        hit.kind = Hit::Kind::word;  // of none: what it says is which words are left out
        hit.area = layout_.gap_area(gap);
        hit.readout = words_of(layout_.stems.gaps[gap]);
        return hit;
      }
    }
    return std::nullopt;
  }

 private:
  static QString note_of(const StemLayout& layout) {
    QStringList all;
    if (layout.unlabelled > 0) {
      std::int64_t words = 0;
      for (const Stem& stem : layout.stems.stems) {
        words += stem.number == 1 ? 1 : 0;
      }
      all << QStringLiteral("%1 of %2 are not labelled: there is no room at this width")
                 .arg(layout.unlabelled)
                 .arg(words);
    }
    if (layout.stems.cut > 0) {
      all << QStringLiteral("%1 subgraphs that occur again are drawn as their word alone")
                 .arg(layout.stems.cut);
    }
    return all.join(QStringLiteral("; "));
  }
  QString note() const { return note_of(layout_); }

  QString words_of(const WordGap& gap) const {
    QStringList words;
    for (std::int64_t word = gap.first; word <= gap.last; ++word) {
      words << drawable(tree_.words[static_cast<std::size_t>(word)].text);
    }
    return words.join(QLatin1Char(' '));
  }

  double line(double times) const { return style_.line_pt * times; }

  void draw_rows(Pen& pen) const {
    const double letters = small_.cap_height() / 2;
    double named = 1e9;  // the last row with a name
    for (std::int64_t row = 1; row <= layout_.stems.rows; ++row) {
      const double y = layout_.row_y[static_cast<std::size_t>(row)];
      pen.line({layout_.left - 2, y}, {area_.right(), y}, faint_ink(pen.theme()), 0.5);
      if (named - y > 3 * letters) {
        pen.text({area_.left(), y + letters}, row_name(tree_, row), small_, soft_ink(pen.theme()));
        named = y;
      }
    }
  }

  void draw_stretch(Pen& pen, const Stretch& stretch, double times) const {
    if (stretch.carried) {
      pen.line(stretch.from, stretch.to, carried_colour(tree_, pen.theme()), line(times * 1.2), Qt::DotLine);
    } else {
      pen.line(stretch.from, stretch.to, ink(pen.theme()), line(times));
    }
  }

  void draw_stretches(Pen& pen, double times) const {
    for (const Stretch& stretch : layout_.stretches) {
      draw_stretch(pen, stretch, times);
    }
  }

  void draw_key_edge(Pen& pen, const KeyEdge& edge, double times) const {
    const double head = 5 * unit(style_) * (times > 2 ? 1.2 : 1);
    const QPointF tip = edge.line.back();
    const double turn = edge.line[edge.line.size() - 2].y();
    const double stop = std::max(turn + edge.corner, std::min(edge.carried_at, tip.y() - head * 0.8));
    QPolygonF line_to = edge.line;
    line_to.back().setY(std::max(turn, std::min(stop, tip.y())));
    QPainterPath path(line_to.front());
    for (qsizetype i = 1; i + 1 < line_to.size(); ++i) {
      const QPointF in = line_to[i] - line_to[i - 1];
      const QPointF out = line_to[i + 1] - line_to[i];
      const double before = std::hypot(in.x(), in.y());
      const double after = std::hypot(out.x(), out.y());
      const double round = std::min({edge.corner, before / 2, after});
      if (before <= 0 || after <= 0) {
        path.lineTo(line_to[i]);
        continue;
      }
      path.lineTo(line_to[i] - in / before * round);
      path.quadTo(line_to[i], line_to[i] + out / after * round);
    }
    path.lineTo(line_to.back());
    pen.path(path, ink(pen.theme()), line(times));
    if (edge.carried_at < tip.y() - head) {
      pen.line(line_to.back(), tip - QPointF(0, head), carried_colour(tree_, pen.theme()), line(times * 1.2),
               Qt::DotLine);
    }
    pen.arrowhead(tip, {0, 1}, std::min(head, std::abs(tip.y() - turn)), ink(pen.theme()));
  }

  void draw_disc(Pen& pen, std::size_t join) const {
    pen.disc(layout_.joins[join], layout_.radius + 0.8 * unit(style_), background(pen.theme()));
    draw_join(pen, layout_.joins[join], layout_.radius, node(join).part);
  }

  bool is_root(const Stem& stem) const { return !stem.consumer && !tree_.roots.empty(); }

  void draw_word(Pen& pen, const StemLabel& label) const {
    const Stem& stem = layout_.stems.stems[label.of];
    const bool again = stem.number > 1;
    const bool special = stem.word >= 0 && stem.word < static_cast<std::int64_t>(tree_.words.size()) &&
                         tree_.words[static_cast<std::size_t>(stem.word)].special;
    const TypeFace face(style_, label.size, false, again);
    const QColor colour = again || special ? soft_ink(pen.theme()) : ink(pen.theme());
    if (layout_.turned) {
      pen.turned_text(label.at, label.text, face, colour, Across::right, kTurn);
      return;
    }
    if (style_.paper == Paper::screen) {
      QPainterPath box;
      box.addRoundedRect(label.outline.boundingRect().adjusted(-4, -2, 4, 2), 4, 4);
      pen.filled_path(box, background(pen.theme()));
      pen.path(box,
               is_root(stem) ? ink(pen.theme())
               : again       ? soft_ink(pen.theme())
                             : faint_ink(pen.theme()),
               1, again ? Qt::DashLine : Qt::SolidLine);
    }
    pen.text(label.at, label.text, face, colour);
    if (again) {
      pen.text(label.at + QPointF(face.width(label.text) + 1.2, -label.size * 0.3),
               QString::number(stem.number), TypeFace(style_, smallest_type(style_) * 0.9), colour);
    }
  }

  void draw_label(Pen& pen, const StemLabel& label) const {
    switch (label.kind) {
      case Kind::word:
        draw_word(pen, label);
        return;
      case Kind::gap:
        if (layout_.turned) {
          pen.turned_text(label.at, label.text, small_, soft_ink(pen.theme()), Across::right, kTurn);
        } else {
          pen.text(label.at, label.text, small_, soft_ink(pen.theme()));
        }
        return;
      case Kind::owner:
        pen.text(label.at, label.text, TypeFace(style_, label.size, true), ink(pen.theme()));
        return;
      case Kind::weight:
        pen.text(label.at, label.text, small_, ink(pen.theme()));
        return;
      case Kind::detail:
      case Kind::carried:
        pen.text(label.at, label.text, small_, soft_ink(pen.theme()));
        return;
    }
  }

  void draw_below(Pen& pen) const {
    double top = layout_.area.bottom();
    for (const QString& line : notes_) {
      pen.text({area_.left(), top + small_.ascent()}, line, small_, soft_ink(pen.theme()));
      top += small_.height();
    }
    if (!key_.empty() && top < area_.bottom()) {
      const double rule = top + kRule * unit(style_) / 2;
      pen.line({area_.left(), rule}, {area_.right(), rule}, faint_ink(pen.theme()), 0.5);
      top += kRule * unit(style_);
      draw_tree_key(pen, key_, QRectF(area_.left(), top, area_.width(), area_.bottom() - top),
                    carried_colour(tree_, pen.theme()));
    }
  }

  // A join and all that it is made of; `words` gets its leaves.
  void light_subgraph(Pen& pen, std::size_t top, std::vector<std::int64_t>& words) const {
    std::vector<std::size_t> open{top};
    std::vector<std::size_t> lit;
    while (!open.empty()) {
      const StemJoin& join = layout_.stems.joins[open.back()];
      const std::size_t last = open.back();
      open.pop_back();
      const Stem& stem = layout_.stems.stems[join.stem];
      words.push_back(stem.word);
      // The stem from its leaf up to this join, and what each join on it takes in.
      for (const std::size_t below : stem.joins) {
        lit.push_back(below);
        const Stem& key = layout_.stems.stems[layout_.stems.joins[below].key];
        if (key.joins.empty()) {
          words.push_back(key.word);
        } else {
          open.push_back(key.joins.back());
        }
        if (below == last) {
          break;
        }
      }
    }
    for (std::size_t i = 0; i < layout_.stretches.size(); ++i) {
      if (layout_.makes[i] >= 0 &&
          std::find(lit.begin(), lit.end(), static_cast<std::size_t>(layout_.makes[i])) != lit.end()) {
        draw_stretch(pen, layout_.stretches[i], 2.4);
      }
    }
    for (const std::size_t join : lit) {
      draw_key_edge(pen, layout_.keys[join], 2.2);
    }
    for (const std::size_t join : lit) {
      draw_disc(pen, join);
    }
    QPainterPath ring;
    ring.addEllipse(layout_.joins[top], layout_.radius + 2.5, layout_.radius + 2.5);
    pen.path(ring, accent(pen.theme()), 1.6);
  }

  // Their places light up, those of gaps too. A word without a label gets one; the labels that it would cut
  // are left out whole.
  void light_words(Pen& pen, const std::vector<std::int64_t>& words) const {
    QColor glow = accent(pen.theme());
    glow.setAlphaF(0.3F);
    const auto lit = [&](std::int64_t word) {
      return std::find(words.begin(), words.end(), word) != words.end();
    };
    for (std::size_t gap = 0; gap < layout_.stems.gaps.size(); ++gap) {
      const WordGap& hidden = layout_.stems.gaps[gap];
      if (std::any_of(words.begin(), words.end(),
                      [&](std::int64_t word) { return word >= hidden.first && word <= hidden.last; })) {
        pen.fill(layout_.gap_area(gap), glow);
      }
    }
    for (std::size_t i = 0; i < layout_.stems.stems.size(); ++i) {
      const Stem& stem = layout_.stems.stems[i];
      if (!lit(stem.word)) {
        continue;
      }
      const bool labelled =
          std::any_of(layout_.labels.begin(), layout_.labels.end(),
                      [&](const StemLabel& one) { return one.kind == Kind::word && one.of == i; });
      if (!labelled && stem.number == 1) {
        light_hidden(pen, i, words);
      }
      pen.fill(layout_.word_area(stem), glow);
    }
  }

  // In the place of the labels beside it, unless these are lit themselves.
  void light_hidden(Pen& pen, std::size_t stem, const std::vector<std::int64_t>& words) const {
    const StemLabel label = layout_.word_label(stem);
    std::vector<const StemLabel*> gone;
    for (const StemLabel& other : layout_.labels) {
      if ((other.kind != Kind::word && other.kind != Kind::gap) ||
          std::abs(other.at.x() - label.at.x()) * 0.866 >= TypeFace(style_, label.size).cap_height() + 0.6) {
        continue;
      }
      if (other.kind == Kind::word &&
          std::find(words.begin(), words.end(), layout_.stems.stems[other.of].word) != words.end()) {
        return;
      }
      gone.push_back(&other);
    }
    for (const StemLabel* const other : gone) {
      QPainterPath under;
      under.addPolygon(wider(other->outline));
      pen.filled_path(under, background(pen.theme()));
    }
    draw_word(pen, label);
  }

  // With what goes beyond the height of capitals.
  static QPolygonF wider(const QPolygonF& outline) {
    const QPointF up = (outline[1] - outline[0]) * 0.35;
    const QPointF along = (outline[0] - outline[3]) * 0.02;
    return {outline[0] - up + along, outline[1] + up + along, outline[2] + up - along,
            outline[3] - up - along};
  }

  const TreeNode& node(std::size_t join) const {
    return tree_.nodes[static_cast<std::size_t>(layout_.stems.joins[join].node)];
  }

  Hit node_hit(std::size_t join) const {
    const TreeNode& found = node(join);
    Hit hit;
    hit.kind = Hit::Kind::node;
    hit.node = layout_.stems.joins[join].node;
    hit.word = found.word;
    const double reach = layout_.radius + 3;
    hit.area = QRectF(layout_.joins[join] - QPointF(reach, reach), QSizeF(2 * reach, 2 * reach));
    const std::string_view part = mog::name(found.part);
    hit.readout = row_name(tree_, found.layer);
    if (found.part != Part::none) {
      hit.readout +=
          QStringLiteral(", ") + QString::fromUtf8(part.data(), static_cast<qsizetype>(part.size()));
    }
    if (std::isfinite(found.weight)) {
      hit.readout += QStringLiteral(", weight ") + drawable(analysis::readable(found.weight));
    }
    hit.readout += QStringLiteral(", order %1, kind %2").arg(found.order).arg(found.kind);
    if (!found.tuple.empty()) {
      hit.readout += QStringLiteral(": ") + drawable(found.tuple);
    }
    return hit;
  }

  const TreeFigure& tree_;
  const Style& style_;
  QRectF area_;
  TypeFace small_;
  StemLayout layout_;
  std::vector<TreeKeyEntry> key_;
  QStringList notes_;
};

}  // namespace

std::unique_ptr<Body> lay_out(const TreeFigure& tree, const Style& style, const QRectF& area) {
  return std::make_unique<TreeBody>(tree, style, area);
}

static double height_with(const TreeFigure& tree, const Style& style, double width, double share) {
  const QRectF whole(0, 0, width, 10000);
  return StemLayout::wanted_height(tree, style, width, share) + whole.height() -
         TreeBody::picture_area(tree, style, whole).height();
}

double wanted_height(const TreeFigure& tree, const Style& style, double width) {
  return height_with(tree, style, width, 1);
}

double least_body_height(const TreeFigure& tree, const Style& style, double width) {
  constexpr double kLeastRows = 0.5;
  return height_with(tree, style, width, kLeastRows);
}

}  // namespace mog::figures
