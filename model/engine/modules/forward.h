// The arithmetic of docs/model-directory.md, once, for inference and for training. Packed: linear layers and
// layer norms see [token, d_model] of real tokens only; attention runs over the groups of a plan.
//
// Inference: at::NoGradGuard (or InferenceMode) around the call, no dropout. Training: leaf tensors with
// requires_grad under the weights, `dropout` set; everything is differentiable.
#pragma once

#include <ATen/ATen.h>

#include <mutex>
#include <string>
#include <string_view>

#include "model/config/config.h"
#include "model/engine/modules/applied_interventions.h"
#include "model/engine/modules/dropout.h"
#include "model/engine/modules/packed_input.h"
#include "model/engine/modules/relaxed_tokens.h"
#include "model/engine/modules/taps.h"
#include "model/engine/modules/weights.h"

namespace mog::engine {

// Rows of the sinusoidal positions, computed once and grown on demand; safe from several threads.
class SinusoidTable {
 public:
  explicit SinusoidTable(std::int64_t d_model) : d_model_(d_model) {}
  // [at least count, d_model] float32 on `device`: row r belongs to position r (the first token of a sentence
  // has first_position, usually 2).
  at::Tensor rows(std::int64_t count, at::Device device) const;

 private:
  std::int64_t d_model_;
  mutable std::mutex mutex_;
  mutable at::Tensor table_;
};

class GlobalRepresentation;
class LayerFeed;
class ScoreCuts;

// What a forward pass works with; everything is borrowed.
struct ForwardContext {
  const model::ModelConfig& config;
  const Weights& weights;
  const SinusoidTable& sinusoids;
  const Dropout* dropout = nullptr;
  const AppliedInterventions* applied = nullptr;
  Taps* taps = nullptr;
  const RelaxedTokens* relaxed = nullptr;
  ScoreCuts* cuts = nullptr;               // of the encoder's attention scores
  GlobalRepresentation* global = nullptr;  // follows the encoder's layers
  LayerFeed* feed = nullptr;               // of the encoder's layers; nullptr: all are in memory
};

// Of a sentence or a row, [sentence or row, d_model]; undefined without a global representation.
struct GlobalState {
  at::Tensor state;  // s of the last encoder layer
  at::Tensor gate;   // what it adds to the gate's sum, with the gate's bias
  bool defined() const { return state.defined(); }
  GlobalState repeated(std::int64_t width) const;   // `width` rows for each
  GlobalState rows(const at::Tensor& index) const;  // index: [row] int64
};

// What a decoder reads of a batch.
struct SourceStates {
  at::Tensor states;  // [token, d_model], the encoder output
  GlobalState global;
};

// [token, d_model]: the encoder output. Layers are shown to context.global where it is set.
at::Tensor encode(const ForwardContext& context, const PackedInput& input);
// With the global representation, where the configuration has one.
SourceStates encode_source(const ForwardContext& context, const PackedInput& input);
// Its steps, for a caller that gives a layer other states than those of the layer below (layer from 1).
// previous: P, undefined stands for zeros (first layer; recurrent layers read F alone); full: F; both [token,
// d_model].
at::Tensor encode_embedding(const ForwardContext& context, const PackedInput& input);
at::Tensor encode_layer(const ForwardContext& context, const PackedInput& input, std::int64_t layer,
                        const at::Tensor& previous, const at::Tensor& full);
// Teacher forcing: [target_token, d_model], the last state of the decoder, from which tokens are scored.
// input.target and input.cross_plan must be set.
at::Tensor decode(const ForwardContext& context, const PackedInput& input, const SourceStates& source);
// Shows what follows each token by states of the encoder, [token, d_model], as far as it is wanted: of layer
// `layer` (before the last norm), or with 0 of the encoder's output. Only with a language model.
void show_next_tokens(const ForwardContext& context, const StackInput& input, std::int64_t layer,
                      const at::Tensor& states);
// [target_token, Vt].
at::Tensor output_logits(const ForwardContext& context, const at::Tensor& states);
// [token, tags]. Throws UsageError for a task that the model does not have.
at::Tensor tag_logits(const ForwardContext& context, std::string_view task, const at::Tensor& states);

}  // namespace mog::engine
