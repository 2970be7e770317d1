#include "model/engine/decomposition/layer_maps.h"

#include <algorithm>
#include <vector>

#include "model/engine/decomposition/relation_parts.h"

namespace mog::engine {
namespace {

constexpr std::int64_t kTileBytes = 64 << 20;

// [sentences, query, 1] scales of a norm.
at::Tensor scales(const FrozenNorm& norm, const AttentionGroup& group) {
  return group_rows(norm.scale(), group);
}

}  // namespace

GivenVectors::GivenVectors(const LayerTrace& trace) : trace_(trace), kept_(trace.input) {
  const AttentionMaps& maps = trace.attention;
  const at::Tensor read = trace.pre ? trace.norm1(trace.input) + trace.norm1.offset() : trace.input;
  const at::Tensor value = at::linear(read, maps.value.weight, maps.value.bias);
  const std::int64_t width = value.size(1) / maps.heads;
  std::vector<at::Tensor> heads;
  for (std::int64_t head = 0; head < maps.heads; ++head) {
    heads.push_back(at::linear(value.narrow(1, head * width, width),
                               maps.output.weight.narrow(1, head * width, width).contiguous()));
  }
  given_ = at::stack(heads, 1);
  if (trace.output1.changes()) {
    given_ = trace.output1.undivided(given_);
  }
  if (trace.residual_scale != 1.0) {
    given_ = given_ * trace.residual_scale;
  }
  if (trace.graph != nullptr) {
    relations_ = given_by_relations(trace);
  }
  if (!trace.pre) {
    given_ = trace.norm1.undivided(given_);
    kept_ = trace.norm1.undivided(kept_);
    if (relations_.defined()) {
      relations_ = trace.norm1.undivided(relations_);
    }
  }
}

at::Tensor GivenVectors::met(const AttentionGroup& group, const at::Tensor& pattern) const {
  return trace_.output1.changes() ? pattern / scales(trace_.output1, group).unsqueeze(1) : pattern;
}

at::Tensor GivenVectors::norms(const AttentionGroup& group, const at::Tensor& pattern, GivenAt where) const {
  const bool second = where == GivenAt::output && !trace_.pre;
  if (relations_.defined()) {
    return norms_of_tiles(group, pattern, second);
  }
  // In float64: squares of differences lose half the digits.
  at::Tensor given = group_rows(given_, group);  // [sentence, key, head, d]
  at::Tensor kept = group_rows(kept_, group);
  if (second) {
    given = trace_.norm2.undivided(given);
    kept = trace_.norm2.undivided(kept);
  }
  given = given.to(at::kDouble);
  kept = kept.to(at::kDouble);
  const at::Tensor gram = at::matmul(given, given.transpose(2, 3));  // [sentence, key, head, head]
  const at::Tensor weights =
      met(group, pattern).to(at::kDouble).permute({0, 3, 2, 1});               // [sentence, key, query, head]
  const at::Tensor squares = (at::matmul(weights, gram) * weights).sum(-1);    // [sentence, key, query]
  const at::Tensor diagonal = weights.diagonal(0, 1, 2);                       // [sentence, head, token]
  const at::Tensor cross = at::matmul(given, kept.unsqueeze(-1)).squeeze(-1);  // [sentence, token, head]
  squares.diagonal(0, 1, 2).add_(2.0 * (diagonal.transpose(1, 2) * cross).sum(-1) + kept.square().sum(-1));
  at::Tensor result = squares.clamp_min(0.0).sqrt().transpose(1, 2).to(trace_.input.scalar_type());
  if (!trace_.pre) {
    result = result / scales(trace_.norm1, group);
  }
  return second ? result / scales(trace_.norm2, group) : result;
}

at::Tensor GivenVectors::norms_of_tiles(const AttentionGroup& group, const at::Tensor& pattern,
                                        bool second) const {
  const std::int64_t tokens = group.queries;
  const at::Tensor result = at::empty({group.sentences, tokens, tokens}, trace_.input.options());
  for_each_tile(group, pattern, [&](std::int64_t first, const at::Tensor& rows) {
    const at::Tensor to = result.narrow(1, first, rows.size(1));
    if (!second) {
      to.copy_(norm_of(rows));
      return;
    }
    const at::Tensor scale = scales(trace_.norm2, group).narrow(1, first, rows.size(1));
    to.copy_(norm_of(trace_.norm2.undivided(rows)) / scale);
  });
  return result;
}

void GivenVectors::add_relations(at::Tensor& rows, const AttentionGroup& group, const at::Tensor& pattern,
                                 std::int64_t first) const {
  const std::int64_t count = rows.size(1);
  const at::Tensor relation = relations_of(*trace_.graph, group).narrow(1, first, count);
  const at::Tensor weights = pattern.narrow(2, first, count).permute({0, 2, 3, 1});  // [s, query, key, head]
  const at::Tensor none = relations_.select(0, 0);                                   // [head, d_model]
  if (!trace_.weights->relations.none_is_zero) {
    rows.add_(at::matmul(weights, none));
  }
  const at::Tensor arcs = relation.flatten().nonzero().squeeze(1);
  const at::Tensor vectors =
      relations_.index_select(0, relation.flatten().index_select(0, arcs)) - none.unsqueeze(0);
  const at::Tensor of_arcs = weights.reshape({-1, weights.size(3)}).index_select(0, arcs).unsqueeze(1);
  rows.view({-1, rows.size(3)}).index_add_(0, arcs, at::bmm(of_arcs, vectors).squeeze(1));
}

at::Tensor GivenVectors::own(const AttentionGroup& group, const at::Tensor& pattern) const {
  const at::Tensor weights =
      met(group, pattern).diagonal(0, 2, 3).transpose(1, 2).unsqueeze(2);  // [s, token, 1, head]
  at::Tensor given = group_rows(given_, group);
  if (relations_.defined()) {
    const at::Tensor loops = relations_of(*trace_.graph, group).diagonal(0, 1, 2).flatten();
    given = given + relations_.index_select(0, loops).view(given.sizes());
  }
  at::Tensor result = at::matmul(weights, given).squeeze(2) + group_rows(kept_, group);
  return trace_.pre ? result : result / scales(trace_.norm1, group);
}

at::Tensor GivenVectors::mixing_ratio(const AttentionGroup& group, const at::Tensor& pattern) const {
  const at::Tensor sum = trace_.input + trace_.attended_sum - trace_.added_bias();
  const at::Tensor whole = group_rows(trace_.pre ? sum : trace_.norm1(sum), group);
  const at::Tensor self = own(group, pattern);
  const at::Tensor others = at::linalg_vector_norm(whole - self, 2, at::IntArrayRef{-1});
  return others / (others + at::linalg_vector_norm(self, 2, at::IntArrayRef{-1}));
}

void GivenVectors::for_each_tile(const AttentionGroup& group, const at::Tensor& pattern,
                                 const std::function<void(std::int64_t, const at::Tensor&)>& use) const {
  const std::int64_t tokens = group.queries;
  const at::Tensor given = group_rows(given_, group);  // [sentence, key, head, d]
  const at::Tensor kept = group_rows(kept_, group);    // [sentence, token, d]
  const at::Tensor weights =
      met(group, pattern).permute({0, 3, 2, 1}).contiguous();  // [sentence, key, query, head]
  const std::int64_t row_bytes = group.sentences * tokens * trace_.input.size(1) *
                                 static_cast<std::int64_t>(trace_.input.element_size());
  const std::int64_t tile = std::max<std::int64_t>(1, kTileBytes / (3 * row_bytes));
  for (std::int64_t first = 0; first < tokens; first += tile) {
    const std::int64_t count = std::min(tile, tokens - first);
    const at::Tensor by_key =
        at::matmul(weights.narrow(2, first, count), given);  // [sentence, key, query, d]
    at::Tensor rows = by_key.transpose(1, 2);
    if (relations_.defined()) {
      rows = rows.contiguous();
      add_relations(rows, group, pattern, first);
    }
    rows.narrow(2, first, count).diagonal(0, 1, 2).add_(kept.narrow(1, first, count).transpose(1, 2));
    if (!trace_.pre) {
      rows = rows / scales(trace_.norm1, group).narrow(1, first, count).unsqueeze(-1);
    }
    use(first, rows);
  }
}

at::Tensor GivenVectors::alti(const AttentionGroup& group, const at::Tensor& pattern) const {
  const std::int64_t tokens = group.queries;
  const at::Tensor whole = group_rows(trace_.attended, group);
  const at::Tensor length = whole.abs().sum(-1, /*keepdim=*/true);  // [sentence, query, 1]
  const at::Tensor near = at::empty({group.sentences, tokens, tokens}, whole.options());
  for_each_tile(group, pattern, [&](std::int64_t first, const at::Tensor& given) {
    const std::int64_t count = given.size(1);
    const at::Tensor far = (whole.narrow(1, first, count).unsqueeze(2) - given).abs().sum(-1);
    near.narrow(1, first, count).copy_((length.narrow(1, first, count) - far).clamp_min(0.0));
  });
  const at::Tensor sum = near.sum(-1, /*keepdim=*/true);
  return at::where(sum > 0, near / sum, at::eye(tokens, whole.options()).unsqueeze(0));
}

}  // namespace mog::engine
