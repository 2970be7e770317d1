// What every source token, every decoder input and the bias give to every target token through all layers of
// a decoder (internal to the engine).
//
// As the encoder's propagation: attention, scales of the layer norms and slopes of the activation are
// constants, so each layer is a linear map of the decoder's states and of the encoder's output together.
// Source tokens enter by what they give to the encoder's output, decoder inputs by their embeddings, the bias
// by both's additive constants.
//
// Cost: of a sentence with S source and T target tokens 2·T·(S+T+1)·(3·d² + 2·d·f) + 2·S·(S+1)·d² operations
// a layer; one tile of sources is in memory at a time.
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <optional>
#include <vector>

#include "model/engine/decomposition/decoder_trace.h"

namespace mog::engine {

class DecoderPropagation {
 public:
  // Of one sentence. final: the norm after the last layer, where there is one.
  DecoderPropagation(std::vector<DecoderLayerTrace> layers, std::optional<FrozenNorm> final)
      : layers_(std::move(layers)), final_(std::move(final)) {}

  // Vectors [source, T, d_model] of a tile after layer `layer` (from 1) or, with 0, at the decoder's output;
  // they change after the call.
  using Use = std::function<void(std::int64_t layer, const at::Tensor& vectors)>;
  // vectors: at the input of layer 1, [source, T, d_model]; memory: at the encoder's output, [source, S,
  // d_model], undefined where these sources give nothing to it. bias: the last source is the bias.
  void run(const at::Tensor& vectors, const at::Tensor& memory, bool bias, const Use& use) const;

  const std::vector<DecoderLayerTrace>& layers() const noexcept { return layers_; }
  // Sources of a tile.
  std::int64_t tile() const;

 private:
  static void through(const DecoderLayerTrace& layer, const at::Tensor& memory, bool bias,
                      at::Tensor& vectors);

  std::vector<DecoderLayerTrace> layers_;
  std::optional<FrozenNorm> final_;
};

}  // namespace mog::engine
