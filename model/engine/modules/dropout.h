// Dropout of a training step, drawn from a generator of the trainer's own (so that a resumed run draws the
// same masks).
#pragma once

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <optional>

namespace mog::engine {

struct Dropout {
  double hidden = 0.0;      // embeddings, attention output Z, feed-forward output
  double attention = 0.0;   // attention weights
  double activation = 0.0;  // inside the feed-forward block
  std::optional<at::Generator> generator;

  // x * mask / (1 - probability); x itself when probability is 0.
  at::Tensor apply(const at::Tensor& x, double probability) const;
};

}  // namespace mog::engine
