// States of a transition parser as a model reads and scores them (docs/model-directory.md, Graphs).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace mog::model {

// The tokens that tell a state, those of the second word of the stack, of its top, and of the first word of
// the buffer: tokens of a packed batch, all of one sentence, -1 where there is none.
using StateTokens = std::array<std::int64_t, 3>;

// Before the softmax.
struct StateScores {
  std::vector<float> actions;  // [state, 4], in the numbers of analysis::ParserAction
  std::vector<float> labels;   // [state, label], of an arc between the first two tokens
};

// Gets the scores of the states that it gave last, at first none, and gives the next ones; none end it.
using NextStates = std::function<std::vector<StateTokens>(const StateScores& scores)>;

}  // namespace mog::model
