#include "model/engine/decomposition/source_vectors.h"

#include <cmath>
#include <numbers>
#include <vector>

#include "model/engine/modules/attention.h"

namespace mog::engine {
namespace {

at::Tensor as_rows(const at::Tensor& vectors) {
  return vectors.view({-1, vectors.size(-1)});
}

}  // namespace

void add_to_bias(const at::Tensor& vectors, bool bias, const at::Tensor& constant) {
  if (bias && constant.defined()) {
    vectors.select(1, vectors.size(1) - 1).add_(constant);
  }
}

void normalize(const FrozenNorm& norm, const AttentionGroup& group, bool bias, at::Tensor& vectors) {
  if (norm.changes()) {
    norm.apply(vectors, group);
    add_to_bias(vectors, bias, norm.offset());
  }
}

at::Tensor map(const Linear& linear, const at::Tensor& vectors, bool bias) {
  std::vector<std::int64_t> shape = vectors.sizes().vec();
  shape.back() = linear.weight.size(0);
  at::Tensor result = at::linear(as_rows(vectors), linear.weight).view(shape);
  add_to_bias(result, bias, linear.bias);
  return result;
}

void add_map(const Linear& linear, const at::Tensor& v, bool bias, at::Tensor& vectors) {
  vectors = at::addmm(as_rows(vectors), as_rows(v), linear.weight.t()).view(vectors.sizes());
  add_to_bias(vectors, bias, linear.bias);
}

// Rows of one source and head lie evenly in memory, so that the product takes and gives them where they are.
at::Tensor attended_values(const at::Tensor& pattern, const at::Tensor& value) {
  const std::int64_t heads = pattern.size(1);
  const std::int64_t sources = value.size(1);
  const std::int64_t width = value.size(3) / heads;
  at::Tensor context = at::empty({value.size(0), sources, pattern.size(2), value.size(3)}, value.options());
  for (std::int64_t sentence = 0; sentence < value.size(0); ++sentence) {
    const at::Tensor from = value[sentence].view({sources, value.size(2), heads, width});
    const at::Tensor to = context[sentence].view({sources, pattern.size(2), heads, width});
    for (std::int64_t head = 0; head < heads; ++head) {
      at::Tensor out = to.select(2, head);
      const at::Tensor own = pattern[sentence][head];
      at::bmm_out(out, own.unsqueeze(0).expand({sources, own.size(0), own.size(1)}), from.select(2, head));
    }
  }
  return context;
}

at::Tensor activation_slope(model::Activation activation, const at::Tensor& u) {
  switch (activation) {
    case model::Activation::relu:
      return (u > 0).to(u.scalar_type());
    case model::Activation::gelu:
      return 0.5 * at::erfc(u * -std::numbers::sqrt2 / 2);
    case model::Activation::gelu_tanh:
      return 0.5 * (1.0 + at::tanh(std::sqrt(2.0 / std::numbers::pi) * (u + 0.044715 * u * u * u)));
    case model::Activation::silu:
      return at::sigmoid(u);
  }
  return u;
}

FrozenFeedForward freeze(const FeedForward& block, model::Activation activation, const at::Tensor& read) {
  const at::Tensor inner = at::linear(read, block.up.weight, block.up.bias);
  if (block.linear.weight.defined()) {
    return {block.linear, activate(activation, inner), block.down};
  }
  return {block.up, activation_slope(activation, inner), block.down};
}

void add_feed_forward(const FrozenFeedForward& block, const AttentionGroup& group, const at::Tensor& read,
                      bool bias, at::Tensor& vectors) {
  const at::Tensor inner = map(block.up, read, bias);
  inner.mul_(group_rows(block.slope, group).unsqueeze(1));
  add_map(block.down, inner, bias, vectors);
}

}  // namespace mog::engine
