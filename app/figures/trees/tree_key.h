// Marks of joins, and the line below a tree that says what its marks are.
#pragma once

#include <QRectF>
#include <QString>
#include <cstdint>
#include <vector>

#include "app/figures/pen.h"
#include "app/figures/readout.h"
#include "app/figures/trees/stems.h"

namespace mog::figures {

// A disc with its letters, where they have room. On paper parts differ by shape, too: what takes in older
// states is a square, what asks from older ones is open.
void draw_join(Pen& pen, QPointF at, double radius, Part part);
QColor carried_colour(const analysis::TreeFigure& tree, Theme theme);

struct TreeKeyEntry {
  enum class Mark : std::uint8_t { part, query, key, carried, again, none };
  Mark mark = Mark::none;
  QString label;
  Part part{};
};
std::vector<TreeKeyEntry> tree_key(const analysis::TreeFigure& tree, const Stems& stems, const Style& style);
// Of several trees: each entry once.
std::vector<TreeKeyEntry> shared_tree_key(const std::vector<const analysis::TreeFigure*>& trees,
                                          const Style& style);
double tree_key_height(const std::vector<TreeKeyEntry>& entries, const Style& style, double width);
void draw_tree_key(Pen& pen, const std::vector<TreeKeyEntry>& entries, const QRectF& area,
                   const QColor& carried);

}  // namespace mog::figures
