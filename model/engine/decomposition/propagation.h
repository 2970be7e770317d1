// What every source token, and the bias, gives to every token through all layers (internal to the engine).
//
// Attention, scales of the layer norms and slopes of the activation are constants of this pass, so each layer
// is a linear map and each source goes through alone; additive constants go to the bias. Sources are taken in
// tiles through all layers at once: beside what the pass left (patterns, scales, slopes of each layer) only
// one tile of vectors is in memory, never [token, source, d_model], unless somebody keeps that.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "model/engine/decomposition/layer_trace.h"

namespace mog::engine {

// φ(u) / u in closed form.
at::Tensor activation_slope(model::Activation activation, const at::Tensor& u);

class Propagation {
 public:
  // Vectors of one tile of sources of one group, after layer `layer` (from 1) or, with 0, at the encoder's
  // output: [sentences, token, source, d_model]; sources from `first`, the bias is source `tokens`.
  using Use = std::function<void(std::int64_t layer, std::int64_t first, const at::Tensor& vectors)>;

  // x⁰ [token, d_model].
  void begin(const at::Tensor& embedding) { embedding_ = embedding; }
  // Keeps what the layer needs of the trace.
  void add(const LayerTrace& trace, model::Activation activation);
  // The norm after the last layer, where there is one.
  void add_final(const LayerNorm& norm) { final_.emplace(norm, layers_.back().trace.output); }
  // x' of a layer (from 1).
  const at::Tensor& output(std::int64_t layer) const {
    return layers_.at(static_cast<std::size_t>(layer) - 1).trace.output;
  }
  // Every tile of sources, each through all layers in order. index: of the group in its plan.
  void run(const AttentionGroup& group, std::size_t index, const Use& use) const;

 private:
  struct Layer {
    LayerTrace trace;
    at::Tensor slope;  // [token, ffn]
  };
  at::Tensor through(const Layer& layer, const AttentionGroup& group, std::size_t index,
                     const at::Tensor& vectors, bool bias) const;

  at::Tensor embedding_;
  std::vector<Layer> layers_;
  std::optional<FrozenNorm> final_;
};

}  // namespace mog::engine
