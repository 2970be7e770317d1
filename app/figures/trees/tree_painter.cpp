// Derivation trees as words by layers: who joins whom, where, and what is carried on (decision 34).
//
// Where things stand is decided in stem_layout.cpp and stem_words.cpp, what is said beside them in
// stem_labels.cpp, how a piece looks in tree_drawing.cpp, what is lit in tree_highlight.cpp; here is the
// whole, with its key and its notes below, and what a point means.
#include <algorithm>
#include <cmath>

#include "analysis/figure_data/ticks.h"
#include "app/figures/body.h"
#include "app/figures/trees/tree_drawing.h"
#include "app/figures/trees/tree_highlight.h"
#include "app/figures/trees/tree_key.h"
#include "app/figures/trees/tree_leaders.h"
#include "app/figures/trees/tree_marks.h"

namespace mog::figures {
namespace {

using analysis::TreeFigure;
using analysis::TreeNode;

constexpr double kRule = 6;  // between words and key, in units
// Of the height of rows: what is still read where a view has little room.
constexpr double kLeastRows = 0.5;
constexpr double kLeastRowsOnScreen = 0.75;

double height_with(const TreeFigure& tree, const Style& style, double width, double share, bool with_key);

// A view that is too low for both shows the picture without its key.
bool has_room_for_key(const TreeFigure& tree, const Style& style, const QRectF& area) {
  return style.paper != Paper::screen ||
         area.height() >= height_with(tree, style, area.width(), kLeastRowsOnScreen, true);
}

// On a screen what is drawn stands off the edges of the view.
QRectF inside(const Style& style, const QRectF& area) {
  if (style.paper != Paper::screen) {
    return area;
  }
  const double u = measures_of(style).unit;
  const double side = std::min(18 * u, area.width() / 30);
  const double above = std::min(8 * u, area.height() / 30);
  return area.adjusted(side, above, -side, -above);
}

class TreeBody final : public Body {
 public:
  TreeBody(const TreeFigure& tree, const Style& style, const QRectF& area, bool with_key)
      : tree_(tree),
        style_(style),
        area_(inside(style, area)),
        small_(style, measures_of(style).small),
        with_key_(with_key && has_room_for_key(tree, style, area)),
        layout_(tree, style, picture_area(tree, style, area, with_key_)),
        drawing_(tree, style, layout_),
        key_(with_key_ ? tree_key(tree, layout_.stems, style) : std::vector<TreeKeyEntry>()),
        notes_(small_.wrapped(note(), area_.width())) {
    place_labels(layout_, tree, style);
  }

  // Without the key and the notes.
  static QRectF picture_area(const TreeFigure& tree, const Style& style, const QRectF& whole, bool with_key) {
    const QRectF area = inside(style, whole);
    const Stems stems = stems_of(tree);
    const double key = with_key ? tree_key_height(tree_key(tree, stems, style), style, area.width()) : 0;
    const TypeFace face(style, measures_of(style).small);
    const StemLayout layout(tree, style, area);
    const auto lines = face.wrapped(note_of(layout), area.width()).size();
    const double below = key + (key > 0 ? rule(style) : 0) + static_cast<double>(lines) * face.height();
    return area.adjusted(0, 0, 0, -std::min(below, area.height()));
  }

  void draw(Pen& pen) const override {
    if (layout_.stems.stems.empty()) {
      return;
    }
    drawing_.rows(pen);
    drawing_.flow(pen);
    for (std::size_t i = 0; i < layout_.stretches.size(); ++i) {
      drawing_.stretch(pen, i);
    }
    for (std::size_t i = 0; i < layout_.keys.size(); ++i) {
      drawing_.key_edge(pen, i);
    }
    for (std::size_t i = 0; i < layout_.joins.size(); ++i) {
      drawing_.disc(pen, i);
    }
    for (const StemLabel& label : layout_.labels) {
      drawing_.label(pen, label);
    }
    if (layout_.measures.screen) {
      drawing_.row_names(pen);
    }
    draw_below(pen);
    drawing_.lifted_words(pen);
  }

  double foot(const QRectF& seen) const override {
    return layout_.measures.screen ? seen.bottom() - drawing_.words_top(seen) : 0;
  }

  void draw_leaders(Pen& pen, const std::vector<Leader>& leaders) const override {
    draw_tree_leaders(pen, drawing_, leaders);
  }

  void draw_marks(Pen& pen, const std::vector<NoteMark>& marks) const override {
    for (const NoteMark& mark : marks) {
      draw_tree_mark(pen, drawing_, mark);
    }
  }

  // The join that owns the graph, below what is said above it where that has room, and the columns of the
  // graph, or of its owner.
  QPointF opening(QSizeF view) const override {
    const double u = layout_.measures.unit;
    QPointF corner(0, 0);
    if (layout_.joins.empty()) {
      return corner;
    }
    const auto owner = static_cast<std::size_t>(
        std::max_element(layout_.stems.joins.begin(), layout_.stems.joins.end(),
                         [](const StemJoin& a, const StemJoin& b) { return a.layer < b.layer; }) -
        layout_.stems.joins.begin());
    const QPointF join = layout_.joins[owner];
    const double row =
        layout_.row_y[static_cast<std::size_t>(layout_.stems.joins[owner].layer - 1)] - join.y();
    const double above = layout_.goal_bottom - 34 * u;
    const double words = layout_.words_bottom - layout_.words_top + 12 * u;
    const bool whole = join.y() + row - above <= view.height() - words;
    corner.setY(whole ? above : join.y() - layout_.radius - 20 * u);
    const auto [first, last] = std::minmax_element(layout_.lane_x.begin(), layout_.lane_x.end());
    const double names = layout_.left - layout_.area.left();
    const bool all = *last - *first < view.width() - names - 80 * u;
    corner.setX((all ? (*first + *last) / 2 : join.x()) - (view.width() + names) / 2);
    return corner;
  }

  QStringList notes() const override { return note().isEmpty() ? QStringList() : QStringList{note()}; }

  void draw_highlight(Pen& pen, const Highlight& highlight) const override {
    draw_tree_highlight(pen, drawing_, highlight);
    drawing_.lifted_words(pen, highlight.word);
  }

  std::optional<Hit> hit_seen(QPointF point, const QRectF& seen) const override {
    const double lift = drawing_.words_lifted(seen);
    if (lift <= 0 || point.y() < drawing_.words_top(seen)) {
      return hit(point);
    }
    auto found = hit_word(point + QPointF(0, lift));
    if (found) {
      found->area.translate(0, -lift);
    }
    return found;
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
    return result ? result : hit_word(point);
  }

 private:
  std::optional<Hit> hit_word(QPointF point) const {
    if (point.y() < layout_.words_top || point.y() > layout_.words_bottom + 1) {
      return std::nullopt;
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
        const WordGap& hidden = layout_.stems.gaps[gap];
        hit.kind = Hit::Kind::word;
        hit.word = tree_.all_words ? hidden.first : -1;  // of several none: what is read out names them
        hit.area = layout_.gap_area(gap);
        hit.readout = words_of(hidden);
        return hit;
      }
    }
    return std::nullopt;
  }

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

  // Between words and key.
  static double rule(const Style& style) {
    return kRule * unit(style) * (style.paper == Paper::screen ? 2 : 1);
  }

  // At the left of what is seen.
  void draw_below(Pen& pen) const {
    double top = layout_.area.bottom();
    const double left =
        layout_.measures.screen ? std::max(area_.left(), pen.visible().left() + 8) : area_.left();
    for (const QString& line : notes_) {
      pen.text({left, top + small_.ascent()}, line, small_, soft_ink(pen.theme()));
      top += small_.height();
    }
    if (!key_.empty() && top < area_.bottom()) {
      const double line = top + rule(style_) / 2;
      if (!layout_.measures.screen) {
        pen.line({area_.left(), line}, {area_.right(), line}, faint_ink(pen.theme()), 0.5);
      }
      top += rule(style_);
      draw_tree_key(pen, key_, QRectF(left, top, area_.width(), area_.bottom() - top),
                    carried_colour(tree_, pen.theme()));
    }
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
  bool with_key_;
  StemLayout layout_;
  TreeDrawing drawing_;
  std::vector<TreeKeyEntry> key_;
  QStringList notes_;
};

}  // namespace

std::unique_ptr<Body> lay_out(const TreeFigure& tree, const Style& style, const QRectF& area, bool with_key) {
  return std::make_unique<TreeBody>(tree, style, area, with_key);
}

namespace {
double height_with(const TreeFigure& tree, const Style& style, double width, double share, bool with_key) {
  const QRectF whole(0, 0, width, 10000);
  const QRectF picture = TreeBody::picture_area(tree, style, whole, with_key);
  return StemLayout::wanted_height(tree, style, picture.width(), share) + whole.height() - picture.height();
}
}  // namespace

double wanted_height(const TreeFigure& tree, const Style& style, double width, bool with_key) {
  return height_with(tree, style, width, 1, with_key);
}

double least_body_height(const TreeFigure& tree, const Style& style, double width, bool with_key) {
  const bool screen = style.paper == Paper::screen;
  return height_with(tree, style, width, screen ? kLeastRowsOnScreen : kLeastRows, with_key && !screen);
}

double least_body_width(const TreeFigure& tree, const Style& style) {
  const double least = StemLayout::least_width(tree, style);
  const QRectF whole(0, 0, least, 1000);
  return least <= 0 ? 0 : least + whole.width() - inside(style, whole).width() + 4;
}

}  // namespace mog::figures
