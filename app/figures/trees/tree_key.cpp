// Entries flow like words; measuring and drawing use the same flow. Shapes follow from what a part's queries
// and keys read and from its role, as its system describes it, so that a system that is added has them too.
#include "app/figures/trees/tree_key.h"

#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <set>

#include "app/figures/lines/legend.h"
#include "app/figures/readout.h"
#include "app/figures/trees/stem_measures.h"

namespace mog::figures {

using analysis::TreeFigure;
using analysis::TreeNode;

namespace {

enum class Shape : std::uint8_t { disc, square, open };

Shape shape_of(Part part) {
  const PartDescription& about = part.description();
  if (about.query == PartState::previous || about.backward) {
    return Shape::open;
  }
  return about.key == PartState::previous || about.role == PartRole::recurrence ? Shape::square : Shape::disc;
}

bool on_screen(const Style& style) {
  return style.paper == Paper::screen;
}

// Of lengths; on a screen the key is a little larger than it would be on paper.
double mark_unit(const Style& style) {
  return on_screen(style) ? 1.6 * measures_of(style).unit : unit(style);
}

double mark_radius(const Style& style) {
  return on_screen(style) ? 9 * measures_of(style).unit : 4.8 * unit(style);
}

TypeFace key_face(const Style& style) {
  return TypeFace(style, measures_of(style).small);
}

double mark_width(const TreeKeyEntry& entry, const Style& style) {
  const double u = mark_unit(style);
  switch (entry.mark) {
    case TreeKeyEntry::Mark::part:
      return 2 * mark_radius(style) + 4 * u;
    case TreeKeyEntry::Mark::query:
    case TreeKeyEntry::Mark::carried:
      return 5 * u;
    case TreeKeyEntry::Mark::key:
      return 13 * u;
    case TreeKeyEntry::Mark::again:
      return on_screen(style)
                 ? 16 * u
                 : TypeFace(style, smallest_type(style), false, true).width(QStringLiteral("word 2")) + 3 * u;
    case TreeKeyEntry::Mark::none:
      return 0;
  }
  return 0;
}

struct Flowing {
  std::vector<QPointF> at;  // left ends, at half the height of the line
  double height = 0;
};

Flowing flow(const std::vector<TreeKeyEntry>& entries, const Style& style, double width) {
  const TypeFace face = key_face(style);
  const double line = std::max(face.height(), 2 * mark_radius(style)) + 2 * mark_unit(style);
  Flowing result;
  double x = 0;
  double y = line / 2;
  for (const TreeKeyEntry& entry : entries) {
    const double wide = mark_width(entry, style) + face.width(entry.label);
    if (x > 0 && x + wide > width) {
      x = 0;
      y += line;
    }
    result.at.emplace_back(x, y);
    x += wide + 9 * mark_unit(style);
  }
  result.height = entries.empty() ? 0 : y + line / 2;
  return result;
}

void draw_mark(Pen& pen, const TreeKeyEntry& entry, QPointF at, const QColor& carried) {
  const double u = mark_unit(pen.style());
  const double high = 4 * u;
  const double wide = measures_of(pen.style()).query_line;
  const QColor line = colours_of(pen.style()).ink;
  switch (entry.mark) {
    case TreeKeyEntry::Mark::part:
      draw_join(pen, at + QPointF(mark_radius(pen.style()), 0), mark_radius(pen.style()), entry.part);
      break;
    case TreeKeyEntry::Mark::query:
      pen.line(at + QPointF(u, -high), at + QPointF(u, high), line, wide);
      break;
    case TreeKeyEntry::Mark::carried:
      pen.line(at + QPointF(u, -high), at + QPointF(u, high), carried, wide * 1.2, Qt::DotLine);
      break;
    case TreeKeyEntry::Mark::key: {
      QPainterPath path(at + QPointF(0, -3 * u));
      path.lineTo(at + QPointF(4 * u, -3 * u));
      path.quadTo(at + QPointF(7.5 * u, -3 * u), at + QPointF(7.5 * u, 0.5 * u));
      pen.path(path, line, wide * 0.9);
      pen.arrowhead(at + QPointF(7.5 * u, 4.2 * u), {0, 1}, 4 * u, line);
      break;
    }
    case TreeKeyEntry::Mark::again: {
      if (on_screen(pen.style())) {
        QPainterPath box;
        box.addRoundedRect(QRectF(at.x(), at.y() - high, 12 * u, 2 * high), 2 * u, 2 * u);
        pen.path(box, soft_ink(pen.theme()), 0.8 * u, Qt::DashLine);
        break;
      }
      const TypeFace face(pen.style(), smallest_type(pen.style()), false, true);
      pen.text(at + QPointF(0, face.cap_height() / 2), QStringLiteral("word 2"), face, soft_ink(pen.theme()));
      break;
    }
    case TreeKeyEntry::Mark::none:
      break;
  }
}

}  // namespace

void draw_join(Pen& pen, QPointF at, double radius, Part part) {
  const QColor colour = part_colour(part, pen.theme());
  const Shape shape = pen.style().paper == Paper::screen ? Shape::disc : shape_of(part);
  QColor letters = text_on(colour);
  if (shape == Shape::open) {
    pen.disc(at, radius, colour);
    pen.disc(at, radius * 0.82, background(pen.theme()));
    letters = ink(pen.theme());
  } else if (shape == Shape::square) {
    const double half = radius * 0.92;
    pen.fill(QRectF(at.x() - half, at.y() - half, 2 * half, 2 * half), colour);
  } else {
    pen.disc(at, radius, colour);
  }
  const QString text = part_letters(part);
  double size = std::floor(radius * (text.size() > 1 ? 1.1 : 1.3));
  double least = smallest_type(pen.style()) * 5 / 6;
  if (on_screen(pen.style())) {  // one size of letters, where the disc has room for two of them
    const double u = measures_of(pen.style()).unit;
    least = 9 * u;
    size = radius < 8.5 * u ? 0 : std::min(size, (radius > 12 * u ? 12 : 10) * u);
  }
  if (size >= least) {
    const bool thin = shape == Shape::open && text.size() > 1;  // the ring takes some of the room
    const TypeFace face(pen.style(), std::max(size, least), !thin);
    pen.text(at + QPointF(0, face.cap_height() / 2), text, face, letters, Across::centre);
  }
}

QColor carried_colour(const TreeFigure& tree, Theme theme) {
  return tree.carried == Part::none ? palette_colour(PartColour::green, theme)
                                    : part_colour(tree.carried, theme);
}

std::vector<TreeKeyEntry> tree_key(const TreeFigure& tree, const Stems& stems, const Style& style) {
  using Mark = TreeKeyEntry::Mark;
  std::set<Part> parts;
  std::set<std::int64_t> kinds;
  bool carried = stems.carried;
  for (const StemJoin& join : stems.joins) {
    const TreeNode& node = tree.nodes[static_cast<std::size_t>(join.node)];
    if (node.part != Part::none) {
      parts.insert(node.part);
    }
    kinds.insert(node.kind);
    carried = carried || stems.top(stems.stems[join.key]) + 1 < join.layer;
  }
  bool again = false;
  for (const Stem& stem : stems.stems) {
    again = again || stem.number > 1;
    std::int64_t below = 0;
    for (const std::size_t join : stem.joins) {
      carried = carried || below + 1 < stems.joins[join].layer;
      below = stems.joins[join].layer;
    }
  }
  std::vector<TreeKeyEntry> result;
  for (const Part part : parts) {
    const std::string_view label = part.label();
    result.push_back(
        {Mark::part, QString::fromUtf8(label.data(), static_cast<qsizetype>(label.size())), part});
  }
  const bool full = on_screen(style) && !parts.empty();
  if (!stems.joins.empty()) {
    result.push_back({Mark::query, full            ? QStringLiteral("query keeps its place")
                                   : parts.empty() ? QStringLiteral("source")
                                                   : QStringLiteral("query")});
    result.push_back({Mark::key, full            ? QStringLiteral("reads a key")
                                 : parts.empty() ? QStringLiteral("target")
                                                 : QStringLiteral("key")});
  }
  if (carried) {
    result.push_back({Mark::carried, full ? QStringLiteral("carried unchanged") : QStringLiteral("carried")});
  }
  if (again) {
    result.push_back({Mark::again, QStringLiteral("the word again")});
  }
  const auto explain = [&](std::int64_t kind, const char* text) {
    if (kinds.count(kind) > 0) {
      result.push_back({Mark::none, QString::fromLatin1(text)});
    }
  };
  explain(2, "kind 2: overlap");
  explain(3, "kind 3: overlap and loop");
  explain(4, "kind 4: loop");
  return result;
}

std::vector<TreeKeyEntry> shared_tree_key(const std::vector<const TreeFigure*>& trees, const Style& style) {
  std::vector<TreeKeyEntry> all;
  for (const TreeFigure* const tree : trees) {
    for (const TreeKeyEntry& entry : tree_key(*tree, stems_of(*tree), style)) {
      const bool known = std::any_of(all.begin(), all.end(), [&](const TreeKeyEntry& one) {
        return one.mark == entry.mark && one.part == entry.part && one.label == entry.label;
      });
      if (!known) {
        all.push_back(entry);
      }
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const TreeKeyEntry& a, const TreeKeyEntry& b) { return a.mark < b.mark; });
  return all;
}

double tree_key_height(const std::vector<TreeKeyEntry>& entries, const Style& style, double width) {
  return flow(entries, style, width).height;
}

void draw_tree_key(Pen& pen, const std::vector<TreeKeyEntry>& entries, const QRectF& area,
                   const QColor& carried) {
  const TypeFace face = key_face(pen.style());
  const Flowing flowing = flow(entries, pen.style(), area.width());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const QPointF at = area.topLeft() + flowing.at[i];
    draw_mark(pen, entries[i], at, carried);
    pen.text(at + QPointF(mark_width(entries[i], pen.style()), face.cap_height() / 2), entries[i].label, face,
             soft_ink(pen.theme()));
  }
}

}  // namespace mog::figures
