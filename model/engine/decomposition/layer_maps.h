// Maps of the literature from what each key gives to each query (internal to the engine).
//
// F_ij = D1(Σ_h A^h_ij t_j^h + δ_ij x_i), t_j^h = Wo^h v_j^h with the values' bias; pre-norm: without D1. The
// L2 norms come from Gram matrices: ‖Σ_h A^h t_j^h‖² = Σ_hh' A^h A^h' ⟨t_j^h, t_j^h'⟩, so that no tensor has
// queries, keys and d_model at once; L1 norms need F itself and take some query rows at a time.
//
// With a graph the value is v_j^h + RV[r_ij], which a query reads at that key as it does the values' bias. It
// depends on the pair, so that all norms take F in tiles.
#pragma once

#include <ATen/ATen.h>

#include <functional>

#include "model/engine/decomposition/layer_trace.h"

namespace mog::engine {

// t: [token, head * d_model], of all groups; through the norms that `map` names, not yet divided.
enum class GivenAt : std::uint8_t { attended, output };
class GivenVectors {
 public:
  explicit GivenVectors(const LayerTrace& trace);

  // ‖F_ij‖ (attended) or ‖D2 F_ij‖ (output; pre-norm the same): [sentences, query, key].
  at::Tensor norms(const AttentionGroup& group, const at::Tensor& pattern, GivenAt where) const;
  // ‖Σ_{j≠i} F_ij‖ / (‖Σ_{j≠i} F_ij‖ + ‖F_ii‖): [sentences, query].
  at::Tensor mixing_ratio(const AttentionGroup& group, const at::Tensor& pattern) const;
  // Rows to 1, a zero row becomes the identity: [sentences, query, key].
  at::Tensor alti(const AttentionGroup& group, const at::Tensor& pattern) const;
  // Calls use(first query, F of these queries [sentences, query, key, d_model]) tile by tile.
  void for_each_tile(const AttentionGroup& group, const at::Tensor& pattern,
                     const std::function<void(std::int64_t, const at::Tensor&)>& use) const;

 private:
  // Attention as it meets what keys give: divided by the scale of the block's own norm where it has one.
  at::Tensor met(const AttentionGroup& group, const at::Tensor& pattern) const;
  at::Tensor own(const AttentionGroup& group, const at::Tensor& pattern) const;  // F_ii [sentences, query, d]
  // norms() from F itself.
  at::Tensor norms_of_tiles(const AttentionGroup& group, const at::Tensor& pattern, bool second) const;
  // Adds what relations give to F of some queries, [sentences, query, key, d_model], not yet divided.
  void add_relations(at::Tensor& rows, const AttentionGroup& group, const at::Tensor& pattern,
                     std::int64_t first) const;

  const LayerTrace& trace_;
  at::Tensor given_;      // C t: [token, head, d_model], before the division by the norm's scale
  at::Tensor kept_;       // C x: [token, d_model]
  at::Tensor relations_;  // C W_O^h RV[r]: [relation, head, d_model]; only with a graph
};

}  // namespace mog::engine
