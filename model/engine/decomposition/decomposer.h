// The exact decompositions of a plain Transformer encoder, beside its forward pass.
//
// Stands between the pass and the observation: it shows on what the observation wants, takes what a layer
// computed (input, pattern, attention output, feed-forward output, layer output) and, when the layer is done,
// has the wanted decompositions given to the observation. Without one nothing of this is computed.
//
// Covered: plain Transformers of every configuration (docs/model-directory.md, One stack): norms anywhere,
// positions in the scores (their bias is a logit term of its own) or by turning queries and keys, groups of
// heads, caps, windows, causal masks, blocks side by side, gated feed-forward blocks, graphs as input
// (relation_parts.h). Sentences come in groups of equal length without padding.
#pragma once

#include <ATen/ATen.h>

#include <optional>
#include <span>
#include <vector>

#include "model/engine/decomposition/identities.h"
#include "model/engine/decomposition/layer_decomposition.h"
#include "model/engine/decomposition/layer_trace.h"
#include "model/engine/decomposition/propagation.h"
#include "model/engine/modules/taps.h"
#include "model/engine/runtime/observation.h"

namespace mog::engine {

class Decomposer final : public Taps {
 public:
  // Everything is borrowed. input: planned without padding and masks.
  Decomposer(const model::ModelConfig& config, const Weights& weights, const PackedInput& input,
             Observation& observation, std::span<model::Observer* const> observers);

  bool wants(const QuantityName& name) const override;
  void rows(const QuantityName& name, const at::Tensor& values) override;
  void sentences(const QuantityName& name, const at::Tensor& values) override {
    observation_.sentences(name, values);
  }
  bool wants_contributions(Stack stack, std::int64_t layer) const override {
    return observation_.wants_contributions(stack, layer);
  }
  void contribution(const QuantityName& part_output, const at::Tensor& entering) override {
    observation_.contribution(part_output, entering);
  }
  void maps(const QuantityName& name, const AttentionPlan& plan, const AttentionGroup& group,
            const at::Tensor& maps) override;
  // Throws Interrupted when an observer stops the run.
  void flush() override;

  // Called before the pass: what is needed behind it, of what source tokens give to the encoder's output.
  void keep_for_decoder(bool propagation, bool rollout);
  // Behind the encoder's output: of all layers.
  const Propagation& propagation() const { return *propagation_; }
  // [group]: products of the layers' ALTI maps, [sentences, query, key].
  const std::vector<at::Tensor>& rollouts() const noexcept { return rollouts_; }

 private:
  // Fills what the pass does not show of a layer: weights, maps, norms.
  void complete(LayerTrace& trace) const;
  void finish_layer(const LayerTrace& trace);
  void finish_encoder(const at::Tensor& output);
  void roll_out(const LayerTrace& trace);

  const model::ModelConfig& config_;
  const Weights& weights_;
  const StackInput& source_;
  Observation& observation_;
  Identities identities_;
  LayerDecomposition layers_;
  std::optional<Propagation> propagation_;  // where somebody asks for it
  bool gives_propagation_ = false;          // to observers
  bool keeps_rollouts_ = false;
  std::vector<at::Tensor> rollouts_;
  StackPositions positions_;
  std::optional<GraphTrace> graph_;  // with graph_input
  LayerTrace trace_;                 // of the layer that the pass is in
  at::Tensor output_;                // of the encoder
  StateParts state_;                 // of the next layer's input
};

}  // namespace mog::engine
