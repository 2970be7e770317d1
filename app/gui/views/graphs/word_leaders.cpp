#include "app/gui/views/graphs/word_leaders.h"

#include <set>

#include "app/gui/widgets/figure_canvas.h"

namespace mog::gui {

std::vector<figures::Leader> leaders_to(const FigureCanvas& picture, const SentenceGraphs& graphs,
                                        const std::vector<analysis::DerivationNode>& nodes,
                                        const WordFeet& feet) {
  std::set<std::int64_t> words;
  for (const analysis::DerivationNode& node : nodes) {
    if (node.is_leaf()) {
      words.insert(node.word);
    }
  }
  std::vector<figures::Leader> leaders;
  for (const std::int64_t word : words) {
    const std::int64_t token = graphs.token_of(word);
    if (const auto foot = feet && token >= 0 ? feet(token) : std::nullopt) {
      leaders.push_back({word, picture.mapFromGlobal(*foot).x() + picture.offset().x()});
    }
  }
  return leaders;
}

}  // namespace mog::gui
