// What each logit term does to an attention pattern (internal to the engine).
#pragma once

#include <ATen/ATen.h>

#include <vector>

namespace mog::engine {

// Gauss-Legendre on [0, 1].
struct Quadrature {
  std::vector<double> nodes;
  std::vector<double> weights;
};
Quadrature gauss_legendre(int nodes);

// Nodes are doubled from `first` to `last` while the residual of a pattern is above `residual`.
struct ShapleyOptions {
  int first = 8;
  int last = 64;
  double residual = 1e-6;
  // Weights of uniform attention, [query, key] float64, where not every key is seen (0); else undefined.
  at::Tensor uniform = {};
};

// Per pattern b (sentence and head), float64:
struct ShapleyMaps {
  at::Tensor maps;      // [b, query, term, key]: S_t, with softmax(Σ_t l_t) = 1/T + Σ_t S_t
  at::Tensor nodes;     // [b]
  at::Tensor residual;  // [b]: max |1/T + Σ_t S_t − softmax(Σ_t l_t)|
};
// terms: [b, query, term, key]. S_t = ∫₀¹ P_τ ⊙ (l_t − Σ_j P_τ l_t) dτ with P_τ = softmax(τ Σ_t l_t), along
// the straight path from uniform attention. Computed in float64 whatever the type of the terms; rows are
// taken in tiles, so that beside terms and maps some 64 MB are needed.
ShapleyMaps aumann_shapley(const at::Tensor& terms, const ShapleyOptions& options = {});

// [b, term]: Σ S_t (A − 1/T) / Σ (A − 1/T)², and Σ|S_t| / Σ_t Σ|S_t|; with A = 1/T + Σ_t S_t. NaN where A is
// uniform (a sentence of one token).
at::Tensor signed_shares(const ShapleyMaps& maps);
at::Tensor absolute_shares(const ShapleyMaps& maps);

// uniform: as in ShapleyOptions. [b, term]: mean over queries of KL(softmax(l) ‖ softmax(l − l_t)), nats.
at::Tensor leave_out(const at::Tensor& terms, const at::Tensor& uniform = {});

}  // namespace mog::engine
