// What a parser has done before a state, as a vector.
#pragma once

#include <ATen/ATen.h>

#include "model/engine/modules/weights.h"
#include "model/parser_states.h"

namespace mog::engine {

// [state, h], in the order of StateInput::history; checked as pack_states() does.
at::Tensor history_rows(const HistoryWeights& weights, const model::StateInput& states);

}  // namespace mog::engine
