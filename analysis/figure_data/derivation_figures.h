// Figures of multi-order graphs: derivation trees, their joins as arcs, expected joins as arcs.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/figure_data/figure_data.h"
#include "analysis/mog/orders/posteriors.h"
#include "analysis/mog/search/k_best.h"

namespace mog::analysis {

// What stands around a figure of one sentence.
struct SentenceFigureText {
  std::string title = {};
  std::string caption = {};
  std::vector<std::string> names = {};  // of the words in canonical text; empty: made from the words
  Part carried = {};  // of the system: gives its colour to what is carried on; none: green, as in the papers
};

// A derivation as a binary tree above the words: joins stand at the height of their layer, over the words
// they cover. What its last join makes is carried unchanged up to `last_layer`, the layer that owns it
// (Goal::last_layer()): no line is drawn above. `grammar`: whose derivation it is; without it nothing says
// how strong the carrying is.
FigureData tree_figure(const Derivation& derivation, std::span<const std::string> words,
                       std::int64_t last_layer, const SentenceFigureText& text = {},
                       const AttentionGrammar* grammar = nullptr);
// Several derivations of one sentence, one panel each, best first.
FigureData forest_figure(std::span<const Derivation> derivations, std::span<const std::string> words,
                         std::int64_t last_layer, const SentenceFigureText& text = {},
                         const AttentionGrammar* grammar = nullptr);
// The same joins as arcs source → target; parallel edges stay apart.
FigureData derivation_arcs(const Derivation& derivation, std::span<const std::string> words,
                           const SentenceFigureText& text = {});
// Expected number of each join above a threshold (without one a fifth of the greatest: how large numbers are
// depends on the sentence's length); one arc a part and pair, summed over layers; the strongest `at_most` of
// them.
FigureData posterior_arcs(const EdgePosteriors& posteriors, std::span<const Part> parts,
                          std::span<const std::string> words, std::optional<double> threshold = {},
                          const SentenceFigureText& text = {},
                          std::int64_t at_most = std::numeric_limits<std::int64_t>::max());

}  // namespace mog::analysis
