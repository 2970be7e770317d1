#include "model/engine/decomposition/values.h"

#include <vector>

#include "model/engine/decomposition/relation_parts.h"

namespace mog::engine {
namespace {

// A value part at the layer's output; v: [sentences, cause, part, token, d_model].
at::Tensor at_output(const LayerTrace& trace, const at::Tensor& v, const AttentionGroup& group) {
  if (trace.pre) {
    return v;
  }
  const auto scale = [&](const FrozenNorm& norm) {
    return group_rows(norm.scale(), group).view({group.sentences, 1, 1, group.queries, 1});
  };
  return trace.norm2.undivided(trace.norm1.undivided(v) / scale(trace.norm1)) / scale(trace.norm2);
}

}  // namespace

ValueParts value_parts(const LayerTrace& trace, const StateParts& state) {
  const auto project = [&](const at::Tensor& part) {
    return at::linear(trace.read(part), trace.attention.value.weight);
  };
  if (!state.previous.defined()) {
    const at::Tensor incremental = project(state.incremental);
    return {at::zeros_like(incremental), incremental};
  }
  return {project(state.previous), project(state.incremental + state.bias)};
}

at::Tensor outputs_by_cause(const LayerTrace& trace, const ValueParts& values, const at::Tensor& shapley,
                            const AttentionGroup& group) {
  const std::int64_t heads = trace.attention.heads;
  const std::int64_t tokens = group.queries;
  const std::int64_t width = values.previous.size(1) / heads;
  const std::int64_t terms = shapley.size(2);
  // [sentence * head, query * term, key]: one product for all terms.
  const at::Tensor maps =
      shapley.to(values.previous.scalar_type()).view({group.sentences * heads, tokens * terms, tokens});
  const at::Tensor seen = trace.form.uniform(group, trace.input.device());
  std::vector<at::Tensor> parts;
  for (const at::Tensor& rows : {values.previous, values.incremental}) {
    const at::Tensor value =
        group_heads(rows, group, heads).reshape({group.sentences * heads, tokens, width});
    const at::Tensor by_term = at::bmm(maps, value).view({group.sentences, heads, tokens, terms, width});
    const at::Tensor uniform =
        seen.defined()
            ? at::matmul(seen.to(value.scalar_type()), value).view({group.sentences, heads, tokens, 1, width})
            : value.mean(1, /*keepdim=*/true)
                  .view({group.sentences, heads, 1, 1, width})
                  .expand({group.sentences, heads, tokens, 1, width});
    parts.push_back(at::cat({uniform, by_term}, 3));  // [sentence, head, token, cause, width]
  }
  if (trace.graph != nullptr) {
    const at::Tensor uniform = at::full({group.sentences, heads, tokens, 1, tokens},
                                        1.0 / static_cast<double>(tokens), maps.options());
    const at::Tensor causes =
        at::cat({uniform, maps.view({group.sentences, heads, tokens, terms, tokens})}, 3);
    parts.push_back(relation_context(trace, causes, group));
  }
  // [sentence, cause, part, token, head * width]
  const at::Tensor context = at::stack(parts)
                                 .permute({1, 4, 0, 3, 2, 5})
                                 .reshape({group.sentences, terms + 1,
                                           static_cast<std::int64_t>(parts.size()), tokens, heads * width});
  return trace.added(at::linear(context, trace.attention.output.weight), group);
}

at::Tensor output_by_order(const LayerTrace& trace, const OutputParts& parts, const at::Tensor& by_cause,
                           const AttentionGroup& group, bool fine) {
  const at::Tensor z = at_output(trace, by_cause, group);  // [sentence, cause, part, token, d]
  const at::Tensor carried = group_rows(parts.carried, group);
  const at::Tensor feed_forward = group_rows(parts.feed_forward, group);
  const at::Tensor bias = group_rows(parts.bias.contiguous(), group);
  std::vector<at::Tensor> list;
  if (fine) {
    list.push_back(carried);
    for (const at::Tensor& part : z.flatten(1, 2).unbind(1)) {
      list.push_back(part);
    }
  } else {
    // u, pp, pi, ip, ii, bp, bi, pos, relations
    const std::vector<at::Tensor> cause = z.narrow(2, 0, 2).sum(2).unbind(1);
    at::Tensor base = cause[0] + cause[5] + cause[6];
    std::size_t relations = 7;
    if (trace.position_bias.defined()) {
      base = base + cause[relations++];
    }
    list = {carried + cause[1], cause[2] + cause[3], cause[4], base};
    if (trace.graph == nullptr) {  // distances know no content of the other side
      for (std::size_t i = relations; i < cause.size(); ++i) {
        list.back() = list.back() + cause[i];
      }
    } else {
      list.push_back(z.select(2, 2).sum(1));
      for (std::size_t i = relations; i < cause.size(); ++i) {
        list.back() = list.back() + cause[i];
      }
    }
  }
  list.push_back(feed_forward);
  list.push_back(bias);
  return at::stack(list, 2);
}

at::Tensor projection_shares(const at::Tensor& parts, const at::Tensor& whole) {
  const at::Tensor product = (parts * whole.unsqueeze(-2)).sum(-1);
  return product / whole.square().sum(-1, /*keepdim=*/true);
}

at::Tensor proximity_shares(const at::Tensor& parts, const at::Tensor& whole) {
  const at::Tensor length = whole.abs().sum(-1, /*keepdim=*/true);
  const at::Tensor near = (length - (whole.unsqueeze(-2) - parts).abs().sum(-1)).clamp_min(0.0);
  const at::Tensor sum = near.sum(-1, /*keepdim=*/true);
  return at::where(sum > 0, near / sum, at::zeros_like(near));
}

}  // namespace mog::engine
