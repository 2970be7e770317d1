#include "model/engine/decomposition/decoder_alti.h"

#include <algorithm>
#include <vector>

namespace mog::engine {
namespace {

constexpr std::int64_t kTileBytes = 64 << 20;

struct Block {
  const Linear& value;
  const Linear& output;
  const at::Tensor& pattern;  // [head, query, key]
  const FrozenNorm& norm;
  const at::Tensor& read;      // [key, d_model]: what values are of
  const at::Tensor& residual;  // [query, d_model]
  const at::Tensor& result;    // [query, d_model]
};

// W_O^h (W_V^h x + b_V^h): [key, head, d_model].
at::Tensor given_by(const Block& block) {
  const at::Tensor values = at::linear(block.read, block.value.weight, block.value.bias);
  const std::int64_t heads = block.pattern.size(0);
  const std::int64_t width = values.size(1) / heads;
  std::vector<at::Tensor> given;
  for (std::int64_t head = 0; head < heads; ++head) {
    given.push_back(at::linear(values.narrow(1, head * width, width).contiguous(),
                               block.output.weight.narrow(1, head * width, width).contiguous()));
  }
  return at::stack(given, 1);
}

// max(0, |y| − |y − F|) in L1 norms, [query, key], or with `apart` [query, key + 1], the residual last; else
// the residual goes with the key of its own place.
at::Tensor nearness(const Block& block, bool pre, bool apart) {
  const at::Tensor given = given_by(block);
  const std::int64_t queries = block.residual.size(0);
  const std::int64_t keys = given.size(0);
  const std::int64_t d = given.size(2);
  const at::Tensor weights = block.pattern.permute({2, 1, 0}).contiguous();  // [key, query, head]
  at::Tensor near = at::empty({queries, keys + (apart ? 1 : 0)}, given.options());
  const std::int64_t bytes = static_cast<std::int64_t>(given.element_size());
  const std::int64_t tile = std::max<std::int64_t>(1, kTileBytes / (3 * bytes * (keys + 1) * d));
  for (std::int64_t first = 0; first < queries; first += tile) {
    const std::int64_t count = std::min(tile, queries - first);
    const auto own = [&](const at::Tensor& rows) { return rows.narrow(0, first, count); };
    at::Tensor parts = at::bmm(weights.narrow(1, first, count), given).transpose(0, 1);  // [query, key, d]
    if (apart) {
      parts = at::cat({parts, own(block.residual).unsqueeze(1)}, 1);
    } else {
      parts.narrow(1, first, count).diagonal(0, 0, 1).add_(own(block.residual).t());
    }
    if (!pre) {
      parts = block.norm.undivided(parts) / own(block.norm.scale()).unsqueeze(-1);
    }
    const at::Tensor whole = own(block.result);
    const at::Tensor far = (whole.unsqueeze(1) - parts).abs().sum(-1);
    own(near).copy_((whole.abs().sum(-1, /*keepdim=*/true) - far).clamp_min(0.0));
  }
  return near;
}

// Rows to 1; a row of zeros becomes that of `otherwise`.
at::Tensor shares(const at::Tensor& near, const at::Tensor& otherwise) {
  const at::Tensor sum = near.sum(-1, /*keepdim=*/true);
  return at::where(sum > 0, near / sum, otherwise);
}

}  // namespace

ContextShares alti_of_layer(const DecoderLayerTrace& trace, const at::Tensor& memory) {
  const at::Tensor& x = trace.shown.input;
  const std::int64_t targets = x.size(0);
  const std::int64_t sources = memory.size(0);
  const at::Tensor read = trace.pre ? trace.self_norm(x) + trace.self_norm.offset() : x;
  const at::Tensor self = shares(nearness({trace.self_value, trace.self_output, trace.shown.self,
                                           trace.self_norm, read, x, trace.attended},
                                          trace.pre, /*apart=*/false),
                                 at::eye(targets, x.options()));
  at::Tensor residual_alone = at::zeros({1, sources + 1}, x.options());
  residual_alone.select(1, sources).fill_(1.0);
  const at::Tensor cross = shares(nearness({trace.cross_value, trace.cross_output, trace.shown.cross,
                                            trace.cross_norm, memory, trace.attended, trace.crossed},
                                           trace.pre, /*apart=*/true),
                                  residual_alone);
  return {cross.narrow(1, 0, sources), cross.narrow(1, sources, 1) * self};
}

ContextShares own_inputs(const DecoderLayerTrace& first) {
  const at::Tensor& x = first.shown.input;
  return {at::zeros({x.size(0), first.shown.cross.size(2)}, x.options()), at::eye(x.size(0), x.options())};
}

ContextShares rolled(const ContextShares& layer, const ContextShares& below, const at::Tensor& encoder) {
  const at::Tensor source = encoder.defined() ? at::matmul(layer.source, encoder) : layer.source;
  return {source + at::matmul(layer.prefix, below.source), at::matmul(layer.prefix, below.prefix)};
}

}  // namespace mog::engine
