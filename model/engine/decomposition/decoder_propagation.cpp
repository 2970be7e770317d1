#include "model/engine/decomposition/decoder_propagation.h"

#include <algorithm>

namespace mog::engine {
namespace {

constexpr std::int64_t kTileRows = 2048;  // as the encoder's

}  // namespace

std::int64_t DecoderPropagation::tile() const {
  return std::max<std::int64_t>(1, kTileRows / layers_.front().shown.input.size(0));
}

void DecoderPropagation::through(const DecoderLayerTrace& layer, const at::Tensor& memory, bool bias,
                                 at::Tensor& vectors) {
  const AttentionGroup group = layer.group();
  const auto residual = [&](const FrozenNorm& norm, const auto& add) {
    at::Tensor read = vectors;
    if (layer.pre) {
      read = vectors.clone();
      normalize(norm, group, bias, read);
    }
    add(read);
    if (!layer.pre) {
      normalize(norm, group, bias, vectors);
    }
  };
  residual(layer.self_norm, [&](const at::Tensor& read) {
    const at::Tensor value = map(layer.self_value, read, bias);
    add_map(layer.self_output, attended_values(layer.shown.self.unsqueeze(0), value), bias, vectors);
  });
  residual(layer.cross_norm, [&](const at::Tensor&) {
    if (memory.defined()) {
      const at::Tensor value = map(layer.cross_value, memory.unsqueeze(0), bias);
      add_map(layer.cross_output, attended_values(layer.shown.cross.unsqueeze(0), value), bias, vectors);
    }
  });
  residual(layer.feed_forward_norm,
           [&](const at::Tensor& read) { add_feed_forward(layer.feed_forward, group, read, bias, vectors); });
}

void DecoderPropagation::run(const at::Tensor& vectors, const at::Tensor& memory, bool bias,
                             const Use& use) const {
  at::Tensor states = vectors.unsqueeze(0).contiguous();
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    through(layers_[i], memory, bias, states);
    use(static_cast<std::int64_t>(i) + 1, states[0]);
  }
  if (final_) {
    states = states.contiguous();
    normalize(*final_, layers_.front().group(), bias, states);
  }
  use(0, states[0]);
}

}  // namespace mog::engine
