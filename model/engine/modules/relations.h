// A graph among the tokens as input of attention (Graph-to-Graph Transformers; docs/model-directory.md,
// Graphs).
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "model/config/config.h"
#include "model/engine/modules/packed_input.h"
#include "model/engine/modules/taps.h"
#include "model/engine/modules/weights.h"

namespace mog::engine {

// Arcs by group of a plan, their tokens as packed rows and as places in the group's block.
PackedArcs pack_arcs(std::span<const model::GraphArc> arcs, const AttentionPlan& plan, at::Device device);

// Shows the relations of a graph, 0 where there is none, [query, key], under that name.
void show_graph(Taps& taps, const QuantityName& name, const AttentionPlan& plan, const PackedArcs& arcs);

// Heads that keep a term: 1 or 0, [head]; undefined: all.
struct KeptTerms {
  at::Tensor content = {};
  at::Tensor key = {};
  at::Tensor query = {};
  at::Tensor value = {};
};

// What one layer adds to the scores of its attention and to its context.
class RelationTerms {
 public:
  // vectors and arcs: borrowed.
  RelationTerms(const RelationVectors& vectors, const PackedArcs& arcs, model::RelationForm form,
                std::int64_t heads, KeptTerms kept = {})
      : vectors_(vectors), arcs_(arcs), form_(form), heads_(heads), kept_(std::move(kept)) {}

  // Adds q_i · RK[r_ij], and in form = three_term RQ[r_ij] · k_j, to the scores of one group, [sentences,
  // head, queries, keys], in place, and takes content from the heads that lose it. q, k: [token, a], packed;
  // split_q, split_k: the group's, [sentences * head, tokens, width]. scale: of the products of queries and
  // keys; these terms have it too, but in form = unscaled.
  void add_to(at::Tensor& scores, std::size_t group, const AttentionGroup& shape, const at::Tensor& q,
              const at::Tensor& k, const at::Tensor& split_q, const at::Tensor& split_k, double scale) const;
  // Shows the terms of the scores of one group, before masks: `content` [sentences, head, queries, keys] and
  // those of the relations, in the quantity graph_terms of the layer of `attention`. Groups come in order.
  void show(Taps& taps, const QuantityName& attention, const AttentionPlan& plan, std::size_t group,
            const at::Tensor& content, const at::Tensor& q, const at::Tensor& k, const at::Tensor& split_q,
            const at::Tensor& split_k, double scale);
  // What values of relations add to the context of one group: for no relation in place, [sentences * head,
  // queries, width]; the others wait for finish(). weights: [sentences, head, queries, keys], dropout done.
  at::Tensor add_none(const at::Tensor& context, const at::Tensor& weights) const;
  void gather(std::size_t group, const AttentionGroup& shape, const at::Tensor& weights);
  // Adds what was gathered to the packed context [token, a].
  at::Tensor finish(const at::Tensor& context) const;

 private:
  // The terms of keys (and queries) alone, as add_to() adds them.
  void add_keys(at::Tensor& scores, std::size_t group, const AttentionGroup& shape, const at::Tensor& q,
                const at::Tensor& split_q, double scale) const;
  void add_queries(at::Tensor& scores, std::size_t group, const AttentionGroup& shape, const at::Tensor& k,
                   const at::Tensor& split_k, double scale) const;
  void add_arcs(at::Tensor& scores, std::size_t group, const AttentionGroup& shape, const at::Tensor& tokens,
                const at::Tensor& packed, const at::Tensor& vectors, const at::Tensor& kept,
                double scale) const;
  at::Tensor places(std::size_t group, const AttentionGroup& shape) const;
  // Vectors of the arcs' relations less that of none, [arc, 1, width].
  at::Tensor rows(const at::Tensor& vectors, std::size_t group) const;
  double scaled(double scale) const { return form_ == model::RelationForm::unscaled ? 1.0 : scale; }

  const RelationVectors& vectors_;
  const PackedArcs& arcs_;
  model::RelationForm form_;
  std::int64_t heads_;
  KeptTerms kept_;
  std::vector<at::Tensor> values_;  // [arc, a] of each group
  std::vector<at::Tensor> queries_;
  std::vector<at::Tensor> covariances_;  // [sentences, head, term] of each group
  std::vector<at::Tensor> divergences_;
};

}  // namespace mog::engine
