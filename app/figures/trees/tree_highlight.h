// What is lit over the picture of a tree: a subgraph, words, the selected join with its operands.
#pragma once

#include <cstdint>
#include <vector>

#include "app/figures/painter.h"
#include "app/figures/trees/tree_drawing.h"

namespace mog::figures {

void draw_tree_highlight(Pen& pen, const TreeDrawing& drawing, const Highlight& highlight);

// A join as an operand is drawn: its stem up to it, and all that was taken in on the way.
struct Subgraph {
  std::vector<std::size_t> joins;
  std::vector<std::size_t> stems;
  std::int64_t top = 0;  // the layer of the last join; 0: a word
};
Subgraph subgraph_of(const Stems& stems, std::size_t join);
// What the join had, and what it takes in.
Subgraph left_of(const Stems& stems, std::size_t join);
Subgraph right_of(const Stems& stems, std::size_t join);

}  // namespace mog::figures
