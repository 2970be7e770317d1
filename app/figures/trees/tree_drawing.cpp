#include "app/figures/trees/tree_drawing.h"

#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "app/figures/trees/tree_key.h"

namespace mog::figures {
namespace {

// Slanted faces have the letters of Europe; what they lack would be drawn as boxes. Such words stand upright,
// and are known by their number and colour.
bool has_slant(const QString& text) {
  return std::all_of(text.cbegin(), text.cend(), [](QChar letter) {
    return letter.unicode() < 0x0530 || (letter.unicode() >= 0x1E00 && letter.unicode() < 0x2200);
  });
}

using Kind = StemLabel::Kind;

constexpr double kTurn = 60;  // of words that do not fit level

QPainterPath rounded(const QPolygonF& line, double corner) {
  QPainterPath path(line.front());
  for (qsizetype i = 1; i + 1 < line.size(); ++i) {
    const QPointF in = line[i] - line[i - 1];
    const QPointF out = line[i + 1] - line[i];
    const double before = std::hypot(in.x(), in.y());
    const double after = std::hypot(out.x(), out.y());
    const double round = std::min({corner, before / 2, after});
    if (before <= 0 || after <= 0) {
      path.lineTo(line[i]);
      continue;
    }
    path.lineTo(line[i] - in / before * round);
    path.quadTo(line[i], line[i] + out / after * round);
  }
  path.lineTo(line.back());
  return path;
}

}  // namespace

TreeDrawing::TreeDrawing(const analysis::TreeFigure& tree_, const Style& style_, const StemLayout& layout_)
    : tree(tree_), style(style_), layout(layout_), colours(colours_of(style_)) {}

QColor TreeDrawing::carried() const {
  return carried_colour(tree, style.theme);
}

void TreeDrawing::rows(Pen& pen) const {
  const bool screen = layout.measures.screen;
  const double from = layout.left - (screen ? 8 : 2);
  for (std::int64_t row = 1; row <= layout.stems.rows; ++row) {
    const double y = layout.row_y[static_cast<std::size_t>(row)];
    pen.line({from, y}, {layout.area.right(), y}, colours.row, screen ? 1 : 0.5);
  }
  if (screen && !layout.turned && !layout.labels.empty()) {
    const double y = layout.labels.front().outline.boundingRect().center().y();
    pen.line({from, y}, {layout.area.right(), y}, colours.row, 1);
  }
  if (!screen) {
    row_names(pen);
  }
}

void TreeDrawing::row_names(Pen& pen) const {
  const StemMeasures& m = layout.measures;
  const TypeFace face(style, m.small);
  const double letters = face.cap_height() / 2;
  double x = layout.area.left();
  if (m.screen && pen.visible().left() > 0) {  // a part of the picture: over what scrolled below them
    x = std::max(x, pen.visible().left() + 8 * m.unit);
    QColor under = background(style.theme);
    under.setAlphaF(0.92F);
    const double wide = layout.left - layout.area.left();
    if (x > layout.area.left()) {
      pen.fill(QRectF(pen.visible().left(), layout.area.top(), x - pen.visible().left() + wide,
                      layout.words_bottom - layout.area.top()),
               under);
    }
  }
  double named = 1e9;  // the last row with a name
  const auto name = [&](double y, const QString& text) {
    if (named - y > 3 * letters) {
      pen.text({x, y + letters}, text, face, colours.secondary);
      named = y;
    }
  };
  if (m.screen && !layout.labels.empty()) {
    name(layout.turned ? layout.words_top + 10 * m.unit
                       : layout.labels.front().outline.boundingRect().center().y(),
         layout.row_text(0));
  }
  for (std::int64_t row = 1; row <= layout.stems.rows; ++row) {
    name(layout.row_y[static_cast<std::size_t>(row)], layout.row_text(row));
  }
  if (m.screen && layout.stems.carried) {
    name((layout.band_top + layout.row_y.back() - layout.radius) / 2, layout.band_text());
  }
}

double TreeDrawing::words_lifted(const QRectF& seen) const {
  const StemMeasures& m = layout.measures;
  const double high = layout.words_bottom - layout.words_top;
  if (!m.screen || seen.isEmpty() || seen.height() < 2 * high ||
      seen.bottom() - high - 8 * m.unit < layout.area.top()) {
    return 0;
  }
  const double lift = layout.words_bottom + 4 * m.unit - seen.bottom();
  return lift > 6 * m.unit ? lift : 0;
}

double TreeDrawing::words_top(const QRectF& seen) const {
  return layout.words_top - words_lifted(seen) - 8 * layout.measures.unit;
}

void TreeDrawing::lifted_words(Pen& pen, std::optional<std::int64_t> lit) const {
  const QRectF& seen = pen.visible();
  const double lift = words_lifted(seen);
  if (lift <= 0) {
    return;
  }
  const double u = layout.measures.unit;
  const double top = words_top(seen);
  pen.fill(QRectF(seen.left(), top, seen.width(), seen.bottom() - top), background(style.theme));
  pen.line({seen.left(), top}, {seen.right(), top}, colours.box, u);
  const auto up = [&](StemLabel label) {
    label.at.ry() -= lift;
    label.outline.translate(0, -lift);
    return label;
  };
  for (const StemLabel& one : layout.labels) {
    if (one.kind != Kind::word && one.kind != Kind::gap && one.kind != Kind::number) {
      continue;
    }
    const StemLabel lifted = up(one);
    label(pen, lifted);
    if (lit && one.kind == Kind::word && layout.stems.stems[one.of].word == *lit) {
      QPainterPath box;
      if (layout.turned) {
        box.addPolygon(lifted.outline);
        box.closeSubpath();
      } else {
        box.addRoundedRect(lifted.outline.boundingRect().adjusted(-3 * u, -3 * u, 3 * u, 3 * u), 8 * u,
                           8 * u);
      }
      pen.path(box, colours.accent, 2 * u);
    }
  }
  const TypeFace face(style, layout.measures.small);
  const double x = std::max(layout.area.left(), seen.left() + 8 * u);
  const QString name = layout.row_text(0);
  if (layout.labels.empty()) {
    return;
  }
  const double y =
      layout.turned ? layout.words_top + 10 * u : layout.labels.front().outline.boundingRect().center().y();
  pen.fill(
      QRectF(seen.left(), top + u, x - seen.left() + layout.left - layout.area.left(), seen.bottom() - top),
      background(style.theme));
  pen.text({x, y - lift + face.cap_height() / 2}, name, face, colours.secondary);
}

void TreeDrawing::flow(Pen& pen) const {
  if (tree.flow.empty() || tree.flow_opacity <= 0 || style.theme == Theme::high_contrast) {
    return;
  }
  const double u = layout.measures.unit;
  QColor colour = colours.secondary;
  colour.setAlphaF(static_cast<float>(tree.flow_opacity));
  QColor state = colours.secondary;
  state.setAlphaF(std::min(1.0F, 2 * colour.alphaF()));
  std::vector<std::optional<double>> columns(tree.words.size());
  std::vector<bool> shown(tree.words.size(), tree.all_words);
  for (std::size_t word = 0; word < columns.size(); ++word) {
    columns[word] = layout.column(static_cast<std::int64_t>(word));
  }
  for (const Stem& stem : layout.stems.stems) {
    if (stem.word >= 0 && static_cast<std::size_t>(stem.word) < shown.size()) {
      shown[static_cast<std::size_t>(stem.word)] = true;
    }
  }
  std::set<std::pair<std::int64_t, std::int64_t>> states;  // of which something is drawn
  for (const analysis::TreeFlow& edge : tree.flow) {
    const auto word = static_cast<std::size_t>(edge.word);
    const auto key = static_cast<std::size_t>(edge.key);
    if (edge.layer < 1 || edge.layer > layout.stems.rows || word >= columns.size() || key >= columns.size() ||
        !shown[word] || !columns[word] || !columns[key]) {
      continue;
    }
    const QPointF from(*columns[word], layout.row_y[static_cast<std::size_t>(edge.layer)]);
    const QPointF to(*columns[key], layout.row_y[static_cast<std::size_t>(edge.layer - 1)]);
    const QPointF down(0, (to.y() - from.y()) / 2);
    QPainterPath path(from);
    path.cubicTo(from + down, to - down, to);
    pen.path(path, colour, (1 + 9 * edge.weight) * u);
    states.insert({edge.layer, edge.word});
  }
  for (const auto& [layer, word] : states) {
    pen.disc({*columns[static_cast<std::size_t>(word)], layout.row_y[static_cast<std::size_t>(layer)]},
             (layout.measures.screen ? 2.5 : 1.2) * u, state);
  }
}

void TreeDrawing::stretch(Pen& pen, std::size_t index, double times) const {
  const Stretch& one = layout.stretches[index];
  const double wide = layout.measures.query_line * times;
  if (one.carried) {
    pen.line(one.from, one.to, carried(), wide * 1.2, Qt::DotLine);
  } else {
    pen.line(one.from, one.to, colours.ink, wide);
  }
}

void TreeDrawing::key_edge(Pen& pen, std::size_t join, double times) const {
  const KeyEdge& edge = layout.keys[join];
  const StemMeasures& m = layout.measures;
  const double wide = m.key_line * times;
  const double head = (m.screen ? 9 : 5) * m.unit * (times > 1 ? 1.2 : 1);
  const QPointF tip = edge.line.back();
  const QPointF before = edge.line[edge.line.size() - 2];
  if (edge.in_row) {
    const QPointF along = tip - before;
    pen.path(rounded(edge.line, edge.corner), colours.ink, wide);
    pen.arrowhead(tip, along, std::min(head, std::hypot(along.x(), along.y())), colours.ink);
    return;
  }
  const double turn = before.y();
  const double stop = std::max(turn + edge.corner, std::min(edge.carried_at, tip.y() - head * 0.8));
  QPolygonF line_to = edge.line;
  line_to.back().setY(std::max(turn, std::min(stop, tip.y())));
  pen.path(rounded(line_to, edge.corner), colours.ink, wide);
  if (edge.carried_at < tip.y() - head) {
    pen.line(line_to.back(), tip - QPointF(0, head), carried(), wide * 1.2, Qt::DotLine);
  }
  pen.arrowhead(tip, {0, 1}, std::min(head, std::abs(tip.y() - turn)), colours.ink);
}

void TreeDrawing::disc(Pen& pen, std::size_t join) const {
  disc(pen, join, layout.radius);
}

void TreeDrawing::disc(Pen& pen, std::size_t join, double radius) const {
  const double gap = (layout.measures.screen ? 1.5 : 0.8) * layout.measures.unit;
  pen.disc(layout.joins[join], radius + gap, background(pen.theme()));
  draw_join(pen, layout.joins[join], radius, node(join).part);
}

void TreeDrawing::boxed_word(Pen& pen, const StemLabel& label) const {
  const Stem& stem = layout.stems.stems[label.of];
  const double u = layout.measures.unit;
  const bool again = stem.number > 1;
  const bool owner = is_root(stem);
  const QRectF outline = label.outline.boundingRect();
  QPainterPath box;
  box.addRoundedRect(outline, 6 * u, 6 * u);
  pen.filled_path(box, owner ? colours.accent : background(pen.theme()));
  if (!owner) {
    pen.path(box, again ? colours.secondary : colours.box, again ? 1.4 * u : u,
             again ? Qt::DashLine : Qt::SolidLine);
  }
  const QColor text = owner ? text_on(colours.accent) : again ? colours.secondary : colours.ink;
  pen.text(label.at, label.text, TypeFace(style, label.size), text);
  if (again) {
    const TypeFace face(style, 10 * u);
    const QPointF at = outline.topRight() + QPointF(0, -u);
    pen.disc(at, 8 * u, colours.secondary);
    pen.disc(at, 7 * u, background(pen.theme()));
    pen.text(at + QPointF(0, face.cap_height() / 2), QString::number(stem.number), face, colours.secondary,
             Across::centre);
  }
}

void TreeDrawing::word(Pen& pen, const StemLabel& label) const {
  if (layout.measures.screen && !layout.turned) {
    boxed_word(pen, label);
    return;
  }
  const Stem& stem = layout.stems.stems[label.of];
  const bool again = stem.number > 1;
  const bool special = stem.word >= 0 && stem.word < static_cast<std::int64_t>(tree.words.size()) &&
                       tree.words[static_cast<std::size_t>(stem.word)].special;
  const TypeFace face(style, label.size, layout.measures.screen && is_root(stem),
                      again && has_slant(label.text));
  const QColor colour = layout.measures.screen && is_root(stem) ? colours.accent
                        : again || special                      ? colours.secondary
                                                                : colours.ink;
  if (layout.turned) {
    pen.turned_text(label.at, label.text, face, colour, Across::right, kTurn);
    return;
  }
  pen.text(label.at, label.text, face, colour);
  if (again) {
    pen.text(label.at + QPointF(face.width(label.text) + 1.2, -label.size * 0.3),
             QString::number(stem.number), TypeFace(style, smallest_type(style) * 0.9), colour);
  }
}

void TreeDrawing::gap(Pen& pen, const StemLabel& label) const {
  const TypeFace face(style, label.size);
  if (layout.turned) {
    pen.turned_text(label.at, label.text, face, colours.secondary, Across::right, kTurn);
    return;
  }
  if (layout.measures.screen) {  // a chip, or of one word only what covers the line of the row
    const QRectF outline = label.outline.boundingRect();
    const double high = tree.all_words ? outline.height() : 22 * layout.measures.unit;
    QPainterPath chip;
    chip.addRoundedRect(QRectF(outline.left(), outline.center().y() - high / 2, outline.width(), high),
                        high / 2, high / 2);
    pen.filled_path(chip, tree.all_words ? background(pen.theme()) : colours.chip);
  }
  pen.text(label.at, label.text, face, colours.secondary);
}

void TreeDrawing::label(Pen& pen, const StemLabel& one) const {
  switch (one.kind) {
    case Kind::word:
      word(pen, one);
      return;
    case Kind::gap:
      gap(pen, one);
      return;
    case Kind::owner:
      pen.text(one.at, one.text, TypeFace(style, one.size, true), colours.ink);
      return;
    case Kind::weight:
      pen.text(one.at, one.text, TypeFace(style, one.size), colours.ink);
      return;
    case Kind::carried:
      pen.text(one.at, one.text, TypeFace(style, one.size),
               layout.measures.screen ? carried() : colours.secondary);
      return;
    case Kind::number:
    case Kind::detail:
      pen.text(one.at, one.text, TypeFace(style, one.size), colours.secondary);
      return;
    case Kind::goal: {
      const QRectF box = one.outline.boundingRect();
      QPainterPath pill;
      pill.addRoundedRect(box, box.height() / 2, box.height() / 2);
      pen.filled_path(pill, colours.accent);
      pen.text(one.at, one.text, TypeFace(style, one.size, true), text_on(colours.accent));
      return;
    }
  }
}

}  // namespace mog::figures
