// Attention scores that lose some of their terms in a pass that goes on with what comes out; who knows the
// terms walks beside the pass (decomposition/term_cuts.h).
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "model/engine/modules/attention.h"
#include "model/engine/modules/query_key.h"

namespace mog::engine {

class ScoreCuts {
 public:
  virtual ~ScoreCuts() = default;
  // Called with the input of every layer in order, [token, d_model]: the products that its scores lose.
  virtual std::vector<AttentionOptions::Product> begin_layer(std::int64_t layer,
                                                             const StackPositions& positions,
                                                             const at::Tensor& input) = 0;
  // What the layer made of it: the output of attention's map, Z, A, the feed-forward block's output, F', each
  // [token, d_model].
  virtual void end_layer(const at::Tensor& mapped, const at::Tensor& fused, const at::Tensor& attended,
                         const at::Tensor& feed_forward, const at::Tensor& output) = 0;
};

}  // namespace mog::engine
