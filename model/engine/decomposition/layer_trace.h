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
#include "model/engine/modules/query_key.h"
#include "model/engine/modules/weights.h"

namespace mog::engine {

// A layer norm whose scale is a constant: LN(z) = (*this)(z) + offset(), and (*this) is linear. Where the
// layer has none it is the identity.
class FrozenNorm {
 public:
  FrozenNorm() = default;
  // At the rows of z [token, d_model].
  FrozenNorm(const LayerNorm& norm, const at::Tensor& z);
  bool changes() const noexcept { return weight_.defined(); }

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

// What becomes of rows of queries or keys before their product, [token, attention_dim]: a norm of heads whose
// scale is a constant, and the turn by their place. Linear, but for offset().
class FrozenHeads {
 public:
  FrozenHeads() = default;  // nothing
  // at: the rows of the pass before the norm. by_head: of each head by itself.
  FrozenHeads(const LayerNorm& norm, const at::Tensor& at, std::int64_t heads, bool by_head,
              model::RotaryPairs pairs, const Rotation& rotation);
  // Whether what is added to all tokens alike differs from token to token behind it.
  bool moves() const noexcept { return scale_.defined() || rotation_.defined(); }
  at::Tensor operator()(const at::Tensor& rows) const;
  // What the norm adds, [token, attention_dim]; undefined: nothing.
  at::Tensor offset() const;

 private:
  at::Tensor turned(const at::Tensor& rows) const;
  std::int64_t heads_ = 1;
  std::int64_t groups_ = 1;  // of the norm: heads, or 1
  bool centred_ = false;
  at::Tensor weight_;  // [attention_dim]
  at::Tensor bias_;    // [attention_dim], or undefined
  at::Tensor scale_;   // [token, groups, 1]; undefined: no norm
  model::RotaryPairs pairs_ = model::RotaryPairs::halves;
  Rotation rotation_;
};

// The attention block's maps apart, [attention_dim, d_model] and [d_model, attention_dim]. Keys and values of
// a group of heads stand once for each of its heads.
struct AttentionMaps {
  Linear query;
  Linear key;
  Linear value;
  Linear output;
  at::Tensor query_key;  // both weights, [2 * attention_dim, d_model]
  std::int64_t heads = 1;
  double scale = 1.0;  // of the scores
  FrozenHeads of_query = {};
  FrozenHeads of_key = {};
};
AttentionMaps attention_maps(const model::EncoderConfig& config, const EncoderLayer& layer);

// What a query sees, and what becomes of its scores.
struct ScoreForm {
  bool causal = false;
  std::int64_t window = 0;  // 0: all
  double cap = 0.0;         // 0: none
  // Weights of uniform attention in a group, [query, key] float64, 0 where a key is not seen; undefined where
  // all are.
  at::Tensor uniform(const AttentionGroup& group, at::Device device) const;
};

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
  bool pre = false;       // sums are not normed; norm1 and norm2 stand before the blocks, or are nothing
  bool parallel = false;  // the feed-forward block reads x
  double residual_scale = 1.0;
  AttentionMaps attention;
  ScoreForm form;
  PositionBias position_bias;         // added to the scores
  const GraphTrace* graph = nullptr;  // with graph_input
  const EncoderLayer* weights = nullptr;
  const StackPositions* positions = nullptr;
  at::Tensor input;                  // x [token, d_model]
  at::Tensor mapped;                 // output of the attention block's map, before its own norm; undefined
                                     // unless there is one
  at::Tensor attended_sum;           // a: what the attention block adds, bias included
  at::Tensor attended;               // y
  at::Tensor feed_forward;           // f
  at::Tensor output;                 // x'
  std::vector<at::Tensor> patterns;  // A of each group: [sentences, head, query, key]
  FrozenNorm norm1;                  // pre: at x
  FrozenNorm norm2;                  // pre: at y, or at x
  FrozenNorm output1;                // of what the attention block gives
  FrozenNorm output2;                // of what the feed-forward block gives

  // What the feed-forward block reads before its norm.
  const at::Tensor& fed() const { return parallel ? input : attended; }
  // What the attention block adds to every token whatever its input and graph, [token, d_model]: rows of A
  // sum to 1.
  at::Tensor constant() const;
  // An output of the attention's map as it is added, [token, d_model] (without what its norm adds).
  at::Tensor added(const at::Tensor& given) const;
  // The same of [sentences, …, token, d_model] of a group.
  at::Tensor added(const at::Tensor& given, const AttentionGroup& group) const;
  // What the bias of the map adds, and the norm behind it, [token, d_model].
  at::Tensor added_bias() const;
  // What queries, keys and values read of a part of x, without the offset of the norm.
  at::Tensor read(const at::Tensor& part) const { return pre ? norm1(part) : part; }
  // An addition to the attention block's output, at the layer's output.
  at::Tensor to_output(const at::Tensor& part) const { return pre ? part : norm2(norm1(part)); }
};
// Fills what does not depend on the outputs of the layer (input is known), then the norms from the rest.
void begin_trace(const model::EncoderConfig& config, const EncoderLayer& weights,
                 const StackPositions& positions, LayerTrace& trace);
void freeze_norms(const model::EncoderConfig& config, LayerTrace& trace);

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
