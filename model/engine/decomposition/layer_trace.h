// One layer of a plain Transformer encoder as it ran, for its exact decomposition (internal to the engine).
//
// Everything is packed as in the forward pass: rows [token, …] of all sentences, attention maps by groups of
// sentences of equal length. Level 0 and 1 of docs/quantities.md (Exact decompositions): attention,
// scales of the layer norms and slopes of the activation are those of this pass.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "model/config/config.h"
#include "model/engine/modules/packed_input.h"
#include "model/engine/modules/weights.h"

namespace mog::engine {

// A layer norm whose scale is a constant: LN(z) = (*this)(z) + offset(), and (*this) is linear.
class FrozenNorm {
 public:
  FrozenNorm() = default;
  // At the rows of z [token, d_model].
  FrozenNorm(const LayerNorm& norm, const at::Tensor& z);

  // v: [token, d_model], one scale a row.
  at::Tensor operator()(const at::Tensor& v) const;
  // In place on contiguous vectors [sentences, source, token, d_model] of a group.
  void apply(at::Tensor& vectors, const AttentionGroup& group) const;
  // Before the division, for rows whose scales stand elsewhere: weight * (v − mean v), RMS norm weight * v.
  at::Tensor undivided(const at::Tensor& v) const;
  const at::Tensor& offset() const noexcept { return offset_; }  // [d_model]
  const at::Tensor& scale() const noexcept { return scale_; }    // [token, 1]

 private:
  bool centred_ = true;
  at::Tensor weight_;
  at::Tensor offset_;
  at::Tensor scale_;
};

// The attention block's maps apart, [attention_dim, d_model] and [d_model, attention_dim]; views.
struct AttentionMaps {
  Linear query;
  Linear key;
  Linear value;
  Linear output;
  at::Tensor query_key;  // both weights, [2 * attention_dim, d_model]
  std::int64_t heads = 1;
  double scale = 1.0;  // of the scores
};
AttentionMaps attention_maps(const model::EncoderConfig& config, const EncoderLayer& layer);

// The graph that attention reads, of all sentences of a batch.
struct GraphTrace {
  at::Tensor relation;                     // [area] int64 of each query and key; 0 is none
  std::vector<std::int64_t> area_offsets;  // [sentence + 1]
  bool scaled = true;                      // its terms are multiplied as the products of queries and keys
};
// arcs: by group of the plan, whose groups are of equal lengths, not padded.
GraphTrace graph_trace(const PackedArcs& arcs, const AttentionPlan& plan, model::RelationForm form);

struct LayerTrace {
  std::int64_t layer = 1;
  bool pre = false;
  AttentionMaps attention;
  at::Tensor position_bias;           // added to the scores, [head, length, length]; undefined without
  const GraphTrace* graph = nullptr;  // with graph_input
  const EncoderLayer* weights = nullptr;
  at::Tensor input;                  // x [token, d_model]
  at::Tensor attended_sum;           // a: output of the attention block, bias included
  at::Tensor attended;               // y
  at::Tensor feed_forward;           // f
  at::Tensor output;                 // x'
  std::vector<at::Tensor> patterns;  // A of each group: [sentences, head, query, key]
  FrozenNorm norm1;                  // pre: at x
  FrozenNorm norm2;                  // pre: at y

  // The vector that the attention block adds to every token whatever its input and graph, [d_model]: rows of
  // A sum to 1.
  at::Tensor constant() const;
  // What queries, keys and values read of a part of x, without the offset of the norm.
  at::Tensor read(const at::Tensor& part) const { return pre ? norm1(part) : part; }
  // An addition to the attention block's output, at the layer's output.
  at::Tensor to_output(const at::Tensor& part) const { return pre ? part : norm2(norm1(part)); }
};
// Fills norm1 and norm2 from the rest.
void freeze_norms(LayerTrace& trace);

// Parts of x, [token, d_model]; `previous` undefined stands for zeros (layer 1), `bias` undefined for zeros
// or for being part of `incremental` (joined_state).
struct StateParts {
  at::Tensor previous;
  at::Tensor incremental;
  at::Tensor bias;
};

// Rows [token, …] of a group as [sentences, tokens, …].
at::Tensor group_rows(const at::Tensor& rows, const AttentionGroup& group);
// Rows [token, heads * width] of a group as [sentences, head, tokens, width] (a view).
at::Tensor group_heads(const at::Tensor& rows, const AttentionGroup& group, std::int64_t heads);
// [sentences * head, …] of a group as [sentences, head, …].
at::Tensor by_head(const at::Tensor& values, const AttentionGroup& group);
// Euclidean norms over the last axis.
at::Tensor norm_of(const at::Tensor& vectors);

}  // namespace mog::engine
