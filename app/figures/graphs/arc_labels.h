// Labels of arcs: at the top of each, or further along it where another one stands there.
#pragma once

#include <QString>
#include <vector>

#include "app/figures/graphs/arc_shape.h"
#include "app/figures/pen.h"

namespace mog::figures {

// "Δ nsubj" of an arc that has changed.
QString arc_label(const analysis::Arc& arc);
// Fills in where the labels stand, those of short arcs first, which have the fewest places; all of them lie
// below `top`. O(arcs²). What remains without a place has none.
void place_arc_labels(const analysis::ArcFigure& figure, const Style& style, double top,
                      std::vector<ArcShape>& shapes);
void draw_arc_label(Pen& pen, const analysis::Arc& arc, const ArcShape& shape);
// How many have no place; empty: none.
QString arc_labels_note(const analysis::ArcFigure& figure, const std::vector<ArcShape>& shapes);

}  // namespace mog::figures
