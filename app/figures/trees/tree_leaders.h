// Lines from the words of a sentence that stands above the picture to the columns of its graph.
#pragma once

#include <vector>

#include "app/figures/painter.h"
#include "app/figures/trees/tree_drawing.h"

namespace mog::figures {

// At the upper edge of what is seen. Left out where the column is out of sight, or ends too close to the
// edge.
void draw_tree_leaders(Pen& pen, const TreeDrawing& drawing, const std::vector<Leader>& leaders);

}  // namespace mog::figures
