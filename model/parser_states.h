// States of a transition parser as a model reads and scores them (docs/model-directory.md, Graphs).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace mog::model {

// The tokens that tell a state, those of the second word of the stack, of its top, and of the first word of
// the buffer: tokens of a packed batch, all of one sentence, -1 where there is none.
using StateTokens = std::array<std::int64_t, 3>;

// What of a state a token shows.
enum class StateSegment : std::uint8_t { removed, buffer, stack };
inline constexpr std::int64_t kStateSegments = 3;
inline constexpr std::int64_t kParserActions = 4;

// What stands for a word: the word itself, or one with one more dependent, both earlier ones of their list.
struct ComposedWord {
  std::int64_t id = -1;  // of a word itself
  std::int64_t head = -1;
  std::int64_t dependent = -1;
  std::int64_t label = -1;  // of the arc
  friend bool operator==(const ComposedWord&, const ComposedWord&) = default;
};

struct PastTransition {
  std::int64_t action = 0;
  std::int64_t label = -1;  // -1: none
  friend bool operator==(const PastTransition&, const PastTransition&) = default;
};

// A batch of states, for models with graph.parser = state_transitions: each sentence of it is a state.
struct StateInput {
  std::vector<StateSegment> segments;  // [token]
  std::vector<ComposedWord> words = {};
  std::vector<std::int64_t> composed = {};  // [token] which of `words` it shows, -1: its own id; or empty
  // Derivations, and for each state, [sentence], which one it is on and after how many transitions.
  std::vector<std::vector<PastTransition>> derivations = {};
  std::vector<std::pair<std::int64_t, std::int64_t>> history = {};
};

// Before the softmax.
struct StateScores {
  std::vector<float> actions;  // [state, 4], in the numbers of analysis::ParserAction
  std::vector<float> labels;   // [state, label], of an arc between the first two tokens
};

// Gets the scores of the states that it gave last, at first none, and gives the next ones; none end it.
using NextStates = std::function<std::vector<StateTokens>(const StateScores& scores)>;

}  // namespace mog::model
