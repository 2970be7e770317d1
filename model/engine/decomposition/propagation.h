// What every source token, and the bias, gives to every token through all layers (internal to the engine).
//
// Attention, scales of the layer norms and slopes of the activation are constants of this pass, so each layer
// is a linear map and each source goes through alone; additive constants go to the bias, and so do values of
// the relations of a graph, which belong to no token. Of a gated feed-forward block, a product of two maps of
// its input, the activated one is the constant. Sources are taken in tiles through all layers at once: beside
// what the pass left (patterns, scales, slopes of each layer) only one tile of vectors is in memory, never
// [token, source, d_model], unless somebody keeps that.
//
// Cost: 2·T·(T+1)·(2·d·a + 2·d·f) operations a layer and sentence of T tokens, nearly all of them in four
// products; they are 0.9 of those of any program that carries [T, T, d] through the layers one product after
// another, so that only the rest (rearrangements, norms, sums over heads) can be saved.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "model/engine/decomposition/layer_trace.h"
#include "model/engine/decomposition/source_vectors.h"

namespace mog::engine {

class Propagation {
 public:
  // Of a group: sentences [sentence, …) and sources [source, …); the bias is source `tokens`.
  struct Tile {
    std::int64_t sentence = 0;
    std::int64_t source = 0;
  };
  // Vectors of one tile, after layer `layer` (from 1) or, with 0, at the encoder's output: [sentences, token,
  // source, d_model], strided; they change after the call.
  using Use = std::function<void(std::int64_t layer, const Tile& tile, const at::Tensor& vectors)>;

  // x⁰ [token, d_model].
  void begin(const at::Tensor& embedding) { embedding_ = embedding; }
  // Keeps what the layer needs of the trace.
  void add(const LayerTrace& trace, model::Activation activation);
  // The norm after the last layer, where there is one.
  void add_final(const LayerNorm& norm) { final_.emplace(norm, layers_.back().trace.output); }
  std::int64_t layers() const noexcept { return static_cast<std::int64_t>(layers_.size()); }
  // x' of a layer (from 1).
  const at::Tensor& output(std::int64_t layer) const {
    return layers_.at(static_cast<std::size_t>(layer) - 1).trace.output;
  }
  // Every tile, each through all layers in order. index: of the group in its plan.
  void run(const AttentionGroup& group, std::size_t index, const Use& use) const;

 private:
  struct Layer {
    LayerTrace trace;
    FrozenFeedForward feed_forward;
  };
  // vectors: [sentences, source, token, d_model] in place. bias: the last source is the bias.
  static void through(const Layer& layer, const AttentionGroup& group, const at::Tensor& pattern, bool bias,
                      at::Tensor& vectors);

  at::Tensor embedding_;
  std::vector<Layer> layers_;
  std::optional<FrozenNorm> final_;
};

}  // namespace mog::engine
