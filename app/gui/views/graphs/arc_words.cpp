#include "app/gui/views/graphs/arc_words.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mog::gui {

bool has_gold(const FigurePointer& figure) {
  const auto* arcs = figure == nullptr ? nullptr : std::get_if<analysis::ArcFigure>(&figure->body);
  return arcs != nullptr && !arcs->gold.empty();
}

FigurePointer with_words_of(FigurePointer figure, const analysis::Derivation& graph) {
  const auto* all = std::get_if<analysis::ArcFigure>(&figure->body);
  if (all == nullptr || has_gold(figure)) {
    return figure;
  }
  std::set<std::int64_t> words;
  for (const analysis::DerivationNode& node : graph.nodes) {
    words.insert(node.word);
    if (!node.is_leaf()) {
      words.insert(node.target);
    }
  }
  auto made = std::make_shared<analysis::FigureData>(*figure);
  auto& arcs = std::get<analysis::ArcFigure>(made->body);
  arcs.words.clear();
  std::vector<std::int64_t> place_of(all->words.size(), -1);
  std::int64_t left_out = 0;
  const auto count = [&] {
    if (left_out > 0) {
      arcs.words.push_back({"⋯ " + std::to_string(left_out), true, -1});
    }
    left_out = 0;
  };
  for (std::size_t word = 0; word < all->words.size(); ++word) {
    if (!words.contains(static_cast<std::int64_t>(word))) {
      ++left_out;
      continue;
    }
    count();
    place_of[word] = std::ssize(arcs.words);
    arcs.words.push_back(all->words[word]);
  }
  count();
  for (analysis::Arc& arc : arcs.arcs) {
    arc.source = place_of.at(static_cast<std::size_t>(arc.source));
    arc.target = place_of.at(static_cast<std::size_t>(arc.target));
  }
  return made;
}

std::int64_t word_at(const analysis::FigureData& figure, std::int64_t place) {
  const auto* arcs = std::get_if<analysis::ArcFigure>(&figure.body);
  return arcs != nullptr && place >= 0 && place < std::ssize(arcs->words)
             ? arcs->words[static_cast<std::size_t>(place)].word
             : place;
}

std::optional<std::int64_t> place_of_word(const analysis::FigureData& figure, std::int64_t word) {
  const auto* arcs = std::get_if<analysis::ArcFigure>(&figure.body);
  if (arcs == nullptr) {
    return word;
  }
  const auto at = std::find_if(arcs->words.begin(), arcs->words.end(),
                               [word](const analysis::WordLabel& label) { return label.word == word; });
  return at == arcs->words.end() ? std::nullopt : std::optional(at - arcs->words.begin());
}

}  // namespace mog::gui
