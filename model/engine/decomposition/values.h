// What the attention block and the layer's output consist of by cause (internal to the engine).
#pragma once

#include <ATen/ATen.h>

#include "model/engine/decomposition/layer_trace.h"
#include "model/engine/decomposition/split.h"

namespace mog::engine {

// Values of the previous and the incremental part of x (with its bias part), [token, attention_dim].
struct ValueParts {
  at::Tensor previous;
  at::Tensor incremental;
};
ValueParts value_parts(const LayerTrace& trace, const StateParts& state);

// o_c,s of one group: [sentences, cause, value part, token, d_model]; causes u (uniform attention) and the
// terms, in their order; with a graph the values of relations are a third part. shapley: [sentences * head,
// query, term, key]. Their sum and trace.constant() are the block's output.
at::Tensor outputs_by_cause(const LayerTrace& trace, const ValueParts& values, const at::Tensor& shapley,
                            const AttentionGroup& group);

// Parts of x' of one group by order group: [sentences, token, part, d_model]; fine: 17 parts (carried, the 14
// value parts at the output, feed-forward, bias; more where there are more terms), else 6 (low, mid, high,
// base, feed-forward, bias; what positions move is base, as they know no content). With a graph `graph`
// stands behind base: what relations move, and their values whatever moved them.
at::Tensor output_by_order(const LayerTrace& trace, const OutputParts& parts, const at::Tensor& by_cause,
                           const AttentionGroup& group, bool fine);

// parts: [sentences, token, part, d_model], whole: [sentences, token, d_model] → [sentences, token, part].
at::Tensor projection_shares(const at::Tensor& parts, const at::Tensor& whole);
at::Tensor proximity_shares(const at::Tensor& parts, const at::Tensor& whole);

}  // namespace mog::engine
