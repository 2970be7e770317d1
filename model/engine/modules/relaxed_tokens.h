// Tokens that are there in part, in a pass that is differentiated.
#pragma once

#include <ATen/ATen.h>

namespace mog::engine {

// What a differentiated pass moves (model::Relaxation).
struct RelaxedTokens {
  at::Tensor scale;              // [token, 1], or undefined: all 1, and no gradient is wanted
  at::Tensor presence;           // [token], or undefined: all 1
  at::Tensor leaving;            // [token], or undefined: all 0 (Model::differentiate_along)
  mutable at::Tensor embedding;  // x0 before scaling, kept by enter()
  mutable at::Tensor scaled;     // x0 as the first layer reads it, a leaf

  at::Tensor enter(const at::Tensor& x) const;
};

}  // namespace mog::engine
