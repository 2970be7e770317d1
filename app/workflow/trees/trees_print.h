// Pieces of print_trees.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/mog/expressions/graph_facts.h"
#include "app/workflow/trees/trees_job.h"

namespace mog::app {

std::string trees_as_text(std::span<const SentenceTrees> all);
std::string trees_as_json(std::span<const SentenceTrees> all);
std::string trees_as_conllu(std::span<const SentenceTrees> all);

struct PosteriorRow {
  std::int64_t layer = 0;
  Part part = Part::none;
  std::size_t source = 0;
  std::size_t target = 0;
  double expected = 0;
};
// Expected joins of at least 0.01, strongest first; ties by layer, part, words.
std::vector<PosteriorRow> strongest_joins(const SentenceTrees& trees);
// Those that are not among them: how many have a probability at all, and their sum. With the listed ones it
// is the expected order less one (of a word's state: less its own leaf).
struct UnlistedJoins {
  double below = 0;  // what a listed one has at least
  std::int64_t joins = 0;
  double expected = 0;
};
UnlistedJoins unlisted_joins(const SentenceTrees& trees);

// Calls visit(layer, part, mass [word]) for every map that counts.
template <class Visit>
void each_dropped(const SentenceTrees& trees, const Visit& visit) {
  const auto& dropped = trees.sentence->dropped;
  for (std::size_t layer = 0; layer < dropped.size(); ++layer) {
    for (std::size_t part = 0; part < dropped[layer].size(); ++part) {
      if (!dropped[layer][part].empty()) {
        visit(layer + 1, trees.grammar->parts()[part], dropped[layer][part]);
      }
    }
  }
}
// Model, sentence, goal, mode, guarantee and choices, as files of graphs state them.
analysis::GraphFacts facts_of(const SentenceTrees& trees);
double mean_of(const std::vector<double>& values);

}  // namespace mog::app
