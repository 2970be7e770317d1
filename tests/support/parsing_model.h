// A fake parser: of a sentence alone every word hangs on the next one, the last is the root; of a sentence
// with a graph every word hangs on the last one, but where the graph has word 1 on word 3, word 2 hangs on
// word 1.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "app/workflow/record/live_run.h"
#include "model/dependency_graph.h"
#include "tests/support/pair_model.h"

namespace mog::test {

class ParsingModel final : public PairModel {
 public:
  // Labels a (of a sentence alone), b (with a graph), root.
  explicit ParsingModel(bool refines) {
    config_.graph->labels = {"a", "b", "root"};
    config_.graph->link_pieces = false;
    config_.graph->refinements = refines ? 3 : 0;
    if (refines) {
      config_.encoder.graph_input.emplace();
      config_.encoder.graph_input->relations = config_.graph->relations();
    }
  }
  static constexpr float kArc = 5;    // score of the arc that is wanted, above 0 of the others
  static constexpr float kLabel = 3;  // the same of its label

 private:
  // Words are the tokens but the last one, </s>, which is the root's.
  std::vector<float> scores(const model::PackedBatch& batch, std::int64_t s,
                            const std::string& scorer) const override {
    const bool labels = scorer == "labels";
    const std::int64_t first = batch.offsets[static_cast<std::size_t>(s)];
    const std::int64_t size = batch.length(s);
    const std::int64_t words = size - 1;
    const bool graph = std::any_of(batch.arcs.begin(), batch.arcs.end(), [&](const model::GraphArc& arc) {
      return arc.query >= first && arc.query < first + size;
    });
    const bool first_on_third =
        std::any_of(batch.arcs.begin(), batch.arcs.end(), [&](const model::GraphArc& arc) {
          return arc.query == first && arc.key == first + 2 && arc.relation <= 3;  // from dependent to head
        });
    const auto cells = static_cast<std::size_t>(size * size);
    std::vector<float> values(labels ? 3 * cells : cells, 0.0F);
    for (std::int64_t word = 0; word < words; ++word) {
      const std::int64_t next = graph ? words - 1 : word + 1;
      const std::int64_t head = word + 1 == words ? words : graph && first_on_third && word == 1 ? 0 : next;
      if (!labels) {
        values[static_cast<std::size_t>(word * size + head)] = kArc;
      }
      for (std::int64_t other = 0; labels && other < size; ++other) {
        const std::int64_t label = other == words ? 2 : graph ? 1 : 0;
        values[static_cast<std::size_t>(label) * cells + static_cast<std::size_t>(word * size + other)] =
            kLabel;
      }
    }
    return values;
  }
};

inline app::LoadedModel parsing_model(bool refines = false) {
  app::LoadedModel loaded;
  loaded.model = std::make_shared<const ParsingModel>(refines);
  loaded.tokenizer = std::make_shared<const FakeTokenizer>();
  return loaded;
}

}  // namespace mog::test
