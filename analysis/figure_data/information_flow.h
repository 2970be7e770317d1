// The information flow of one sentence: states of words, layer by layer, and what each takes from others.
//
// The weights are those of one step of the attention grammar (analysis/mog/grammar/attention_grammar.h), so
// that over all edges into a state they sum to 1: Graph-Transformer   carried 1 − g; a part p from word n: g
// · π_p · A_p[m, n] Transformer         carried ρ; attention (1 − ρ) · A[m, n] GRU, LSTM           from the
// step before, carried 1 − z and taken into the new value z · σ; from the layer
//                     below z · (1 − σ); of two directions these of each, and their shares in the joined
//                     state
// A state of a Graph-Transformer is both of its representations: middle1 reads the previous one of its key,
// high and middle2 the incremental one. Attention to special tokens is left out, rows sum to 1 again.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/figure_data/figure_data.h"
#include "analysis/mog/grammar/from_recording.h"
#include "io/recording/sentence_recording.h"

namespace mog::analysis {

// A state and what is kept for it.
struct FlowState {
  std::int64_t word = 0;     // from 0
  std::int64_t layer = 0;    // 0: the input
  Part part = Part::none;    // forward, backward: of that direction, before they are joined
  bool descendants = false;  // keep what it flows into; else what flowed into it
  friend bool operator==(const FlowState&, const FlowState&) = default;
};
// "4@2" (word 4, from 1, of layer 2), "4@2:forward". Throws UsageError.
FlowState parse_flow_state(const std::string& text, bool descendants = false);
std::string flow_state_text(const FlowState& state);

struct FlowOptions {
  std::optional<double> threshold{};  // weaker edges are left out; empty: automatic_threshold()
  std::optional<FlowState> state{};   // only edges on the ways to it (from it) by edges that are not left out
  std::int64_t at_most = 3000;        // the strongest are kept
  std::string grammar{};              // said in the caption: how the grammar was chosen
};

// Safe to read from several threads.
class InformationFlow {
 public:
  // Throws as build_word_grammar. A plain Transformer's ρ is the grammar's where `grammar.rho` is given;
  // otherwise the recorded one: carried / (carried + attention) of `encoder.L.split.norm`, or the low order
  // of `encoder.L.pseudo_gate.proximity` beside the other orders; where neither is recorded it is assumed,
  // 1/2.
  InformationFlow(const RecordingSource& source, std::int64_t index, const WordGrammarOptions& grammar = {});

  // The weight that the strongest two edges a word and layer reach, carried ones not counted.
  double automatic_threshold() const noexcept { return automatic_threshold_; }
  // Throws UsageError for a state that is not there.
  FigureData figure(const FlowOptions& options = {}) const;

  const GrammarChoices& choices() const noexcept { return choices_; }
  std::int64_t sentence() const noexcept { return sentence_; }  // its number in the corpus
  std::int64_t words() const noexcept { return static_cast<std::int64_t>(input_.words.size()); }
  // Rows of the figure, from the bottom.
  const std::vector<FlowRow>& rows() const noexcept { return rows_; }
  // [token] -> word of the figure; -1: none.
  const std::vector<std::int64_t>& word_of_token() const noexcept { return word_of_token_; }
  // Where each word begins, as a token.
  std::int64_t token_of(std::int64_t word) const;

  bool recurrent() const noexcept { return is_recurrent(input_.kind); }
  // Every edge of positive weight, state by state. O(edges).
  void for_each_edge(const std::function<void(const FlowEdge&)>& visit) const;

 private:
  void make_rows();
  void read_carried_shares(const RecordingSource& source, std::int64_t index);
  void measure();
  std::int64_t row_of(const FlowState& state) const;
  std::vector<FlowEdge> strong_edges(double threshold) const;
  void visit_layer(std::int64_t layer, const std::function<void(const FlowEdge&)>& visit) const;
  void visit_recurrent(std::int64_t layer, const std::function<void(const FlowEdge&)>& visit) const;

  GrammarInput input_;
  std::vector<DirectionParts> directions_;  // of a recurrent stack, the forward one first
  std::vector<FlowRow> rows_;
  std::vector<std::int64_t> word_of_token_;
  std::string weights_;  // what they are
  std::int64_t sentence_ = 0;
  ModelCard model_;
  std::string corpus_;
  GrammarChoices choices_;
  double dropped_ = 0;  // attention to special tokens, mean over maps
  double automatic_threshold_ = 0;
  std::int64_t edge_count_ = 0;
};

// The strongest `each` keys of every word in every layer, parts added up, without the word itself: what
// stands behind a tree. Empty for recurrent stacks, whose words read the step before them and no key.
std::vector<TreeFlow> strongest_keys(const InformationFlow& flow, std::size_t each = 2);

}  // namespace mog::analysis
