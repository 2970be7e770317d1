// What the relations of a graph do in the exact decompositions of a layer (internal to the engine;
// docs/quantity-names.md, Exact decompositions).
//
// Dense, as decompositions hold queries × keys anyway: products with the vectors of all relations, of which
// each pair takes that of its own. Relation 0, none, is one of them. Cost beside the pass: O(tokens ·
// relations · width) products a layer.
#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "model/engine/decomposition/layer_trace.h"
#include "model/engine/decomposition/split.h"

namespace mog::engine {

// Relation of each query and key of a group (or of some of its sentences): [sentences, query, key] int64.
at::Tensor relations_of(const GraphTrace& graph, const AttentionGroup& group);

// What relations add to the scores, [sentences, head, query, key] each: with the previous, incremental and
// bias query (pr, ir, br), and in form = three_term with the previous, incremental and constant key (rp, ri,
// rb; `rb` holds the bias part of x where `parts` has it apart).
std::vector<at::Tensor> relation_terms(const LayerTrace& trace, const ScoreParts& parts,
                                       const AttentionGroup& group);

// Σ_j w_ij RV[r_ij]: weights [sentences, head, query, …, key] give [sentences, head, query, …, width].
at::Tensor relation_context(const LayerTrace& trace, const at::Tensor& weights, const AttentionGroup& group);

// W_O^h RV[r]: [relation, head, d_model].
at::Tensor given_by_relations(const LayerTrace& trace);

// Terms of relative positions (model::DisentangledConfig) in the scores of a group, as relation_terms().
std::vector<at::Tensor> distance_terms(const LayerTrace& trace, const ScoreParts& parts,
                                       const AttentionGroup& group);

}  // namespace mog::engine
