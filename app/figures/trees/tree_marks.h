// Numbers beside words and joins of a tree, for a text that explains them.
#pragma once

#include "app/figures/painter.h"
#include "app/figures/trees/tree_drawing.h"

namespace mog::figures {

// Nothing where the tree does not have it.
void draw_tree_mark(Pen& pen, const TreeDrawing& drawing, const NoteMark& mark);

}  // namespace mog::figures
