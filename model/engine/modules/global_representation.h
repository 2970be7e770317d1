// The global representation of a source sentence (GRET, Weng et al. 2020, §2; docs/model-directory.md,
// Arithmetic): capsules of every encoder layer, pooled, gathered layer by layer by a GRU, and taken into the
// last states of the decoder through a gate.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>

#include "model/engine/modules/forward.h"

namespace mog::engine {

// Follows one pass of an encoder, layer by layer; keeps nothing of a layer but the GRU's state.
class GlobalRepresentation {
 public:
  // Everything is borrowed. The configuration has gret.
  GlobalRepresentation(const ForwardContext& context, const StackInput& source);
  // The output of encoder layer `layer` (from 1), [token, d_model]; every layer once, in order. Shows the
  // routing, capsules and pooling weights of the layer. Differentiable.
  void add_layer(std::int64_t layer, const at::Tensor& states);
  // After the last layer.
  GlobalState state() const;

 private:
  at::Tensor routed(std::int64_t layer, const at::Tensor& states) const;
  void show_capsules(std::int64_t layer, const at::Tensor& capsules) const;
  at::Tensor pooled(std::int64_t layer, const at::Tensor& capsules) const;

  const ForwardContext& context_;
  const model::GretConfig& config_;
  const AttentionPlan& plan_;  // of the source
  AttentionPlan one_query_;    // as routing is shown: one query a sentence
  at::Tensor state_;           // s, [sentence, d_model]; undefined before the first layer
};

// r' = r + s·g (GRET eq. 12, 13). states: r, [row, d_model], the last states of the decoder; of_rows: of the
// sentence of every row. Without a global state r' = r. Shows the gate.
at::Tensor with_global(const ForwardContext& context, const at::Tensor& states, const GlobalState& of_rows);

}  // namespace mog::engine
