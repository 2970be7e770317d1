// Embeddings and positions.
#include <cmath>

#include "io/recording/errors.h"
#include "model/engine/modules/stack.h"
#include "model/engine/modules/state_input.h"

namespace mog::engine {
namespace {

// Row p is [sin(p·w_0) … cos(p·w_0) …], computed in double.
at::Tensor sinusoid_rows(std::int64_t count, std::int64_t d_model) {
  const std::int64_t half = d_model / 2;
  const double step = half > 1 ? std::log(10000.0) / static_cast<double>(half - 1) : 0.0;
  const at::Tensor places = at::arange(0, count, at::kDouble);
  const at::Tensor frequencies = at::exp(at::arange(0, half, at::kDouble) * -step);
  const at::Tensor angles = at::outer(places, frequencies);
  at::Tensor rows = at::zeros({count, d_model}, at::kDouble);
  rows.narrow(1, 0, half).copy_(angles.sin());
  rows.narrow(1, half, half).copy_(angles.cos());
  return rows;
}

}  // namespace

at::Tensor SinusoidTable::rows(std::int64_t count, at::Device device) const {
  const std::scoped_lock lock(mutex_);
  if (!table_.defined() || table_.size(0) < count || table_.device() != device) {
    const at::NoGradGuard no_grad;
    // Not an inference tensor: a later training pass may use it too.
    const c10::InferenceMode ordinary(false);
    std::int64_t grown = 256;
    while (grown < count) {
      grown *= 2;
    }
    table_ = sinusoid_rows(grown, d_model_).to(device, at::kFloat);
  }
  return table_;
}

at::Tensor embed(const ForwardContext& context, const StackWeights& weights, const StackInput& input,
                 const EmbeddingOptions& options) {
  at::Tensor x = at::embedding(weights.embedding, input.ids);
  if (options.source && input.states) {
    x = composed_inputs(context.weights, *input.states, x);
  }
  if (options.source && context.applied != nullptr && !context.applied->zero_rows().empty()) {
    x = x.index_fill(0, at::tensor(context.applied->zero_rows(), input.ids.options()), 0.0);
  }
  if (options.scale > 0.0) {
    x = x * options.scale;
  } else if (options.scaled) {
    x = x * std::sqrt(static_cast<double>(x.size(1)));
  }
  switch (options.position) {
    case model::Position::sinusoidal: {
      const std::int64_t first = options.first_position;
      const std::int64_t count = input.longest + first;
      const bool exact = x.scalar_type() == at::kDouble;
      const at::Tensor rows =
          exact ? sinusoid_rows(count, x.size(1)).to(x.device()) : context.sinusoids.rows(count, x.device());
      x = (x + rows.index_select(0, input.positions + first)).to(x.scalar_type());
      break;
    }
    case model::Position::random:
    case model::Position::learned:
    case model::Position::fixed:
      x = x + weights.positions.index_select(0, input.positions + 2);
      break;
    case model::Position::none:
    case model::Position::relative:  // in the attention scores
    case model::Position::rotary:
    case model::Position::alibi:
      break;
  }
  if (options.source && context.weights.segments.defined()) {
    x = x + segment_rows(context.weights, input);
  }
  if (weights.embedding_norm.weight.defined()) {
    x = weights.embedding_norm(x);
  }
  if (weights.embedding_map.weight.defined()) {
    x = weights.embedding_map(x);
  }
  return context.dropout != nullptr ? context.dropout->apply(x, context.dropout->hidden) : x;
}

at::Tensor feed_forward(const ForwardContext& context, const FeedForward& weights,
                        model::Activation activation, const at::Tensor& x) {
  const Dropout* const dropout = context.dropout;
  at::Tensor inner = activate(activation, weights.up(x));
  if (weights.linear.weight.defined()) {
    inner = inner * weights.linear(x);
  }
  if (dropout != nullptr) {
    inner = dropout->apply(inner, dropout->activation);
  }
  const at::Tensor outer = weights.down(inner);
  return dropout != nullptr ? dropout->apply(outer, dropout->hidden) : outer;
}

}  // namespace mog::engine
