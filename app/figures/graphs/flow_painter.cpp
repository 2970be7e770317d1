// The information flow of a sentence: a grid of states, words across and layers upwards, with an edge for all
// that a state takes from another one.
//
// Edges leave and reach states upright, so that those of neighbouring columns do not run into each other near
// the states; parallel ones (parts of the attention, what is carried) fan out at their middle. Edges within a
// row, the steps of recurrent encoders, are low arcs above it. What a figure of some thousand edges needs
// when only the pointer moves is kept small: control points, no paths.
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "analysis/figure_data/ticks.h"
#include "app/figures/body.h"
#include "app/figures/graphs/flow_layout.h"
#include "app/figures/lines/legend.h"

namespace mog::figures {
namespace {

using analysis::FlowEdge;
using analysis::FlowFigure;

constexpr double kRowPitch = 30;   // that a figure wants, in points
constexpr double kFaintPitch = 6;  // closer states without edges are not drawn
constexpr double kWidest = 3;      // of an edge, in lines
constexpr double kOfPitch = 0.4;   // of the distance of words: the widest where they stand close

// The green of what comes from the layer below is that of what is carried: dots tell them apart.
analysis::Dash dash_of(const FlowEdge& edge) {
  const bool below = edge.part.role() == PartRole::input;
  return edge.carried ? analysis::Dash::solid
         : below      ? analysis::Dash::dotted
                      : analysis::dash_of_part(edge.part);
}

std::vector<LegendEntry> legend_of(const FlowFigure& figure, Theme theme) {
  std::vector<Part> parts;
  std::optional<Part> carried;
  for (const FlowEdge& edge : figure.edges) {
    carried = edge.carried ? edge.part : carried;
    if (!edge.carried && std::find(parts.begin(), parts.end(), edge.part) == parts.end()) {
      parts.push_back(edge.part);
    }
  }
  std::vector<LegendEntry> result;
  if (carried) {
    result.push_back({QStringLiteral("carried"), part_colour(*carried, theme)});
  }
  std::sort(parts.begin(), parts.end());
  std::vector<LegendEntry> entries = part_legend(parts, theme);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    LegendEntry& entry = entries[i];
    if (parts[i].role() == PartRole::input) {
      entry.dash = analysis::Dash::dotted;
    }
    entry.label.replace(QLatin1Char('_'), QLatin1Char(' '));
    result.push_back(std::move(entry));
  }
  if (!figure.weight.quantity.empty() && !figure.edges.empty()) {
    LegendEntry width;
    width.label = QStringLiteral("width: square root of the ") + drawable(figure.weight.quantity) +
                  QStringLiteral(", full at ") + QString::number(figure.weight_of_full_width, 'g', 2) +
                  QStringLiteral(": ") + drawable(figure.weight.averaged);
    width.mark = LegendEntry::Mark::none;
    result.push_back(std::move(width));
  }
  return result;
}

class FlowBody final : public Body {
 public:
  FlowBody(const FlowFigure& figure, const Style& style, const QRectF& area)
      : figure_(figure),
        style_(style),
        area_(area),
        legend_(legend_of(figure, style.theme)),
        legend_top_(area.bottom() - legend_height({}, legend_, style, area.width())),
        layout_(figure, style, area, legend_top_ - (legend_.empty() ? 0 : kGap)) {}

  void draw(Pen& pen) const override {
    draw_rows(pen);
    line().draw(pen, layout_.words_top());
    std::vector<std::size_t> order(shapes().size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return figure_.edges[a].weight < figure_.edges[b].weight;
    });
    for (const std::size_t i : order) {
      draw_edge(pen, i, 1, 0.25 + 0.75 * shapes()[i].share);
    }
    draw_nodes(pen);
    draw_legend(pen, {}, legend_,
                QRectF(area_.left(), legend_top_, area_.width(), area_.bottom() - legend_top_));
  }

  QStringList notes() const override {
    return line().note().isEmpty() ? QStringList() : QStringList{line().note()};
  }

  void draw_highlight(Pen& pen, const Highlight& highlight) const override {
    QColor glow = accent(pen.theme());
    glow.setAlphaF(0.16F);
    const auto rows = static_cast<std::int64_t>(figure_.rows.size());
    if (highlight.row && *highlight.row >= 0 && *highlight.row < rows) {
      const double half = std::min(layout_.row_pitch() / 2, 7 * unit(style_));
      pen.fill(QRectF(area_.left(), layout_.row_y(*highlight.row) - half, area_.width(), 2 * half), glow);
    }
    std::vector<std::int64_t> lit;
    if (highlight.word && *highlight.word >= 0 && *highlight.word < words()) {
      lit.push_back(*highlight.word);
      const double half = std::max(2.0, std::min(layout_.word_pitch() / 2, 7 * unit(style_)));
      pen.fill(QRectF(line().x(*highlight.word) - half, layout_.row_y(rows - 1) - 6, 2 * half,
                      layout_.words_top() - layout_.row_y(rows - 1) + 5),
               glow);
    }
    if (highlight.node && *highlight.node >= 0 && *highlight.node < rows * words()) {
      light_node(pen, *highlight.node);
      lit.push_back(*highlight.node % words());
    }
    if (highlight.arc && *highlight.arc >= 0 && *highlight.arc < static_cast<std::int64_t>(shapes().size())) {
      const auto i = static_cast<std::size_t>(*highlight.arc);
      if (shapes()[i].there) {
        QColor strong = accent(pen.theme());
        strong.setAlphaF(0.5F);
        pen.path(shapes()[i].path(), strong, width_of(i) + 4);
        draw_edge(pen, i, 1.4, 1);
        lit.insert(lit.end(), {figure_.edges[i].from_word, figure_.edges[i].to_word});
      }
    }
    line().light(pen, layout_.words_top(), lit);
  }

  std::optional<Hit> hit(QPointF point) const override {
    Hit hit;
    if (const auto state = layout_.state_at(point)) {
      hit.kind = Hit::Kind::node;
      hit.node = figure_.node(state->row, state->word);
      hit.row = state->row;
      hit.word = state->word;
      const QPointF reach(state->reach, state->reach);
      hit.area = QRectF(layout_.place(state->row, state->word) - reach,
                        layout_.place(state->row, state->word) + reach);
      hit.readout = node_text(state->row, state->word);
      return hit;
    }
    if (const auto edge = layout_.edge_at(point)) {
      hit.kind = Hit::Kind::arc;
      hit.arc = static_cast<std::int64_t>(*edge);
      hit.area = shapes()[*edge].bounds();
      hit.readout = edge_text(figure_.edges[*edge]);
      return hit;
    }
    hit.word = line().word_at(point, layout_.words_top());
    if (hit.word < 0) {
      return std::nullopt;
    }
    hit.kind = Hit::Kind::word;
    hit.area = line().area(hit.word, layout_.words_top());
    hit.readout = drawable(figure_.words[static_cast<std::size_t>(hit.word)].text);
    return hit;
  }

 private:
  std::int64_t words() const { return static_cast<std::int64_t>(figure_.words.size()); }
  const SentenceLine& line() const { return layout_.line(); }
  const std::vector<FlowShape>& shapes() const { return layout_.shapes(); }
  // Where words stand close, all are narrower: there is more paper than ink between what they carry on.
  double width_of(std::size_t i) const {
    const double widest = std::min(kWidest * style_.line_pt, kOfPitch * layout_.word_pitch());
    return widest * (0.2 + 0.8 * shapes()[i].share);
  }

  void draw_edge(Pen& pen, std::size_t i, double thicker, double opacity) const {
    const FlowShape& shape = shapes()[i];
    if (!shape.there) {
      return;
    }
    const FlowEdge& edge = figure_.edges[i];
    QColor colour = part_colour(edge.part, pen.theme());
    colour.setAlphaF(static_cast<float>(opacity));
    pen.path(shape.path(), colour, width_of(i) * thicker, pen_style(dash_of(edge)));
  }

  void draw_rows(Pen& pen) const {
    const TypeFace face(style_, style_.tick_pt);
    const auto every = static_cast<std::int64_t>(std::ceil(face.height() / layout_.row_pitch()));
    const auto rows = static_cast<std::int64_t>(figure_.rows.size());
    for (std::int64_t row = 0; row < rows; ++row) {
      const double y = layout_.row_y(row);
      pen.line({area_.left() + layout_.margin(), y}, {area_.right(), y}, faint_ink(pen.theme()), 0.5);
      if (row % every == 0) {
        const QString label = face.elided(drawable(figure_.rows[static_cast<std::size_t>(row)].label),
                                          layout_.margin() - 6 * unit(style_));
        pen.text({area_.left() + layout_.margin() - 6 * unit(style_), y + face.cap_height() / 2}, label, face,
                 ink(pen.theme()), Across::right);
      }
    }
  }

  void draw_nodes(Pen& pen) const {
    const auto rows = static_cast<std::int64_t>(figure_.rows.size());
    std::vector<char> used(static_cast<std::size_t>(rows * words()), 0);
    for (std::size_t i = 0; i < shapes().size(); ++i) {
      if (shapes()[i].there) {
        const FlowEdge& edge = figure_.edges[i];
        used[static_cast<std::size_t>(figure_.node(edge.from_row, edge.from_word))] = 1;
        used[static_cast<std::size_t>(figure_.node(edge.to_row, edge.to_word))] = 1;
      }
    }
    const bool faint = std::min(layout_.row_pitch(), layout_.word_pitch()) >= kFaintPitch;
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t word = 0; word < words(); ++word) {
        const bool drawn = used[static_cast<std::size_t>(figure_.node(row, word))] != 0;
        if (drawn || faint) {
          pen.disc(layout_.place(row, word), drawn ? layout_.radius() : layout_.radius() * 0.6,
                   drawn ? ink(pen.theme()) : faint_ink(pen.theme()));
        }
      }
    }
    if (figure_.state && *figure_.state >= 0 && *figure_.state < rows * words()) {
      ring(pen, *figure_.state);
    }
  }

  void ring(Pen& pen, std::int64_t node) const {
    const double wide = layout_.radius() + 3 * unit(style_);
    QPainterPath circle;
    circle.addEllipse(layout_.place(node / words(), node % words()), wide, wide);
    pen.path(circle, accent(pen.theme()), 1.6 * style_.line_pt);
  }

  // A state with its edges.
  void light_node(Pen& pen, std::int64_t node) const {
    for (std::size_t i = 0; i < shapes().size(); ++i) {
      const FlowEdge& edge = figure_.edges[i];
      if (figure_.node(edge.from_row, edge.from_word) == node ||
          figure_.node(edge.to_row, edge.to_word) == node) {
        draw_edge(pen, i, 1.3, 1);
      }
    }
    ring(pen, node);
  }

  QString state_text(std::int64_t row, std::int64_t word) const {
    return drawable(figure_.rows[static_cast<std::size_t>(row)].label) + QStringLiteral(" “") +
           drawable(figure_.words[static_cast<std::size_t>(word)].text) +
           QStringLiteral("” (%1)").arg(word + 1);
  }

  QString node_text(std::int64_t row, std::int64_t word) const {
    int in = 0;
    int out = 0;
    double sum = 0;
    for (const FlowEdge& edge : figure_.edges) {
      if (edge.to_row == row && edge.to_word == word) {
        ++in;
        sum += edge.weight;
      }
      out += edge.from_row == row && edge.from_word == word ? 1 : 0;
    }
    QString text = state_text(row, word);
    if (in > 0) {
      text += QStringLiteral(", in: %1 (%2 of its weight)").arg(in).arg(drawable(analysis::readable(sum)));
    }
    return out > 0 ? text + QStringLiteral(", out: %1").arg(out) : text;
  }

  QString edge_text(const FlowEdge& edge) const {
    const std::string_view part = mog::name(edge.part);
    return state_text(edge.from_row, edge.from_word) + QStringLiteral(" → ") +
           state_text(edge.to_row, edge.to_word) + QStringLiteral(", ") +
           (edge.carried ? QStringLiteral("carried")
                         : QString::fromUtf8(part.data(), static_cast<qsizetype>(part.size()))) +
           QStringLiteral(": ") + drawable(analysis::readable(edge.weight));
  }

  const FlowFigure& figure_;
  const Style& style_;
  QRectF area_;
  std::vector<LegendEntry> legend_;
  double legend_top_ = 0;
  FlowLayout layout_;
};

}  // namespace

std::unique_ptr<Body> lay_out(const FlowFigure& figure, const Style& style, const QRectF& area) {
  return std::make_unique<FlowBody>(figure, style, area);
}

double wanted_height(const FlowFigure& figure, const Style& style, double width) {
  const SentenceLine line(figure.words, style, FlowLayout::margin(figure, style, width), width);
  const double pitch =
      std::clamp(360 / static_cast<double>(std::max<std::size_t>(1, figure.rows.size())), 12.0, kRowPitch) *
      unit(style);
  return static_cast<double>(std::max<std::size_t>(figure.rows.size(), 2)) * pitch + line.height() +
         legend_height({}, legend_of(figure, style.theme), style, width) + kGap + 14 * unit(style);
}

}  // namespace mog::figures
