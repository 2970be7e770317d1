// Derivation trees above their words: joins stand at the height of their layer.
//
// A join stands over the middle of its operands as they are drawn, so a tree is placed from its words
// upwards, in the order of its nodes (operands come first). Joins of one layer that would cover each other
// are pushed apart, half the overlap each, until nothing moves or 100 rounds are over: O(rounds · joins),
// enough for the joins of a layer, and stable. Exact layouts of trees (Reingold and Tilford) do not apply,
// since words have fixed places and a word may be in several joins.
//
// Weights are written where they meet nothing, at one of five corners of their join: O(joins²), because each
// is compared with all edges and labels. What finds no place is left out; the read-out has it.
//
// Trap: spreading comes after all joins are placed. A join stands over its operands as they were before it.
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/figure_data/ticks.h"
#include "app/figures/body.h"
#include "app/figures/legend.h"
#include "app/figures/sentence_line.h"

namespace mog::figures {
namespace {

using analysis::TreeFigure;
using analysis::TreeNode;

double node_radius(const Style& style) {
  return 3.6 * unit(style);
}

std::vector<Part> parts_of(const TreeFigure& tree) {
  std::vector<Part> result;
  for (const TreeNode& node : tree.nodes) {
    if (node.left >= 0) {
      result.push_back(node.part);
    }
  }
  return result;
}

QColor carried_colour(const TreeFigure& tree, Theme theme) {
  return tree.carried == Part::none ? palette_colour(PartColour::green, theme)
                                    : part_colour(tree.carried, theme);
}

QString row_name(const TreeFigure& tree, std::int64_t row) {
  return drawable(tree.row) + QLatin1Char(' ') + QString::number(row);
}

// The words that joins reach.
std::vector<std::int64_t> leaves_of(const TreeFigure& tree) {
  std::vector<std::int64_t> words;
  for (const TreeNode& node : tree.nodes) {
    for (const std::int64_t operand : {node.left, node.right}) {
      if (operand >= 0 && static_cast<std::size_t>(operand) < tree.nodes.size() &&
          tree.nodes[static_cast<std::size_t>(operand)].left < 0) {
        words.push_back(tree.nodes[static_cast<std::size_t>(operand)].word);
      }
    }
  }
  return words;
}

bool carries(const TreeFigure& tree) {
  return std::any_of(tree.roots.begin(), tree.roots.end(), [&](std::int64_t root) {
    return root >= 0 && static_cast<std::size_t>(root) < tree.nodes.size() &&
           tree.nodes[static_cast<std::size_t>(root)].layer < tree.layers;
  });
}

std::vector<LegendEntry> legend_of(const TreeFigure& tree, Theme theme) {
  std::vector<LegendEntry> result = part_legend(parts_of(tree), theme);
  for (LegendEntry& entry : result) {
    entry.marker = entry.dash == analysis::Dash::solid ? 0 : 1;
  }
  const bool joins =
      std::any_of(tree.nodes.begin(), tree.nodes.end(), [](const TreeNode& node) { return node.left >= 0; });
  if (carries(tree)) {
    result.push_back({QStringLiteral("carried unchanged"), carried_colour(tree, theme),
                      analysis::Dash::dotted, LegendEntry::Mark::line, -1});
  }
  if (joins) {
    const bool attention = std::any_of(tree.nodes.begin(), tree.nodes.end(),
                                       [](const TreeNode& node) { return node.part != Part::none; });
    result.push_back({attention ? QStringLiteral("arrow: from query to key")
                                : QStringLiteral("arrow: from source to target"),
                      {},
                      analysis::Dash::solid,
                      LegendEntry::Mark::none,
                      -1});
  }
  const bool kinds =
      std::any_of(tree.nodes.begin(), tree.nodes.end(), [](const TreeNode& node) { return node.kind > 1; });
  if (kinds) {
    result.push_back({QStringLiteral("number in a join: 2 overlap, 3 overlap and loop, 4 loop"),
                      {},
                      analysis::Dash::solid,
                      LegendEntry::Mark::none,
                      -1});
  }
  return result;
}

class TreeBody final : public Body {
 public:
  TreeBody(const TreeFigure& tree, const Style& style, const QRectF& area)
      : tree_(tree),
        style_(style),
        area_(area),
        small_(style, smallest_type(style)),
        radius_(node_radius(style)),
        legend_(legend_of(tree, style.theme)),
        left_(area.left() + layer_label_width(tree, style)),
        line_(tree.words, style, left_, area.right(), leaves_of(tree)) {
    const double legend = legend_height({}, legend_, style, area.width());
    legend_top_ = area.bottom() - legend;
    words_top_ = legend_top_ - line_.height() - (legend > 0 ? kGap : 0);
    for (const TreeNode& node : tree.nodes) {
      layers_ = std::max(layers_, node.layer);
    }
    layers_ = std::max(layers_, tree.layers);
    bottom_ = words_top_ - 2;
    top_ = area.top() + radius_ * 2 + 2;
    place_nodes();
  }

  static double layer_label_width(const TreeFigure& tree, const Style& style) {
    const TypeFace face(style, smallest_type(style));
    return tree.layers > 0 ? face.width(row_name(tree, tree.layers)) + 6 : 0;
  }

  void draw(Pen& pen) const override {
    for (std::int64_t layer = 1; layer <= layers_; ++layer) {
      const double y = height_of(layer);
      pen.line({left_ - 2, y}, {area_.right(), y}, faint_ink(pen.theme()), 0.5);
      pen.text({area_.left(), y + small_.cap_height() / 2}, row_name(tree_, layer), small_,
               soft_ink(pen.theme()));
    }
    line_.draw(pen, words_top_);
    draw_carries(pen);
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      draw_edges(pen, i, style_.line_pt * 1.4);
    }
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      draw_node(pen, i);
    }
    draw_weights(pen);
    draw_legend(pen, {}, legend_,
                QRectF(area_.left(), legend_top_, area_.width(), area_.bottom() - legend_top_));
  }

  QStringList notes() const override {
    return line_.note().isEmpty() ? QStringList() : QStringList{line_.note()};
  }

  void draw_highlight(Pen& pen, const Highlight& highlight) const override {
    std::vector<std::int64_t> words;
    if (highlight.word) {
      words.push_back(*highlight.word);
    }
    if (highlight.node && *highlight.node >= 0 &&
        *highlight.node < static_cast<std::int64_t>(tree_.nodes.size())) {
      // The whole subgraph that the node makes.
      std::vector<std::size_t> open = {static_cast<std::size_t>(*highlight.node)};
      while (!open.empty()) {
        const std::size_t i = open.back();
        open.pop_back();
        const TreeNode& node = tree_.nodes[i];
        if (node.left < 0) {
          words.push_back(node.word);
          continue;
        }
        draw_edges(pen, i, style_.line_pt * 2.8);
        draw_node(pen, i);
        open.push_back(static_cast<std::size_t>(node.left));
        open.push_back(static_cast<std::size_t>(node.right));
      }
      QPainterPath ring;
      ring.addEllipse(at_[static_cast<std::size_t>(*highlight.node)], radius_ + 2.5, radius_ + 2.5);
      pen.path(ring, accent(pen.theme()), 1.6);
    }
    line_.light(pen, words_top_, words);
  }

  std::optional<Hit> hit(QPointF point) const override {
    double nearest = radius_ + 4;
    std::optional<Hit> result;
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      if (tree_.nodes[i].left < 0) {
        continue;
      }
      const QPointF away = at_[i] - point;
      const double distance = std::hypot(away.x(), away.y());
      if (distance < nearest) {
        nearest = distance;
        result = node_hit(i);
      }
    }
    if (result) {
      return result;
    }
    const std::int64_t word = line_.word_at(point, words_top_);
    if (word < 0) {
      return std::nullopt;
    }
    Hit hit;
    hit.kind = Hit::Kind::word;
    hit.word = word;
    hit.area = line_.area(word, words_top_);
    hit.readout = drawable(tree_.words[static_cast<std::size_t>(word)].text);
    return hit;
  }

 private:
  double height_of(std::int64_t layer) const {
    return layers_ == 0
               ? bottom_
               : bottom_ - (bottom_ - top_) * static_cast<double>(layer) / static_cast<double>(layers_);
  }

  void place_nodes() {
    std::map<std::int64_t, std::vector<std::size_t>> of_layer;
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      const TreeNode& node = tree_.nodes[i];
      // A join stands over the middle of its operands as they are drawn, not as they are counted.
      const bool operands = node.left >= 0 && static_cast<std::size_t>(node.left) < i &&
                            static_cast<std::size_t>(node.right) < i;
      const double x = operands ? (at_[static_cast<std::size_t>(node.left)].x() +
                                   at_[static_cast<std::size_t>(node.right)].x()) /
                                      2
                                : line_.x(node.x);
      at_.push_back({x, node.left < 0 ? bottom_ : height_of(node.layer)});
      if (node.left >= 0) {
        of_layer[node.layer].push_back(i);
      }
    }
    for (auto& [layer, nodes] : of_layer) {
      spread(nodes);
    }
  }

  // Joins of one layer side by side.
  void spread(std::vector<std::size_t>& nodes) {
    std::stable_sort(nodes.begin(), nodes.end(),
                     [&](std::size_t a, std::size_t b) { return at_[a].x() < at_[b].x(); });
    const double room = area_.right() - left_ - 2 * radius_;
    const double apart =
        std::min(3 * radius_, room / static_cast<double>(std::max<std::size_t>(nodes.size(), 2) - 1));
    for (int round = 0; round < 100; ++round) {
      bool moved = false;
      for (std::size_t i = 1; i < nodes.size(); ++i) {
        const double overlap = apart - (at_[nodes[i]].x() - at_[nodes[i - 1]].x());
        if (overlap > 0.01) {
          at_[nodes[i - 1]].rx() -= overlap / 2;
          at_[nodes[i]].rx() += overlap / 2;
          moved = true;
        }
      }
      if (!moved) {
        break;
      }
    }
    for (const std::size_t node : nodes) {
      at_[node].setX(std::clamp(at_[node].x(), left_ + radius_, area_.right() - radius_));
    }
  }

  // From the layer that made a root to the last one.
  void draw_carries(Pen& pen) const {
    for (const std::int64_t root : tree_.roots) {
      if (root < 0 || static_cast<std::size_t>(root) >= tree_.nodes.size()) {
        continue;
      }
      const auto i = static_cast<std::size_t>(root);
      if (tree_.nodes[i].layer < tree_.layers) {
        const QPointF top(at_[i].x(), height_of(tree_.layers));
        const QColor colour = carried_colour(tree_, pen.theme());
        pen.line(at_[i], top, colour, style_.line_pt * 1.4, Qt::DotLine);
        pen.disc(top, radius_ * 0.6, colour);
      }
    }
  }

  // From a join to its operands: the query's side plain, the key's with an arrowhead.
  void draw_edges(Pen& pen, std::size_t i, double width) const {
    const TreeNode& node = tree_.nodes[i];
    if (node.left < 0) {
      return;
    }
    const QColor colour = part_colour(node.part, pen.theme());
    const Qt::PenStyle dash = pen_style(analysis::dash_of_part(node.part));
    const auto left = static_cast<std::size_t>(node.left);
    const auto right = static_cast<std::size_t>(node.right);
    QPointF from = at_[left];
    QPointF to = at_[right];
    if (left == right || (from - to).manhattanLength() < 0.5) {  // both operands are the same word
      from.rx() -= 2.5;
      to.rx() += 2.5;
    }
    pen.line(at_[i], from, colour, width, dash);
    const QPointF direction = to - at_[i];
    const double length = std::hypot(direction.x(), direction.y());
    const double back = tree_.nodes[right].left < 0 ? 0.0 : radius_;
    const QPointF tip = length > 0 ? to - direction / length * back : to;
    const double head = std::min(5.0 * unit(style_) + width, length / 2);
    pen.line(at_[i], length > 0 ? tip - direction / length * head * 0.8 : tip, colour, width, dash);
    pen.arrowhead(tip, direction, head, colour);
  }

  void draw_node(Pen& pen, std::size_t i) const {
    const TreeNode& node = tree_.nodes[i];
    if (node.left < 0) {
      return;
    }
    const bool root =
        std::find(tree_.roots.begin(), tree_.roots.end(), static_cast<std::int64_t>(i)) != tree_.roots.end();
    pen.disc(at_[i], radius_ + 0.8, background(pen.theme()));
    const QColor colour = part_colour(node.part, pen.theme());
    draw_marker(pen, at_[i], analysis::dash_of_part(node.part) == analysis::Dash::solid ? 0 : 1, 2 * radius_,
                colour);
    if (root) {
      QPainterPath ring;
      ring.addEllipse(at_[i], radius_ + 1.6, radius_ + 1.6);
      pen.path(ring, ink(pen.theme()), 0.8);
    }
    if (node.kind > 1) {
      const TypeFace face(style_, smallest_type(style_), true);
      pen.text(at_[i] + QPointF(0, face.cap_height() / 2), QString::number(node.kind), face, text_on(colour),
               Across::centre);
    }
  }

  bool meets_edge(const QRectF& box) const {
    for (std::size_t i = 0; i < at_.size(); ++i) {
      if (tree_.nodes[i].left < 0) {
        continue;
      }
      for (const std::int64_t operand : {tree_.nodes[i].left, tree_.nodes[i].right}) {
        if (!clipped_line({at_[i], at_[static_cast<std::size_t>(operand)]}, box).empty()) {
          return true;
        }
      }
    }
    return false;
  }

  // The weights of the joins, where they meet nothing; the read-out has them all.
  void draw_weights(Pen& pen) const {
    std::vector<QRectF> taken;
    for (std::size_t i = 0; i < at_.size(); ++i) {
      if (tree_.nodes[i].left >= 0) {
        taken.emplace_back(at_[i] - QPointF(radius_ + 1, radius_ + 1),
                           QSizeF(2 * radius_ + 2, 2 * radius_ + 2));
      }
    }
    const double high = small_.cap_height() + 2;
    for (std::size_t i = 0; i < at_.size(); ++i) {
      const TreeNode& node = tree_.nodes[i];
      if (node.left < 0 || !std::isfinite(node.weight)) {
        continue;
      }
      const QString text = weight_text(node.weight);
      const double wide = small_.width(text) + 1;
      const double right = at_[i].x() + radius_ + 2.5;
      const double left = at_[i].x() - radius_ - 2.5 - wide;
      for (const QPointF corner :
           {QPointF(right, at_[i].y() - high - 1), QPointF(left, at_[i].y() - high - 1),
            QPointF(at_[i].x() - wide / 2, at_[i].y() - radius_ - 2.5 - high), QPointF(right, at_[i].y() + 1),
            QPointF(left, at_[i].y() + 1)}) {
        const QRectF box(corner, QSizeF(wide, high));
        const bool inside = box.left() >= left_ && box.right() <= area_.right() && box.top() >= area_.top();
        const bool free = std::none_of(taken.begin(), taken.end(),
                                       [&](const QRectF& other) { return other.intersects(box); });
        if (inside && free && !meets_edge(box)) {
          pen.text({box.left() + 0.5, box.bottom() - 1}, text, small_, soft_ink(pen.theme()));
          taken.push_back(box);
          break;
        }
      }
    }
  }

  static QString weight_text(double weight) {
    return weight >= 0.0995 ? QString::number(weight, 'f', 2) : QString::number(weight, 'g', 1);
  }

  Hit node_hit(std::size_t i) const {
    const TreeNode& node = tree_.nodes[i];
    Hit hit;
    hit.kind = Hit::Kind::node;
    hit.node = static_cast<std::int64_t>(i);
    hit.word = node.word;
    const double reach = radius_ + 3;
    hit.area = QRectF(at_[i] - QPointF(reach, reach), QSizeF(2 * reach, 2 * reach));
    const std::string_view part = mog::name(node.part);
    hit.readout = row_name(tree_, node.layer);
    if (node.part != Part::none) {
      hit.readout +=
          QStringLiteral(", ") + QString::fromUtf8(part.data(), static_cast<qsizetype>(part.size()));
    }
    if (std::isfinite(node.weight)) {
      hit.readout += QStringLiteral(", weight ") + drawable(analysis::readable(node.weight));
    }
    hit.readout += QStringLiteral(", order %1, kind %2").arg(node.order).arg(node.kind);
    if (!node.tuple.empty()) {
      hit.readout += QStringLiteral(": ") + drawable(node.tuple);
    }
    return hit;
  }

  const TreeFigure& tree_;
  const Style& style_;
  QRectF area_;
  TypeFace small_;
  double radius_;
  std::vector<LegendEntry> legend_;
  double left_;
  SentenceLine line_;
  std::int64_t layers_ = 0;
  double top_ = 0;
  double bottom_ = 0;
  double words_top_ = 0;
  double legend_top_ = 0;
  std::vector<QPointF> at_;
};

}  // namespace

std::unique_ptr<Body> lay_out(const TreeFigure& tree, const Style& style, const QRectF& area) {
  return std::make_unique<TreeBody>(tree, style, area);
}

double wanted_height(const TreeFigure& tree, const Style& style, double width) {
  std::int64_t layers = std::max<std::int64_t>(tree.layers, 1);
  for (const TreeNode& node : tree.nodes) {
    layers = std::max(layers, node.layer);
  }
  const double left = TreeBody::layer_label_width(tree, style);
  const SentenceLine line(tree.words, style, left, width, leaves_of(tree));
  const double layer_height = (layers > 8 ? 18 : 24) * unit(style);
  return static_cast<double>(layers) * layer_height + line.height() +
         legend_height({}, legend_of(tree, style.theme), style, width) + 4 * kGap;
}

}  // namespace mog::figures
