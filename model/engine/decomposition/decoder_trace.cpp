#include "model/engine/decomposition/decoder_trace.h"

#include <utility>

namespace mog::engine {
namespace {

// Rows [begin, begin + count) of maps that were joined.
Linear rows_of(const Linear& joined, std::int64_t begin, std::int64_t count) {
  return {joined.weight.narrow(0, begin, count),
          joined.bias.defined() ? joined.bias.narrow(0, begin, count) : at::Tensor()};
}

at::Tensor applied(const Linear& linear, const at::Tensor& x) {
  return at::linear(x, linear.weight, linear.bias);
}

// What a block adds: read [key, d_model] through values, pattern [head, query, key] and output map.
at::Tensor attended(const Linear& value, const Linear& output, const at::Tensor& pattern,
                    const at::Tensor& read) {
  const at::Tensor values = applied(value, read).unsqueeze(0).unsqueeze(0);
  return applied(output, attended_values(pattern.unsqueeze(0), values)[0][0]);
}

}  // namespace

AttentionGroup DecoderLayerTrace::group() const {
  AttentionGroup group;
  group.sentences = 1;
  group.queries = shown.input.size(0);
  group.keys = group.queries;
  group.query_rows = group.queries;
  group.key_rows = group.queries;
  return group;
}

DecoderLayerTrace trace_layer(const model::DecoderConfig& config, const DecoderLayer& weights,
                              ShownDecoderLayer shown, const at::Tensor& memory) {
  const std::int64_t a = config.attention_dim();
  DecoderLayerTrace trace;
  trace.pre = config.norm == model::NormPlace::pre;
  trace.heads = config.heads;
  trace.shown = std::move(shown);
  trace.self_value = rows_of(weights.self_projections, 2 * a, a);  // query, key, value
  trace.self_output = weights.self_output;
  trace.cross_value = rows_of(weights.cross_key_value, a, a);  // key, value
  trace.cross_output = weights.cross_output;
  // x becomes x + block(norm(x)), or norm(x + block(x)).
  const auto residual = [&](const LayerNorm& norm, FrozenNorm& frozen, const at::Tensor& x,
                            const auto& block) {
    if (trace.pre) {
      frozen = FrozenNorm(norm, x);
      return x + block(frozen(x) + frozen.offset());
    }
    const at::Tensor sum = x + block(x);
    frozen = FrozenNorm(norm, sum);
    return frozen(sum) + frozen.offset();
  };
  trace.attended =
      residual(weights.self_norm, trace.self_norm, trace.shown.input, [&](const at::Tensor& read) {
        return attended(trace.self_value, trace.self_output, trace.shown.self, read);
      });
  trace.crossed = residual(weights.cross_norm, trace.cross_norm, trace.attended, [&](const at::Tensor&) {
    return attended(trace.cross_value, trace.cross_output, trace.shown.cross, memory);
  });
  residual(weights.feed_forward.norm, trace.feed_forward_norm, trace.crossed, [&](const at::Tensor& read) {
    trace.feed_forward = freeze(weights.feed_forward, config.activation, read);
    const at::Tensor inner = applied(trace.feed_forward.up, read) * trace.feed_forward.slope;
    return applied(trace.feed_forward.down, inner);
  });
  return trace;
}

}  // namespace mog::engine
