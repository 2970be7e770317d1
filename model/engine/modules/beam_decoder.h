// The decoder one target position at a time, for searches: keys and values of earlier positions are kept.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "model/engine/modules/forward.h"

namespace mog::engine {

// Holds `width` rows (hypotheses) for every sentence that is still searched; rows of a sentence are
// neighbours.
class BeamDecoder {
 public:
  // source: of sentences with these offsets. Everything is borrowed.
  BeamDecoder(const ForwardContext& context, const SourceStates& source,
              const std::vector<std::int64_t>& offsets, std::int64_t width);

  // The next token of every row → logits [row, Vt].
  at::Tensor step(const std::vector<std::int64_t>& ids);
  // Row r goes on from what row origins[r] was; sentences (by their place among those still searched) not in
  // `kept` are dropped. origins has kept.size() * width entries.
  void reorder(const std::vector<std::int64_t>& origins, const std::vector<std::int64_t>& kept);

 private:
  struct Cache {
    at::Tensor self_keys;  // [row, head, position, d / head]
    at::Tensor self_values;
    at::Tensor cross_keys;  // [sentence, head, key, d / head]
    at::Tensor cross_values;
  };
  at::Tensor embed_step(const std::vector<std::int64_t>& ids) const;
  at::Tensor position_bias() const;
  // Layers from 1.
  at::Tensor layer_step(std::int64_t layer, Cache& cache, const at::Tensor& x) const;
  at::Tensor self_attention(std::int64_t layer, Cache& cache, const at::Tensor& x) const;
  at::Tensor cross_attention(std::int64_t layer, const Cache& cache, const at::Tensor& x) const;
  at::Tensor output_of(std::int64_t layer, Part part, const at::Tensor& heads, const Linear& map) const;

  const ForwardContext& context_;
  std::int64_t width_;
  std::int64_t sentences_;
  std::int64_t position_ = 0;
  at::Tensor blocked_;  // [sentence, 1, 1, key], undefined when nothing is padded
  at::Tensor bias_;     // of this step's relative positions, [head, 1, position]; undefined without
  std::vector<Cache> caches_;
  GlobalState global_;  // of the sentences that are still searched
};

}  // namespace mog::engine
