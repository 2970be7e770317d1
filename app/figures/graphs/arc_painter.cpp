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
#include "app/figures/graphs/gold_arcs.h"
#include "app/figures/graphs/sentence_line.h"
#include "app/figures/lines/legend.h"

namespace mog::figures {
namespace {

using analysis::Arc;
using analysis::ArcFigure;

constexpr double kParallelGap = 3;

struct Shape {
  double from = 0;  // feet
  double to = 0;
  double height = 0;
  std::array<QPointF, 4> control;  // of the cubic
  QPainterPath path;
  double width = 0;
  double opacity = 1;

  // The cubic at t in [0, 1].
  QPointF at(double t) const {
    const double s = 1 - t;
    return s * s * s * control[0] + 3 * s * s * t * control[1] + 3 * s * t * t * control[2] +
           t * t * t * control[3];
  }
  // The place whose straight distance to the end is `distance`: where the line meets its arrowhead.
  double before_end(double distance) const {
    double near = 1;
    double far = 0.5;
    for (int step = 0; step < 24; ++step) {
      const double middle = (near + far) / 2;
      const QPointF away = control[3] - at(middle);
      (std::hypot(away.x(), away.y()) < distance ? near : far) = middle;
    }
    return near;
  }
  // The part from 0 to t, by de Casteljau's construction.
  QPainterPath until(double t) const {
    const auto mix = [t](QPointF a, QPointF b) { return a + (b - a) * t; };
    const QPointF a = mix(control[0], control[1]);
    const QPointF b = mix(control[1], control[2]);
    const QPointF c = mix(control[2], control[3]);
    const QPointF ab = mix(a, b);
    QPainterPath result(control[0]);
    result.cubicTo(a, ab, mix(ab, mix(b, c)));
    return result;
  }
};

std::vector<LegendEntry> legend_of(const ArcFigure& figure, Theme theme) {
  std::vector<Part> parts;
  for (const Arc& arc : figure.arcs) {
    parts.push_back(arc.part);
  }
  std::vector<LegendEntry> result = part_legend(parts, theme);
  if (!figure.weight.quantity.empty() && !figure.arcs.empty()) {
    result.push_back({QStringLiteral("width: ") + drawable(figure.weight.text()) +
                          QStringLiteral(", full at ") + QString::number(figure.weight_of_full_width, 'g', 2),
                      {},
                      analysis::Dash::solid,
                      LegendEntry::Mark::none,
                      -1});
  }
  if (figure.arcs.empty()) {
    result.push_back({QStringLiteral("no arc above the threshold"),
                      {},
                      analysis::Dash::solid,
                      LegendEntry::Mark::none,
                      -1});
  }
  if (!figure.gold.empty()) {
    result.push_back({QStringLiteral("gold syntax, below"), soft_ink(theme), analysis::Dash::dashed});
  }
  return result;
}

bool valid(const ArcFigure& figure, const Arc& arc) {
  const auto size = static_cast<std::int64_t>(figure.words.size());
  return arc.source >= 0 && arc.source < size && arc.target >= 0 && arc.target < size;
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

class ArcBody final : public Body {
 public:
  ArcBody(const ArcFigure& figure, const Style& style, const QRectF& area)
      : figure_(figure),
        style_(style),
        area_(area),
        legend_(legend_of(figure, style.theme)),
        line_(figure.words, style, area.left() + std::max(side_room(style), margin_width(figure, style)),
              area.right() - side_room(style), ends_of_arcs(figure)) {
    const double legend = legend_height({}, legend_, style, area.width());
    legend_top_ = area.bottom() - legend;
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
      draw_arc_label(pen, i);
    }
    gold_->draw(pen);
    draw_legend(pen, {}, legend_,
                QRectF(area_.left(), legend_top_, area_.width(), area_.bottom() - legend_top_));
  }

  QStringList notes() const override {
    QStringList notes = {line_.note(), gold_->note()};
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
        }
      }
    }
    if (highlight.arc && *highlight.arc >= 0 && *highlight.arc < static_cast<std::int64_t>(shapes_.size())) {
      const auto i = static_cast<std::size_t>(*highlight.arc);
      QColor glow = accent(pen.theme());
      glow.setAlphaF(0.5F);
      pen.path(shapes_[i].path, glow, shapes_[i].width + 4);
      draw_arc(pen, i, 1.4, 1);
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
      if (valid(figure_, arc) && arc.source != arc.target) {
        feet[static_cast<std::size_t>(arc.source)].push_back({i, true, arc.target, parallel[i]});
        feet[static_cast<std::size_t>(arc.target)].push_back({i, false, arc.source, parallel[i]});
      }
    }
    for (std::size_t word = 0; word < feet.size(); ++word) {
      const auto here = static_cast<std::int64_t>(word);
      std::stable_sort(feet[word].begin(), feet[word].end(), [&](const Foot& a, const Foot& b) {
        const bool a_left = a.other < here;
        const bool b_left = b.other < here;
        if (a_left != b_left) {
          return a_left;
        }
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
        Shape& shape = shapes_[feet[word][k].arc];
        (feet[word][k].at_source ? shape.from : shape.to) = x;
      }
    }
  }

  void shape_arcs() {
    shapes_.resize(figure_.arcs.size());
    const auto parallel = parallels();
    place_feet(parallel);
    double longest = 1;
    std::int64_t most_parallel = 0;
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      longest = std::max(longest, std::abs(shapes_[i].from - shapes_[i].to));
      most_parallel = std::max(most_parallel, parallel[i]);
    }
    const double room = base_ - area_.top() - 10 - kParallelGap * static_cast<double>(most_parallel);
    const double full = figure_.weight_of_full_width > 0 ? figure_.weight_of_full_width : 1;
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      const Arc& arc = figure_.arcs[i];
      Shape& shape = shapes_[i];
      if (!valid(figure_, arc)) {
        continue;
      }
      const double share = std::clamp(std::isfinite(arc.weight) ? arc.weight / full : 0.0, 0.0, 1.0);
      shape.width = style_.line_pt * (0.7 + 2.3 * share);
      shape.opacity = 0.4 + 0.6 * share;
      const double extra = kParallelGap * static_cast<double>(parallel[i]);
      if (arc.source == arc.target) {
        const double x = line_.x(arc.source);
        const double half = 5 * unit(style_) + extra / 2;
        shape.from = x - half;
        shape.to = x + half;
        shape.height = std::min(16 * unit(style_) + extra * 1.5, std::max(4.0, room));
      } else {
        const double distance = std::abs(shape.from - shape.to);
        const double least = std::min(12.0 * unit(style_), room);
        shape.height =
            least + (std::min(room, longest * 0.5) - least) * std::pow(distance / longest, 0.75) + extra;
      }
      const double pull = shape.height * 4 / 3;  // the top of a cubic lies at 3/4 of its control points
      const double lean = (shape.to - shape.from) * 0.08;
      shape.control = {QPointF(shape.from, base_), QPointF(shape.from + lean, base_ - pull),
                       QPointF(shape.to - lean, base_ - pull), QPointF(shape.to, base_)};
      shape.path.moveTo(shape.control[0]);
      shape.path.cubicTo(shape.control[1], shape.control[2], shape.control[3]);
    }
  }

  QColor colour_of_arc(std::size_t i, Theme theme, double opacity) const {
    QColor colour = part_colour(figure_.arcs[i].part, theme);
    colour.setAlphaF(static_cast<float>(opacity));
    return colour;
  }

  void draw_arc(Pen& pen, std::size_t i, double thicker, double opacity) const {
    const Shape& shape = shapes_[i];
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

  void draw_arc_label(Pen& pen, std::size_t i) const {
    const std::string& label = figure_.arcs[i].label;
    if (label.empty() || shapes_[i].path.isEmpty()) {
      return;
    }
    const TypeFace face(style_, smallest_type(style_));
    const QString text = drawable(label);
    const QPointF top = shapes_[i].at(0.5);
    const double wide = face.width(text) + 2;
    pen.fill(QRectF(top.x() - wide / 2, top.y() - face.cap_height() / 2 - 1, wide, face.cap_height() + 2),
             background(pen.theme()));
    pen.text(top + QPointF(0, face.cap_height() / 2), text, face, ink(pen.theme()), Across::centre);
  }

  QString gold_text(const analysis::GoldArc& arc) const {
    const auto word = [&](std::int64_t place) {
      return drawable(figure_.words[static_cast<std::size_t>(place)].text);
    };
    return QStringLiteral("gold: ") + (arc.head < 0 ? QStringLiteral("root") : word(arc.head)) +
           QStringLiteral(" → ") + word(arc.dependent) + QStringLiteral(", ") + drawable(arc.relation);
  }

  QString readout(const Arc& arc) const {
    const std::string_view part = mog::name(arc.part);
    QString result = drawable(figure_.words[static_cast<std::size_t>(arc.source)].text) +
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
  std::vector<Shape> shapes_;
  std::optional<GoldArcs> gold_;  // refers to line_
};

}  // namespace

std::unique_ptr<Body> lay_out(const ArcFigure& figure, const Style& style, const QRectF& area) {
  return std::make_unique<ArcBody>(figure, style, area);
}

double wanted_height(const ArcFigure& figure, const Style& style, double width) {
  const SentenceLine line(figure.words, style, std::max(side_room(style), margin_width(figure, style)),
                          width - side_room(style), ends_of_arcs(figure));
  double longest = 0;
  for (const Arc& arc : figure.arcs) {
    if (valid(figure, arc)) {
      longest = std::max(longest, std::abs(line.x(arc.source) - line.x(arc.target)));
    }
  }
  const double arcs = std::clamp(longest * 0.5, 36.0, std::max(90.0, width * 0.32)) + 14;
  return arcs + line.height() + GoldArcs::wanted_height(figure, line, style) +
         legend_height({}, legend_of(figure, style.theme), style, width) + kGap;
}

}  // namespace mog::figures
