// What must hold between the exact decompositions of one layer and what the pass computed (internal to the
// engine). Each tells `identities` how well; their names are the lines of `mog record --check`.
//
// group: of equal lengths, not padded; pattern: its attention A, [sentences, head, query, key].
#pragma once

#include <ATen/ATen.h>

#include <span>
#include <string_view>

#include "model/engine/decomposition/aumann_shapley.h"
#include "model/engine/decomposition/identities.h"
#include "model/engine/decomposition/layer_maps.h"
#include "model/engine/decomposition/layer_trace.h"
#include "model/engine/decomposition/split.h"

namespace mog::engine {

// Frozen norms give what the norms gave; the parts of the output sum to x'.
void check_split(const LayerTrace& trace, const OutputParts& parts, std::span<const AttentionGroup> groups,
                 Identities& identities);
// terms: [sentences, head, query, term, key]; softmax of their sum is A. identity: a literal.
void check_terms(std::string_view identity, const at::Tensor& terms, const AttentionGroup& group,
                 const at::Tensor& uniform, const at::Tensor& pattern, Identities& identities);
// 1/T and the maps sum to A; shares of both kinds sum to 1 (sentences of one token have none).
void check_shapley(const ShapleyMaps& maps, const AttentionGroup& group, const at::Tensor& uniform,
                   const at::Tensor& pattern, Identities& identities);
// by_cause: [sentences, cause, value part, token, d_model]; with the constant they sum to the output of the
// attention block.
void check_values(const LayerTrace& trace, const at::Tensor& by_cause, const AttentionGroup& group,
                  Identities& identities);
// orders: [sentences, token, order group, d_model] sum to whole [sentences, token, d_model], the layer's
// output; their projection shares [sentences, token, order group] to 1.
void check_orders(const at::Tensor& orders, const at::Tensor& shares, const at::Tensor& whole,
                  const AttentionGroup& group, Identities& identities);
// What keys give sums to y; norms by Gram matrices are those of the vectors themselves; rows of rollout sum
// to 1. Forms every vector, some query rows at a time.
void check_given(const LayerTrace& trace, const GivenVectors& given, const AttentionGroup& group,
                 const at::Tensor& pattern, Identities& identities);

}  // namespace mog::engine
