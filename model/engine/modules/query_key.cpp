#include "model/engine/modules/query_key.h"

#include <vector>

#include "model/engine/modules/attention.h"

namespace mog::engine {
namespace {

// Row of the vectors of distances for query - key = distance, as DeBERTa counts them: near ones have a row
// each, with buckets far ones share rows by powers up to bucket_distance.
at::Tensor distance_rows(const model::DisentangledConfig& config, std::int64_t length,
                         const at::TensorOptions& options) {
  // key - query from 1 - n to n - 1
  at::Tensor distance = at::arange(1 - length, length, options).neg();
  if (config.bucket_distance > 0) {
    const std::int64_t middle = config.span / 2;
    const at::Tensor away = distance.abs();
    const at::Tensor beyond = away > middle;
    const at::Tensor octaves = at::log(
        at::scalar_tensor(static_cast<double>(config.bucket_distance - 1) / static_cast<double>(middle),
                          options.dtype(at::kFloat)));
    // In float32 and in this order, as DeBERTa computes it: the borders depend on rounding.
    const at::Tensor far = at::ceil(at::log(away.clamp_min(1).to(at::kFloat) / static_cast<double>(middle)) /
                                    octaves * static_cast<double>(middle - 1))
                               .to(at::kLong) +
                           middle;
    distance = at::where(beyond, far * distance.sign(), distance);
  }
  return (distance + config.span).clamp(0, 2 * config.span - 1);
}

}  // namespace

Rotation rotation(const at::Tensor& frequencies, const at::Tensor& positions, double factor) {
  const at::Tensor angles = at::outer(positions.to(frequencies.scalar_type()), frequencies);
  return {angles.cos() * factor, angles.sin() * factor};
}

at::Tensor rotate(const at::Tensor& rows, std::int64_t heads, model::RotaryPairs pairs,
                  const Rotation& rotation) {
  const std::int64_t half = rotation.cosines.size(1);
  const std::int64_t width = rows.size(1) / heads;
  const at::Tensor from = rows.reshape({rows.size(0), heads, width});
  const at::Tensor cosines = rotation.cosines.to(rows.scalar_type()).unsqueeze(1);
  const at::Tensor sines = rotation.sines.to(rows.scalar_type()).unsqueeze(1);
  at::Tensor first;
  at::Tensor second;
  if (pairs == model::RotaryPairs::halves) {
    first = from.narrow(2, 0, half);
    second = from.narrow(2, half, half);
  } else {
    first = from.narrow(2, 0, 2 * half).slice(2, 0, 2 * half, 2);
    second = from.narrow(2, 0, 2 * half).slice(2, 1, 2 * half, 2);
  }
  const at::Tensor turned_first = first * cosines - second * sines;
  const at::Tensor turned_second = second * cosines + first * sines;
  std::vector<at::Tensor> parts;
  if (pairs == model::RotaryPairs::halves) {
    parts = {turned_first, turned_second};
  } else {
    parts = {at::stack({turned_first, turned_second}, 3).flatten(2)};
  }
  if (2 * half < width) {
    parts.push_back(from.narrow(2, 2 * half, width - 2 * half));
  }
  return (parts.size() == 1 ? parts.front() : at::cat(parts, 2)).reshape(rows.sizes());
}

at::Tensor norm_heads(const LayerNorm& norm, const at::Tensor& rows, std::int64_t heads) {
  if (!norm.weight.defined()) {
    return rows;
  }
  const std::int64_t width = rows.size(1) / heads;
  const at::Tensor apart = rows.reshape({rows.size(0), heads, width});
  const at::Tensor normed = norm.rms ? at::rms_norm(apart, {width}, {}, norm.epsilon)
                                     : at::layer_norm(apart, {width}, {}, {}, norm.epsilon);
  const at::Tensor scaled = normed.reshape(rows.sizes()) * norm.weight;
  return norm.bias.defined() ? scaled + norm.bias : scaled;
}

at::Tensor repeat_heads(const at::Tensor& rows, std::int64_t groups, std::int64_t heads) {
  if (groups == heads) {
    return rows;
  }
  const std::int64_t tokens = rows.size(0);
  const std::int64_t width = rows.size(1) / groups;
  return rows.reshape({tokens, groups, 1, width})
      .expand({tokens, groups, heads / groups, width})
      .reshape({tokens, heads * width});
}

const Rotation& StackPositions::of_layer(const model::EncoderConfig& config, std::int64_t layer) const {
  static const Rotation none;
  if (!config.turns(layer)) {
    return none;
  }
  return config.window(layer) > 0 && local.defined() ? local : everywhere;
}

StackPositions stack_positions(const model::EncoderConfig& config, const StackWeights& weights,
                               const StackInput& input) {
  StackPositions positions;
  if (weights.relative.defined()) {
    positions.bias = relative_bias(weights.relative, input.longest, {config.relative_distance});
  } else if (weights.slopes.defined()) {
    positions.bias = alibi(weights.slopes, input.longest, config.rounded_alibi);
  }
  if (config.rotary) {
    positions.everywhere = rotation(weights.frequencies, input.positions, config.rotary->factor);
    if (weights.local_frequencies.defined()) {
      positions.local = rotation(weights.local_frequencies, input.positions, config.rotary->factor);
    }
  }
  if (config.disentangled) {
    positions.distances = distance_rows(*config.disentangled, input.longest, input.positions.options());
  }
  return positions;
}

}  // namespace mog::engine
