// The exact decompositions of a decoder by source token and decoder input, beside its forward pass (internal
// to the engine; docs/quantity-names.md, Source and target).
//
// Stands before whoever receives what the pass shows, shows everything on, and takes what it needs: the
// encoder's output, and of each decoder layer input, patterns and output. Behind the decoder's output every
// sentence is taken apart by itself. What source tokens give to the encoder's output is the encoder's own
// propagation; an encoder without one (Graph-Transformer, GRU, LSTM) leaves positions of its output.
#pragma once

#include <ATen/ATen.h>

#include <span>
#include <vector>

#include "model/engine/decomposition/decoder_propagation.h"
#include "model/engine/decomposition/decoder_results.h"
#include "model/engine/decomposition/decomposer.h"
#include "model/engine/decomposition/identities.h"
#include "model/engine/modules/taps.h"
#include "model/engine/runtime/observation.h"

namespace mog::engine {

class DecoderDecomposer final : public Taps {
 public:
  // Everything is borrowed. input: with a target, its source planned without padding and masks. inner: gets
  // what is shown; encoder: that of a plain Transformer, nullptr for other encoders.
  DecoderDecomposer(const model::ModelConfig& config, const Weights& weights, const PackedInput& input,
                    Observation& observation, Taps& inner, Decomposer* encoder,
                    std::span<model::Observer* const> observers);

  bool wants(const QuantityName& name) const override;
  void rows(const QuantityName& name, const at::Tensor& values) override;
  void sentences(const QuantityName& name, const at::Tensor& values) override {
    inner_.sentences(name, values);
  }
  bool wants_contributions(Stack stack, std::int64_t layer) const override {
    return inner_.wants_contributions(stack, layer);
  }
  void contribution(const QuantityName& part_output, const at::Tensor& entering) override {
    inner_.contribution(part_output, entering);
  }
  void maps(const QuantityName& name, const AttentionPlan& plan, const AttentionGroup& group,
            const at::Tensor& maps) override;
  // Throws Interrupted when an observer stops the run.
  void flush() override;

 private:
  // Of all sentences.
  struct Layer {
    at::Tensor input;
    at::Tensor output;
    std::vector<at::Tensor> self;   // [sentence]: [head, T, T]
    std::vector<at::Tensor> cross;  // [sentence]: [head, T, S]
  };
  // One sentence, ready to be taken apart.
  struct Run {
    std::int64_t sentence = 0;
    at::Tensor memory;  // [S, d_model]
    DecoderPropagation propagation;
    ContextVectors::Sentence facts;
  };
  bool asks(Quantity quantity) const;
  Layer& layer(const QuantityName& name);
  Run run_of(std::int64_t sentence) const;
  void finish();
  void by_token(std::size_t index, std::span<const Run> runs);
  void by_position(const Run& run);
  void take_prefix(const Run& run, ContextVectors& vectors) const;
  void alti(const Run& run, const at::Tensor& encoder);

  const model::ModelConfig& config_;
  const Weights& weights_;
  const PackedInput& input_;
  Observation& observation_;
  Taps& inner_;
  Decomposer* encoder_;
  Identities identities_;
  DecoderResults results_;
  DecoderChecks checks_;
  at::Tensor memory_;  // the encoder's output
  at::Tensor output_;  // the decoder's
  std::vector<Layer> layers_;
};

}  // namespace mog::engine
