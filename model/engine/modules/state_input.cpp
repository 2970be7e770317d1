// A composition needs those of its head and its dependent. So they are computed level by level, all of one
// level together: O(compositions · e²) in as many steps as the deepest chain is long.
#include "model/engine/modules/state_input.h"

#include <algorithm>

#include "io/recording/errors.h"
#include "model/engine/common/text.h"

namespace mog::engine {
namespace {

class Check {
 public:
  Check(const model::ModelConfig& config, const model::PackedBatch& batch)
      : config_(config), graph_(config.graph ? *config.graph : model::GraphConfig{}), batch_(batch) {}

  void run() const {
    if (!config_.graph || !graph_.reads_states()) {
      throw ModelError(
          "running the model: the batch has states of a parser, but the model reads none (graph.parser)");
    }
    size("segments", batch_.states->segments.size(), static_cast<std::size_t>(batch_.tokens()));
    compositions();
    history();
  }

 private:
  const model::StateInput& states() const { return *batch_.states; }
  std::int64_t labels() const { return static_cast<std::int64_t>(graph_.labels.size()); }

  static void size(const char* what, std::size_t found, std::size_t expected) {
    if (found != expected) {
      throw ShapeError(
          concat("packed batch: states of a parser with ", found, " ", what, "; there must be ", expected));
    }
  }
  static void range(const char* what, std::int64_t value, std::int64_t least, std::int64_t end) {
    if (value < least || value >= end) {
      throw ModelError(concat("running the model: states of a parser with ", what, " ", value, "; ", least,
                              " to ", end - 1, " are possible"));
    }
  }

  void compositions() const {
    const auto count = static_cast<std::int64_t>(states().words.size());
    if (graph_.composition == model::Composition::none && count > 0) {
      throw ModelError(
          "running the model: the batch has compositions of words, but the model has none "
          "(graph.composition)");
    }
    for (std::int64_t at = 0; at < count; ++at) {
      const model::ComposedWord& word = states().words[static_cast<std::size_t>(at)];
      if (word.id >= 0) {
        range("the word", word.id, 0, config_.vocab_size);
        continue;
      }
      range("the head", word.head, 0, at);
      range("the dependent", word.dependent, 0, at);
      range("the label", word.label, 0, labels());
    }
    size("composed tokens", states().composed.size(),
         graph_.composition != model::Composition::none ? static_cast<std::size_t>(batch_.tokens()) : 0);
    for (const std::int64_t number : states().composed) {
      range("the composition", number, -1, count);
    }
  }

  void history() const {
    size("histories", states().history.size(),
         graph_.history > 0 ? static_cast<std::size_t>(batch_.sentences()) : 0);
    for (const std::vector<model::PastTransition>& derivation : states().derivations) {
      for (const model::PastTransition& transition : derivation) {
        range("the action", transition.action, 0, model::kParserActions);
        range("the label", transition.label, -1, labels());
      }
    }
    for (const auto& [derivation, length] : states().history) {
      range("the derivation", derivation, 0, static_cast<std::int64_t>(states().derivations.size()));
      range("a history of", length, 0,
            static_cast<std::int64_t>(states().derivations[static_cast<std::size_t>(derivation)].size()) + 1);
    }
  }

  const model::ModelConfig& config_;
  model::GraphConfig graph_;
  const model::PackedBatch& batch_;
};

// Composed words as rows: words themselves, then level by level.
class Levels {
 public:
  explicit Levels(const std::vector<model::ComposedWord>& words) : words_(words), rows_(words.size()) {
    std::vector<std::size_t> levels;
    for (std::size_t at = 0; at < words.size(); ++at) {
      const auto level = [&](std::int64_t number) { return levels[static_cast<std::size_t>(number)]; };
      levels.push_back(words[at].id >= 0 ? 0
                                         : 1 + std::max(level(words[at].head), level(words[at].dependent)));
      by_level_.resize(std::max(by_level_.size(), levels.back() + 1));
      by_level_[levels.back()].push_back(at);
    }
    std::int64_t row = 0;
    for (const std::vector<std::size_t>& own : by_level_) {
      for (const std::size_t at : own) {
        rows_[at] = row++;
      }
    }
  }

  std::int64_t row(std::int64_t number) const { return rows_[static_cast<std::size_t>(number)]; }
  at::Tensor ids(at::Device device) const {
    std::vector<std::int64_t> ids;
    for (const std::size_t at : by_level_.front()) {
      ids.push_back(words_[at].id);
    }
    return to_device(ids, device);
  }
  std::vector<PackedStates::Level> composed(at::Device device) const {
    std::vector<PackedStates::Level> levels;
    for (std::size_t level = 1; level < by_level_.size(); ++level) {
      std::vector<std::int64_t> heads;
      std::vector<std::int64_t> dependents;
      std::vector<std::int64_t> labels;
      for (const std::size_t at : by_level_[level]) {
        heads.push_back(row(words_[at].head));
        dependents.push_back(row(words_[at].dependent));
        labels.push_back(words_[at].label);
      }
      levels.push_back({to_device(heads, device), to_device(dependents, device), to_device(labels, device)});
    }
    return levels;
  }

 private:
  const std::vector<model::ComposedWord>& words_;
  std::vector<std::vector<std::size_t>> by_level_;
  std::vector<std::int64_t> rows_;
};

at::Tensor compose(const CompositionWeights& weights, const at::Tensor& rows,
                   const PackedStates::Level& level) {
  const at::Tensor head = rows.index_select(0, level.head);
  const at::Tensor parts =
      at::cat({head, rows.index_select(0, level.dependent), at::embedding(weights.labels, level.label)}, 1);
  return head + weights.output(at::tanh(weights.join(parts)));
}

}  // namespace

PackedStates pack_states(const model::ModelConfig& config, const model::PackedBatch& batch,
                         at::Device device) {
  Check(config, batch).run();
  const model::StateInput& states = *batch.states;
  PackedStates packed;
  std::vector<std::int64_t> segments;
  segments.reserve(states.segments.size());
  for (const model::StateSegment segment : states.segments) {
    segments.push_back(static_cast<std::int64_t>(segment));
  }
  packed.segments = to_device(segments, device);
  if (states.words.empty()) {
    return packed;
  }
  const Levels levels(states.words);
  std::vector<std::int64_t> rows;
  rows.reserve(states.composed.size());
  for (std::size_t token = 0; token < states.composed.size(); ++token) {
    const std::int64_t number = states.composed[token];
    rows.push_back(number < 0 ? static_cast<std::int64_t>(token) : batch.tokens() + levels.row(number));
  }
  packed.words = levels.ids(device);
  packed.levels = levels.composed(device);
  packed.rows = to_device(rows, device);
  return packed;
}

at::Tensor composed_inputs(const Weights& weights, const PackedStates& states, const at::Tensor& tokens) {
  if (!states.rows.defined()) {
    return tokens;
  }
  at::Tensor rows = at::embedding(weights.encoder.embedding, states.words);
  for (const PackedStates::Level& level : states.levels) {
    rows = at::cat({rows, compose(weights.composition, rows, level)});
  }
  return at::cat({tokens, rows}).index_select(0, states.rows);
}

at::Tensor segment_rows(const Weights& weights, const StackInput& input) {
  return input.states ? at::embedding(weights.segments, input.states->segments)
                      : weights.segments.select(0, static_cast<std::int64_t>(model::StateSegment::buffer));
}

}  // namespace mog::engine
