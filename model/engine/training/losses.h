// Label-smoothed cross-entropy at the labelled tokens, with its gradient computed in the same pass.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <span>
#include <vector>

#include "model/engine/modules/weights.h"

namespace mog::engine {

// Places and labels as a tensor: int64, on the device.
at::Tensor indices_on(at::Device device, const std::vector<std::int64_t>& values);

// float32, or float64 where it is.
inline at::Tensor widened(const at::Tensor& values) {
  return values.scalar_type() == at::kDouble ? values : values.to(at::kFloat);
}

// Sums over labels, on the device (float64 scalars).
struct LossSums {
  at::Tensor loss;  // (1 - s)·nll + s·(mean over classes of -log p)
  at::Tensor nll;   // -log p of the label
};

// states: [token, d_model]; rows, classes: int64 [label]: which tokens have a label and which one.
// When `state_gradient` is given (same shape as states, accumulated), gradients of scale·loss are added to it
// and to the `grad` of output.weight and output.bias, the leaves. No autograd graph is built: logits exist
// one chunk of rows at a time and are overwritten by their gradient.
LossSums smoothed_cross_entropy(const at::Tensor& states, const Linear& output, const at::Tensor& rows,
                                const at::Tensor& classes, double smoothing, double scale,
                                at::Tensor* state_gradient);

}  // namespace mog::engine
