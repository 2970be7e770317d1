// What a student is compared with, and the losses between the two.
#pragma once

#include <ATen/ATen.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/engine/modules/forward.h"
#include "model/trainer.h"

namespace mog::engine {

// Keeps the states (and, when asked, the head means of the attention maps) of one forward pass; gradients
// flow through what it keeps.
class StateTaps final : public Taps {
 public:
  StateTaps(const model::EncoderConfig& config, bool maps) : config_(config), keep_maps_(maps) {
    states_.resize(static_cast<std::size_t>(config.layers) + 1);
    maps_.resize(static_cast<std::size_t>(config.layers) + 1);
  }
  bool wants(const QuantityName& name) const override;
  void rows(const QuantityName& name, const at::Tensor& values) override;
  void sentences(const QuantityName&, const at::Tensor&) override {}
  bool wants_contributions(Stack, std::int64_t) const override { return false; }
  void contribution(const QuantityName&, const at::Tensor&) override {}
  void maps(const QuantityName& name, const AttentionPlan& plan, const AttentionGroup& group,
            const at::Tensor& maps) override;
  void flush() override {}

  // [token, d_model]: 0 the embedding, l the output of layer l.
  const at::Tensor& state(std::int64_t layer) const { return states_[static_cast<std::size_t>(layer)]; }
  const at::Tensor& output() const { return output_; }  // of the encoder; undefined in a layerwise pass
  // Of layer l: one block [sentences, queries, keys] a group, the mean over heads and parts.
  std::vector<at::Tensor> mean_maps(std::int64_t layer) const;

 private:
  struct PartMaps {
    std::int64_t count = 0;          // parts
    std::vector<at::Tensor> groups;  // sums over parts of the head means
    std::size_t next = 0;            // group of the part that is being shown
  };
  const model::EncoderConfig& config_;
  bool keep_maps_;
  std::vector<at::Tensor> states_;
  std::vector<PartMaps> maps_;
  at::Tensor output_;
};

// The losses of one batch, each a mean over its tokens (sentences).
struct DistillationTerms {
  at::Tensor total;  // weighted sum, differentiable; undefined when no factor is above 0
  std::map<std::string, double> values;
};

// One pass over a batch. units: int64 [token], the unit of TeacherReading that it lies in; undefined: every
// token is one, and both passes have the same tokens and groups.
struct Reading {
  const StateTaps& taps;
  const model::EncoderConfig& config;
  const PackedInput& input;
  at::Tensor units = {};
  std::int64_t unit_count = 0;
};

// Layers of encoders of different depth are matched by their share of the depth: layer l of L with layer
// ceil(l·L'/L) of L'.
DistillationTerms distillation_terms(const Reading& student, const Reading& teacher,
                                     const model::LossWeights& losses, model::StateLoss state_loss);

// The student's layers on the teacher's states (LossWeights::layerwise); returns what a decoder reads then.
SourceStates encode_layerwise(const ForwardContext& student, const PackedInput& input,
                              const StateTaps& teacher);

}  // namespace mog::engine
