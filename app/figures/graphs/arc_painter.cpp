// Arcs over the words of a sentence.
//
// The feet of the arcs at one word are ordered so that arcs which nest do not cross: from left to right,
// arcs to the left from the shortest to the longest, then arcs to the right from the longest to the
// shortest. Arcs with the same two ends differ in height by the gap of parallel edges.
#include <QPainterPath>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "analysis/figure_data/ticks.h"
#include "app/figures/body.h"
#include "app/figures/graphs/arc_labels.h"
#include "app/figures/graphs/arc_legend.h"
#include "app/figures/graphs/arc_shape.h"
#include "app/figures/graphs/gold_arcs.h"
#include "app/figures/graphs/sentence_line.h"

namespace mog::figures {
namespace {

using analysis::Arc;
using analysis::ArcFigure;

constexpr double kParallelGap = 3;

bool valid(const ArcFigure& figure, const Arc& arc) {
  const auto size = static_cast<std::int64_t>(figure.words.size());
  return arc.source >= -1 && arc.source < size && arc.target >= 0 && arc.target < size;
}

// A dependency tree, or what a parser has of one so far. Its words have room for labels between them, and
// stand at the same place whichever arcs there are, so that steps can be compared.
bool is_tree(const ArcFigure& figure) {
  return std::any_of(figure.arcs.begin(), figure.arcs.end(), [](const Arc& arc) { return arc.source < 0; }) ||
         std::any_of(figure.words.begin(), figure.words.end(), [](const analysis::WordLabel& word) {
           return word.box != analysis::WordLabel::Box::none;
         });
}

// Loops and parallel arcs of the first and the last word reach beyond their middles.
double side_room(const Style& style) {
  return 6 * unit(style);
}

double margin_width(const ArcFigure& figure, const Style& style) {
  return figure.margin.empty() ? 0 : TypeFace(style, smallest_type(style)).width(drawable(figure.margin)) + 6;
}

// The words at the arcs, those at the strongest first.
std::vector<std::int64_t> ends_of_arcs(const ArcFigure& figure) {
  std::vector<std::size_t> order(figure.arcs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    return figure.arcs[left].weight > figure.arcs[right].weight;
  });
  std::vector<std::int64_t> words;
  for (const std::size_t i : order) {
    words.push_back(figure.arcs[i].source);
    words.push_back(figure.arcs[i].target);
  }
  return words;
}

// Between the feet of the longest arc; of a tree, of the longest that it might have.
double longest_arc(const ArcFigure& figure, const SentenceLine& line) {
  if (is_tree(figure)) {
    return line.x(static_cast<std::int64_t>(line.size()) - 1) - line.x(std::int64_t{0});
  }
  double longest = 0;
  for (const Arc& arc : figure.arcs) {
    if (valid(figure, arc)) {
      longest = std::max(longest, std::abs(line.x(arc.source) - line.x(arc.target)));
    }
  }
  return longest;
}

// The height of the longest arc where there is room; a tree is low enough to be read along its words.
double tallest_arc(const ArcFigure& figure, double longest, const Style& style) {
  return is_tree(figure) ? std::clamp(longest * 0.5, 30 * unit(style), 20 * style.body_pt * style.zoom)
                         : longest * 0.5;
}

class ArcBody final : public Body {
 public:
  ArcBody(const ArcFigure& figure, const Style& style, const QRectF& area)
      : figure_(figure),
        style_(style),
        area_(area),
        legend_(arc_legend(figure, style.theme)),
        line_(figure.words, style, area.left() + std::max(side_room(style), margin_width(figure, style)),
              area.right() - side_room(style), ends_of_arcs(figure)) {
    const double legend = legend_height({}, legend_, style, area.width());
    legend_top_ = area.bottom() - legend - spare_height(legend);
    const double words_bottom = legend_top_ - (legend > 0 ? kGap : 0);
    const double gold = std::min(GoldArcs::wanted_height(figure, line_, style),
                                 std::max(0.0, words_bottom - area.top()) * 0.4);
    words_top_ = words_bottom - gold - line_.height();
    base_ = words_top_ - 1;
    gold_.emplace(figure_, line_, style_, words_top_ + line_.height() + 1, gold);
    largest_head_ = std::max(3.5 * unit(style), 1.2 * area.width() / static_cast<double>(line_.size() + 1));
    shape_arcs();
  }

  void draw(Pen& pen) const override {
    line_.draw(pen, words_top_);
    // Weak arcs first, so that strong ones lie on top.
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return figure_.arcs[a].weight < figure_.arcs[b].weight;
    });
    for (const std::size_t i : order) {
      draw_arc(pen, i, 1, shapes_[i].opacity);
    }
    for (const std::size_t i : order) {
      draw_arc_label(pen, figure_.arcs[i], shapes_[i]);
    }
    gold_->draw(pen);
    draw_legend(pen, {}, legend_,
                QRectF(area_.left(), legend_top_, area_.width(), area_.bottom() - legend_top_));
  }

  QStringList notes() const override {
    QStringList notes = {line_.note(), arc_labels_note(figure_, shapes_), gold_->note()};
    notes.removeAll(QString());
    return notes;
  }

  void draw_highlight(Pen& pen, const Highlight& highlight) const override {
    std::vector<std::int64_t> words;
    if (highlight.word) {
      words.push_back(*highlight.word);
      for (std::size_t i = 0; i < shapes_.size(); ++i) {
        if (figure_.arcs[i].source == *highlight.word) {
          draw_arc(pen, i, 1.4, 1);
          draw_arc_label(pen, figure_.arcs[i], shapes_[i]);
        }
      }
    }
    if (highlight.arc && *highlight.arc >= 0 && *highlight.arc < static_cast<std::int64_t>(shapes_.size())) {
      const auto i = static_cast<std::size_t>(*highlight.arc);
      QColor glow = accent(pen.theme());
      glow.setAlphaF(0.5F);
      pen.path(shapes_[i].path, glow, shapes_[i].width + 4);
      draw_arc(pen, i, 1.4, 1);
      draw_arc_label(pen, figure_.arcs[i], shapes_[i]);
      words.insert(words.end(), {figure_.arcs[i].source, figure_.arcs[i].target});
    }
    const auto first = static_cast<std::int64_t>(shapes_.size());
    if (highlight.arc && *highlight.arc >= first &&
        *highlight.arc < first + static_cast<std::int64_t>(figure_.gold.size())) {
      const auto i = static_cast<std::size_t>(*highlight.arc - first);
      gold_->light(pen, i);
      words.insert(words.end(), {figure_.gold[i].head, figure_.gold[i].dependent});
    }
    line_.light(pen, words_top_, words);
  }

  std::optional<Hit> hit(QPointF point) const override {
    constexpr double kReach = 4;
    double nearest = kReach;
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      if (!shapes_[i].path.boundingRect().adjusted(-kReach, -kReach, kReach, kReach).contains(point)) {
        continue;
      }
      constexpr int kSteps = 64;
      for (int step = 0; step <= kSteps; ++step) {
        const QPointF away = shapes_[i].at(static_cast<double>(step) / kSteps) - point;
        const double distance = std::hypot(away.x(), away.y());
        if (distance < nearest) {
          nearest = distance;
          found = i;
        }
      }
    }
    Hit hit;
    if (found) {
      hit.kind = Hit::Kind::arc;
      hit.arc = static_cast<std::int64_t>(*found);
      hit.area = shapes_[*found].path.boundingRect();
      hit.readout = readout(figure_.arcs[*found]);
      return hit;
    }
    if (const auto gold = gold_->at(point, kReach)) {
      hit.kind = Hit::Kind::arc;
      hit.arc = static_cast<std::int64_t>(shapes_.size() + *gold);
      hit.area = gold_->bounds(*gold);
      hit.readout = gold_text(figure_.gold[*gold]);
      return hit;
    }
    hit.word = line_.word_at(point, words_top_);
    if (hit.word < 0) {
      return std::nullopt;
    }
    hit.kind = Hit::Kind::word;
    hit.area = line_.area(hit.word, words_top_);
    hit.readout = drawable(figure_.words[static_cast<std::size_t>(hit.word)].text);
    return hit;
  }

 private:
  // Of a tree, which stands at the upper edge: what its arcs have no use for.
  double spare_height(double legend) const {
    if (!is_tree(figure_)) {
      return 0;
    }
    const double arcs = tallest_arc(figure_, longest_arc(figure_, line_), style_) + 14 +
                        TypeFace(style_, smallest_type(style_)).height();
    const double needed = arcs + line_.height() + GoldArcs::wanted_height(figure_, line_, style_) + legend +
                          (legend > 0 ? kGap : 0);
    return std::max(0.0, area_.height() - needed);
  }

  struct Foot {
    std::size_t arc = 0;
    bool at_source = false;
    std::int64_t other = 0;
    std::int64_t parallel = 0;
  };

  // The place of each arc among those with the same two ends.
  std::vector<std::int64_t> parallels() const {
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> count;
    std::vector<std::int64_t> result;
    for (const Arc& arc : figure_.arcs) {
      result.push_back(count[std::minmax(arc.source, arc.target)]++);
    }
    return result;
  }

  void place_feet(const std::vector<std::int64_t>& parallel) {
    std::vector<std::vector<Foot>> feet(figure_.words.size());
    for (std::size_t i = 0; i < figure_.arcs.size(); ++i) {
      const Arc& arc = figure_.arcs[i];
      if (!valid(figure_, arc) || arc.source == arc.target) {
        continue;
      }
      if (arc.source >= 0) {
        feet[static_cast<std::size_t>(arc.source)].push_back({i, true, arc.target, parallel[i]});
      }
      // That of a root lies between those of the two sides.
      const std::int64_t other = arc.source < 0 ? arc.target : arc.source;
      feet[static_cast<std::size_t>(arc.target)].push_back({i, false, other, parallel[i]});
    }
    for (std::size_t word = 0; word < feet.size(); ++word) {
      const auto here = static_cast<std::int64_t>(word);
      std::stable_sort(feet[word].begin(), feet[word].end(), [&](const Foot& a, const Foot& b) {
        const auto side = [here](const Foot& foot) {
          return foot.other < here ? 0 : foot.other == here ? 1 : 2;
        };
        if (side(a) != side(b)) {
          return side(a) < side(b);
        }
        const bool a_left = side(a) == 0;
        // Both sides: a greater place of the other end comes first; among parallel edges the outer one lies
        // towards the middle of the word.
        if (a.other != b.other) {
          return a.other > b.other;
        }
        return a_left ? a.parallel < b.parallel : a.parallel > b.parallel;
      });
      const double room = 2 * std::max(line_.half_width(here), 3.0) + 4;
      const double apart =
          feet[word].size() < 2
              ? 0
              : std::min(kParallelGap * 1.4, room / static_cast<double>(feet[word].size() - 1));
      for (std::size_t k = 0; k < feet[word].size(); ++k) {
        const double x =
            line_.x(here) + (static_cast<double>(k) - static_cast<double>(feet[word].size() - 1) / 2) * apart;
        ArcShape& shape = shapes_[feet[word][k].arc];
        (feet[word][k].at_source ? shape.from : shape.to) = x;
        if (figure_.arcs[feet[word][k].arc].source < 0) {
          shape.from = x;
        }
      }
    }
  }

  void shape_arcs() {
    shapes_.resize(figure_.arcs.size());
    const auto parallel = parallels();
    place_feet(parallel);
    const bool tree = is_tree(figure_);
    double longest = tree ? std::max(longest_arc(figure_, line_), 1.0) : 1.0;
    std::int64_t most_parallel = 0;
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      longest = std::max(longest, std::abs(shapes_[i].from - shapes_[i].to));
      most_parallel = std::max(most_parallel, parallel[i]);
    }
    const double room = base_ - area_.top() - 10 - kParallelGap * static_cast<double>(most_parallel);
    const double tallest = std::min(room, tallest_arc(figure_, longest, style_));
    const double full = figure_.weight_of_full_width > 0 ? figure_.weight_of_full_width : 1;
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      const Arc& arc = figure_.arcs[i];
      ArcShape& shape = shapes_[i];
      if (!valid(figure_, arc)) {
        continue;
      }
      const double share = std::clamp(std::isfinite(arc.weight) ? arc.weight / full : 0.0, 0.0, 1.0);
      // Most arcs of a tree are sure: they are thin, and none is faint.
      shape.width = style_.line_pt * (tree ? 0.6 + 1.1 * share : 0.7 + 2.3 * share);
      shape.opacity = tree ? 0.7 + 0.3 * share : 0.4 + 0.6 * share;
      const double extra = kParallelGap * static_cast<double>(parallel[i]);
      if (arc.source < 0) {
        shape_root(shape, tallest);
        continue;
      }
      if (arc.source == arc.target) {
        const double x = line_.x(arc.source);
        const double half = 5 * unit(style_) + extra / 2;
        shape.from = x - half;
        shape.to = x + half;
        shape.height = std::min(16 * unit(style_) + extra * 1.5, std::max(4.0, room));
      } else {
        const double distance = std::abs(shape.from - shape.to);
        const double least = std::min(12.0 * unit(style_), room);
        shape.height = least + (tallest - least) * std::pow(distance / longest, 0.75) + extra;
      }
      const double pull = shape.height * 4 / 3;  // the top of a cubic lies at 3/4 of its control points
      const double lean = (shape.to - shape.from) * 0.08;
      shape.control = {QPointF(shape.from, base_), QPointF(shape.from + lean, base_ - pull),
                       QPointF(shape.to - lean, base_ - pull), QPointF(shape.to, base_)};
      shape.path.moveTo(shape.control[0]);
      shape.path.cubicTo(shape.control[1], shape.control[2], shape.control[3]);
    }
    place_arc_labels(figure_, style_, area_.top(), shapes_);
  }

  // Straight from above.
  void shape_root(ArcShape& shape, double height) const {
    shape.height = height;
    const QPointF top(shape.to, base_ - height);
    const QPointF foot(shape.to, base_);
    shape.control = {top, top + (foot - top) / 3, top + (foot - top) * (2.0 / 3), foot};
    shape.path.moveTo(top);
    shape.path.lineTo(foot);
  }

  QColor colour_of_arc(std::size_t i, Theme theme, double opacity) const {
    QColor colour = figure_.arcs[i].changed ? palette_colour(PartColour::vermillion, theme)
                                            : part_colour(figure_.arcs[i].part, theme);
    colour.setAlphaF(static_cast<float>(opacity));
    return colour;
  }

  void draw_arc(Pen& pen, std::size_t i, double thicker, double opacity) const {
    const ArcShape& shape = shapes_[i];
    if (shape.path.isEmpty()) {
      return;
    }
    const QColor colour = colour_of_arc(i, pen.theme(), opacity);
    const double head = std::min({5 * unit(style_) + shape.width, shape.height * 0.8, largest_head_});
    const double end = shape.before_end(head * 0.8);
    const QPointF neck = shape.at(end);
    pen.path(shape.until(end), colour, shape.width * thicker,
             pen_style(analysis::dash_of_part(figure_.arcs[i].part)));
    const QPointF tip(shape.to, base_);
    pen.arrowhead(tip, tip - neck, head, colour);
  }

  QString gold_text(const analysis::GoldArc& arc) const {
    const auto word = [&](std::int64_t place) {
      return drawable(figure_.words[static_cast<std::size_t>(place)].text);
    };
    return (figure_.gold_name.empty() ? QStringLiteral("gold") : drawable(figure_.gold_name)) +
           QStringLiteral(": ") + (arc.head < 0 ? QStringLiteral("root") : word(arc.head)) +
           QStringLiteral(" → ") + word(arc.dependent) + QStringLiteral(", ") + drawable(arc.relation);
  }

  QString readout(const Arc& arc) const {
    const std::string_view part = mog::name(arc.part);
    QString result = (arc.source < 0 ? QStringLiteral("root")
                                     : drawable(figure_.words[static_cast<std::size_t>(arc.source)].text)) +
                     QStringLiteral(" → ") +
                     drawable(figure_.words[static_cast<std::size_t>(arc.target)].text);
    if (arc.part != Part::none) {
      result += QStringLiteral(", ") + QString::fromUtf8(part.data(), static_cast<qsizetype>(part.size()));
    }
    if (arc.layer > 0) {
      result += QStringLiteral(", layer %1").arg(arc.layer);
    }
    if (!figure_.weight.quantity.empty() && std::isfinite(arc.weight)) {
      result += QStringLiteral(": ") + drawable(analysis::readable(arc.weight));
    }
    if (!arc.tuple.empty()) {
      result += QStringLiteral(" ") + drawable(arc.tuple);
    }
    return result;
  }

  const ArcFigure& figure_;
  const Style& style_;
  QRectF area_;
  std::vector<LegendEntry> legend_;
  SentenceLine line_;
  double words_top_ = 0;
  double legend_top_ = 0;
  double base_ = 0;
  double largest_head_ = 0;  // where words stand close together
  std::vector<ArcShape> shapes_;
  std::optional<GoldArcs> gold_;  // refers to line_
};

}  // namespace

std::unique_ptr<Body> lay_out(const ArcFigure& figure, const Style& style, const QRectF& area) {
  return std::make_unique<ArcBody>(figure, style, area);
}

double wanted_height(const ArcFigure& figure, const Style& style, double width) {
  const SentenceLine line(figure.words, style, std::max(side_room(style), margin_width(figure, style)),
                          width - side_room(style), ends_of_arcs(figure));
  const double arcs = std::clamp(longest_arc(figure, line) * 0.5, 36.0, std::max(90.0, width * 0.32)) + 14;
  return arcs + line.height() + GoldArcs::wanted_height(figure, line, style) +
         legend_height({}, arc_legend(figure, style.theme), style, width) + kGap;
}

// Neighbours that an arc joins stand so far apart that its label has room between them.
double least_body_width(const ArcFigure& figure, const Style& style) {
  if (!is_tree(figure)) {
    return 0;
  }
  const TypeFace face(style, smallest_type(style));
  const TypeFace words(style, style.body_pt);
  double gap = 0;  // more than the words have of themselves
  for (const Arc& arc : figure.arcs) {
    if (valid(figure, arc) && arc.source >= 0 && std::abs(arc.source - arc.target) == 1) {
      const auto text = [&](std::int64_t word) {
        return drawable(figure.words[static_cast<std::size_t>(word)].text);
      };
      const double apart = (words.width(text(arc.source)) + words.width(text(arc.target))) / 2;
      gap = std::max(gap, face.width(arc_label(arc)) + 4 * kGap - apart - style.body_pt);
    }
  }
  return SentenceLine::natural_width(figure.words, style) +
         std::min(gap, 2 * style.body_pt) * static_cast<double>(figure.words.size()) + 2 * side_room(style) +
         2;
}

}  // namespace mog::figures
