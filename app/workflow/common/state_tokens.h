// A state of the transition system as the tokens by which a model reads it.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/parsing/transition_system.h"
#include "model/parser_states.h"

namespace mog::app {

// vertex_tokens: those of model::vertex_tokens(), -1 for a word without a token.
inline model::StateTokens state_tokens(const analysis::ParserState& state,
                                       std::span<const std::int64_t> vertex_tokens) {
  const std::span<const std::int32_t> stack = state.stack();
  const auto token = [&](bool there, std::int32_t word) {
    return there ? vertex_tokens[static_cast<std::size_t>(word)] : -1;
  };
  return {token(stack.size() > 1, stack.size() > 1 ? stack[stack.size() - 2] : 0), token(true, stack.back()),
          token(!state.buffer().empty(), state.buffer().empty() ? 0 : state.buffer().front())};
}

}  // namespace mog::app
