// The exact decompositions of a plain Transformer encoder, beside its forward pass.
//
// Stands between the pass and the capture: it shows on what the capture wants, takes what a layer computed
// (input, pattern, attention output, feed-forward output, layer output) and, when the layer is done, gives
// the wanted decompositions to the capture. Without one nothing of this is computed.
//
// Covered: plain Transformer encoders, post- and pre-norm, layer and RMS norm, with or without biases and
// final norm, heads of any width, all activations, gated feed-forward blocks, relative positions (their bias
// is a logit term of its own). Sentences come in groups of equal length without padding.
#pragma once

#include <ATen/ATen.h>

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "model/engine/decomposition/identities.h"
#include "model/engine/decomposition/layer_trace.h"
#include "model/engine/decomposition/propagation.h"
#include "model/engine/decomposition/split.h"
#include "model/engine/decomposition/values.h"
#include "model/engine/modules/taps.h"
#include "model/engine/runtime/observation.h"

namespace mog::engine {

class GivenVectors;

class Decomposer final : public Taps {
 public:
  // Everything is borrowed. input: planned without padding and masks.
  Decomposer(const model::ModelConfig& config, const Weights& weights, const PackedInput& input,
             Observation& observation, std::span<model::Observer* const> observers);

  bool wants(const QuantityName& name) const override;
  void rows(const QuantityName& name, const at::Tensor& values) override;
  bool wants_contributions(Stack stack, std::int64_t layer) const override {
    return observation_.wants_contributions(stack, layer);
  }
  void contribution(const QuantityName& part_output, const at::Tensor& entering) override {
    observation_.contribution(part_output, entering);
  }
  void maps(const QuantityName& name, const AttentionPlan& plan, const AttentionGroup& group,
            const at::Tensor& maps) override;
  void flush() override;

 private:
  bool asked(Part part, Quantity quantity, Reduction reduction = Reduction::full) const;
  bool needs(const QuantityName& name) const;
  // Something of these quantities is wanted in this layer, or everything is checked.
  bool any(std::span<const Quantity> quantities) const;

  void finish_layer();
  void finish_encoder(const at::Tensor& output);
  void show_split(const OutputParts& parts);
  void show_scores(const AttentionGroup& group, const ScoreParts& joined, const ScoreParts* separate);
  // [sentences * head, query, term, key]: the Aumann-Shapley maps.
  at::Tensor show_shapley(const AttentionGroup& group, const at::Tensor& pattern, const at::Tensor& terms);
  void show_values(const AttentionGroup& group, const OutputParts& parts, const ValueParts& values,
                   const at::Tensor& shapley);
  void show_maps();
  void propagate(std::size_t index, const at::Tensor& output);
  void check_layer(const OutputParts& parts);
  void check_given(const GivenVectors& given, const AttentionGroup& group, const at::Tensor& pattern);

  // One value a token, or more: [token, …].
  void give_rows(Part part, Quantity quantity, Reduction reduction, const at::Tensor& rows);
  // Values [sentences, …] of one group, when they are wanted; groups come in order.
  void gather(Part part, Quantity quantity, Reduction reduction, const at::Tensor& values);
  void give_gathered();

  const model::ModelConfig& config_;
  const Weights& weights_;
  const StackInput& source_;
  const std::vector<AttentionGroup>& groups_;
  Observation& observation_;
  Identities identities_;
  at::Tensor position_bias_;  // of relative positions; undefined without
  bool parts_ = false;        // the parts of a layer's output are needed one by one
  bool splits_ = false;       // some layer needs the parts of its input
  std::int64_t layer_ = 0;    // of what is asked, gathered and given; 0: the whole encoder
  LayerTrace trace_;
  StateParts state_;
  at::Tensor output_;  // of the encoder
  std::optional<Propagation> propagation_;
  std::map<QuantityName, std::vector<at::Tensor>> gathered_;
};

}  // namespace mog::engine
