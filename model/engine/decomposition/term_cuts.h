// Attention scores without some of their terms, in a pass that goes on with what comes out (causal leave-out,
// level 3 of docs/quantity-names.md; internal to the engine).
//
// Walks beside the forward pass and keeps the previous, incremental and bias part of the state as the cut
// layers below have changed it.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "model/engine/decomposition/layer_trace.h"
#include "model/engine/modules/applied_interventions.h"
#include "model/engine/modules/score_cuts.h"

namespace mog::engine {

class TermCuts final : public ScoreCuts {
 public:
  // Everything is borrowed.
  TermCuts(const model::ModelConfig& config, const Weights& weights, const AppliedInterventions& applied)
      : config_(config), weights_(weights), applied_(applied) {}

  std::vector<AttentionOptions::Product> begin_layer(std::int64_t layer, const StackPositions& positions,
                                                     const at::Tensor& input) override;
  void end_layer(const at::Tensor& mapped, const at::Tensor& fused, const at::Tensor& attended,
                 const at::Tensor& feed_forward, const at::Tensor& output) override;

 private:
  const model::ModelConfig& config_;
  const Weights& weights_;
  const AppliedInterventions& applied_;
  LayerTrace trace_;
  StateParts state_;
};

}  // namespace mog::engine
