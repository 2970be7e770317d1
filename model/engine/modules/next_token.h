// Scores of chosen tokens as the next one.
#pragma once

#include <ATen/ATen.h>

#include "model/engine/modules/forward.h"

namespace mog::engine {

// Scores of the tokens `ids` [choice] int64 behind states of the encoder's output [row, d_model], after the
// multiplier; cap: after the cap too. [row, choice]. With a language model alone.
at::Tensor next_token_scores(const ForwardContext& context, const at::Tensor& states, const at::Tensor& ids,
                             bool cap = true);

}  // namespace mog::engine
