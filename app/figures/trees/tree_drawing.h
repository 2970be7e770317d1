// The pieces of a laid-out tree, painted: rows, stems, key edges, discs, labels. The picture and what is lit
// over it are made of the same.
#pragma once

#include <QColor>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "app/figures/pen.h"
#include "app/figures/trees/stem_layout.h"

namespace mog::figures {

class TreeDrawing {
 public:
  TreeDrawing(const analysis::TreeFigure& tree, const Style& style, const StemLayout& layout);

  // Lines and names of rows. Names stay at the left of what is seen.
  void rows(Pen& pen) const;
  void row_names(Pen& pen) const;
  // How far above their place words stand, so that a part that ends above them shows them; 0: they do not.
  double words_lifted(const QRectF& seen) const;
  // The upper edge of what belongs to them, where they are seen.
  double words_top(const QRectF& seen) const;
  // Words at the lower edge of what is seen, `lit` with a mark around it.
  void lifted_words(Pen& pen, std::optional<std::int64_t> lit = {}) const;
  // What words take in, whether the tree has it or not.
  void flow(Pen& pen) const;
  void stretch(Pen& pen, std::size_t index, double times = 1) const;
  void key_edge(Pen& pen, std::size_t join, double times = 1) const;
  void disc(Pen& pen, std::size_t join) const;
  void disc(Pen& pen, std::size_t join, double radius) const;
  void label(Pen& pen, const StemLabel& label) const;
  QColor carried() const;

  const analysis::TreeFigure& tree;
  const Style& style;
  const StemLayout& layout;
  StemColours colours;

  const analysis::TreeNode& node(std::size_t join) const {
    return tree.nodes[static_cast<std::size_t>(layout.stems.joins[join].node)];
  }

 private:
  void word(Pen& pen, const StemLabel& label) const;
  void boxed_word(Pen& pen, const StemLabel& label) const;
  void gap(Pen& pen, const StemLabel& label) const;
  bool is_root(const Stem& stem) const { return !stem.consumer && !tree.roots.empty(); }
};

}  // namespace mog::figures
