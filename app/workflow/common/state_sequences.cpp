// A derivation is gone through once. What its states share, the composed words and the transitions, is in
// the batch once, so that n words cost O(n) compositions and O(n²) tokens for all of their states.
#include "app/workflow/common/state_sequences.h"

#include <algorithm>
#include <utility>

#include "app/workflow/common/state_tokens.h"
#include "model/dependency_graph.h"

namespace mog::app {
namespace {

std::size_t index(std::int32_t vertex) {
  return static_cast<std::size_t>(vertex);
}

model::StateInput& states_of(model::PackedBatch& batch) {
  return batch.states ? *batch.states : batch.states.emplace();
}

class StateWriter {
 public:
  // The batch is borrowed. transitions: those that are read as history.
  StateWriter(const StateSource& source, std::span<const analysis::ParserTransition> transitions,
              model::PackedBatch& batch)
      : source_(source),
        batch_(batch),
        states_(states_of(batch)),
        state_(static_cast<std::int32_t>(source.ids.size()) - 1),
        derivation_(static_cast<std::int64_t>(states_.derivations.size())) {
    for (const std::int64_t id : source.ids) {
      own_.push_back(composes() ? add({.id = id}) : -1);
    }
    composed_ = own_;
    if (source.history) {
      std::vector<model::PastTransition>& past = states_.derivations.emplace_back();
      for (const analysis::ParserTransition& transition : transitions) {
        past.push_back({static_cast<std::int64_t>(transition.action), transition.label});
      }
    }
  }

  void go_on(const analysis::ParserTransition& transition) {
    const std::size_t arcs = state_.removed().size();
    state_.apply(transition);
    ++done_;
    if (composes() && state_.removed().size() > arcs && transition.label >= 0) {
      compose(state_.removed().back(), transition.label);
    }
  }

  // What the heads read of the state that is appended.
  model::StateTokens append() {
    const std::int64_t first = batch_.tokens();
    places_.assign(source_.ids.size(), -1);
    tokens_.clear();
    add_words(state_.stack(), model::StateSegment::stack);
    add_separator(model::StateSegment::stack);
    add_words(state_.buffer(), model::StateSegment::buffer);
    add_separator(model::StateSegment::buffer);
    if (source_.reads_graph) {
      add_words(state_.removed(), model::StateSegment::removed);
    }
    batch_.append(tokens_, arcs());
    if (source_.history) {
      states_.history.emplace_back(derivation_, done_);
    }
    if (source_.classifier == model::StateClassifier::cls) {
      return {first, -1, -1};
    }
    model::StateTokens tokens = state_tokens(state_, places_);
    for (std::int64_t& token : tokens) {
      token = token < 0 ? token : first + token;
    }
    return tokens;
  }

 private:
  bool composes() const { return source_.composition != model::Composition::none; }
  std::int64_t add(const model::ComposedWord& word) {
    states_.words.push_back(word);
    return static_cast<std::int64_t>(states_.words.size()) - 1;
  }
  void compose(std::int32_t word, std::int32_t label) {
    const auto head = static_cast<std::int32_t>(state_.heads()[index(word) - 1]);
    const std::vector<std::int64_t>& of =
        source_.composition == model::Composition::recursive ? composed_ : own_;
    composed_[index(head)] = add({.head = of[index(head)], .dependent = of[index(word)], .label = label});
  }
  void add_words(std::span<const std::int32_t> words, model::StateSegment segment) {
    for (const std::int32_t word : words) {
      const bool own = segment == model::StateSegment::removed || composed_[index(word)] == own_[index(word)];
      places_[index(word)] = static_cast<std::int64_t>(tokens_.size());
      add_token(source_.ids[index(word)], segment, own ? -1 : composed_[index(word)]);
    }
  }
  void add_separator(model::StateSegment segment) { add_token(source_.separator, segment, -1); }
  void add_token(std::int64_t id, model::StateSegment segment, std::int64_t composed) {
    tokens_.push_back(id);
    states_.segments.push_back(segment);
    if (composes()) {
      states_.composed.push_back(composed);
    }
  }
  std::vector<model::GraphArc> arcs() const {
    std::vector<model::GraphArc> arcs;
    for (const std::int32_t word : source_.reads_graph ? state_.removed() : std::span<const std::int32_t>{}) {
      const std::int64_t label = state_.labels()[index(word) - 1];
      if (label < 0) {
        continue;
      }
      const std::int64_t dependent = places_[index(word)];
      const std::int64_t head = places_[index(state_.heads()[index(word) - 1])];
      arcs.push_back({dependent, head, label + 1});
      arcs.push_back({head, dependent, label + 1 + source_.labels});
    }
    std::sort(arcs.begin(), arcs.end(), [](const model::GraphArc& left, const model::GraphArc& right) {
      return std::pair(left.query, left.key) < std::pair(right.query, right.key);
    });
    return arcs;
  }

  const StateSource& source_;
  model::PackedBatch& batch_;
  model::StateInput& states_;
  analysis::ParserState state_;
  std::int64_t derivation_;
  std::int64_t done_ = 0;
  std::vector<std::int64_t> own_;       // [vertex] its number in the composed words
  std::vector<std::int64_t> composed_;  // [vertex] that of what stands for it
  std::vector<std::int64_t> places_;    // [vertex] its token in the state
  std::vector<std::int64_t> tokens_;
};

}  // namespace

StateSource state_source(const model::ModelConfig& config, const Sentence& sentence) {
  StateSource source;
  for (const std::int64_t token : model::vertex_tokens(sentence)) {
    source.ids.push_back(token < 0 ? config.unk_id : sentence.tokens[static_cast<std::size_t>(token)].id);
  }
  source.separator = config.eos_id;
  source.reads_graph = config.encoder.graph_input.has_value();
  source.labels = static_cast<std::int64_t>(config.graph->labels.size());
  source.classifier = config.graph->classifier;
  source.composition = config.graph->composition;
  source.history = config.graph->history > 0;
  return source;
}

std::vector<model::StateTokens> append_states(const StateSource& source, const analysis::ParserTrace& trace,
                                              std::size_t first, std::size_t last,
                                              model::PackedBatch& batch) {
  const std::span<const analysis::ParserTransition> transitions = trace.transitions;
  StateWriter writer(source, transitions.first(last), batch);
  std::vector<model::StateTokens> tokens;
  for (std::size_t done = 0;; ++done) {
    if (done >= first) {
      tokens.push_back(writer.append());
    }
    if (done == last) {
      return tokens;
    }
    writer.go_on(transitions[done]);
  }
}

void append_sentence(const StateSource& source, std::span<const std::int64_t> ids,
                     model::PackedBatch& batch) {
  model::StateInput& states = states_of(batch);
  batch.append(ids);
  states.segments.insert(states.segments.end(), ids.size(), model::StateSegment::buffer);
  if (source.composition != model::Composition::none) {
    states.composed.insert(states.composed.end(), ids.size(), -1);
  }
  if (source.history) {
    states.history.emplace_back(static_cast<std::int64_t>(states.derivations.size()), 0);
    states.derivations.emplace_back();
  }
}

}  // namespace mog::app
