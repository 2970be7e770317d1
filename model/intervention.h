// Changes to a run: what is cut, scaled or set while the model computes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "io/recording/quantity_name.h"

namespace mog::model {

// Sentences and tokens are indices from 0 into the batch; layers and heads count from 1.

// No query may attend to the token any more (its own row stays).
// Where a token sees itself and those before it alone, one that has nothing left sees itself.
struct MaskToken {
  std::int64_t sentence = 0;
  std::int64_t token = 0;
};
struct ReplaceToken {
  std::int64_t sentence = 0;
  std::int64_t token = 0;
  std::int64_t id = 0;
};
// What scales x may hold a vector `toward`, as wide as x (of an encoder that attends): x becomes
// toward + factor · (x − toward), with factor 0 the vector itself (the mean of a corpus: mean ablation).
// Empty: zeros, so x becomes factor · x.

// Multiplies the output of one attention head before the output map; 0 cuts it. The map's bias stays, also
// where all heads are cut.
struct ScaleHead {
  std::int64_t layer = 1;
  Part part = Part::high;
  std::int64_t head = 1;
  double factor = 0.0;
  std::vector<float> toward = {};
};
// Multiplies i_h, i_m1, i_m2 or i_l, with the bias of the output map (full: the attention output of a plain
// layer; of a recurrent layer W x or U h inside the new value, or, of a bidirectional one, the whole state of
// a direction).
struct ScalePart {
  std::int64_t layer = 1;
  Part part = Part::high;
  double factor = 0.0;
  std::vector<float> toward = {};
};
// Multiplies Z, what the layer's attention block adds to its input; 0 leaves residual and feed-forward. Of a
// recurrent layer: what its output differs from its input by; 0 hands the input on.
struct ScaleLayer {
  std::int64_t layer = 1;
  double factor = 0.0;
  std::vector<float> toward = {};
};
// Multiplies what the layer's feed-forward block adds; recurrent layers have none.
struct ScaleFeedForward {
  std::int64_t layer = 1;
  double factor = 0.0;
  std::vector<float> toward = {};
};
// Terms of the attention scores of a plain layer, first letter the query part, second the key part: p
// previous, i incremental, b the query's own bias (docs/quantity-names.md, Exact decompositions).
enum class LogitTerm : std::uint8_t { pp, pi, ip, ii, bp, bi };
std::string_view name(LogitTerm term) noexcept;  // "pp", …
std::optional<LogitTerm> find_logit_term(std::string_view text) noexcept;

// Takes a term out of the scores of a layer, all heads, before the softmax (causal leave-out). The parts are
// those of the changed states: what was cut below has changed them. Plain Transformers, in float32 or
// float64; a term of relative positions stays.
struct CutLogitTerm {
  std::int64_t layer = 1;
  LogitTerm term = LogitTerm::pp;
};
// Terms of attention that reads a graph: of its scores what content alone gives, the relation with the query
// and the relation with the key (as graph_terms has them), and of its output the values of relations.
enum class GraphTerm : std::uint8_t { content, relation_key, relation_query, relation_value };
std::string_view name(GraphTerm term) noexcept;  // "content", …
std::optional<GraphTerm> find_graph_term(std::string_view text) noexcept;

// Takes such a term out of a layer, of one head or of all; a bias of relative positions goes with content.
// The graph stays the one that is given.
struct CutGraphTerm {
  std::int64_t layer = 1;
  GraphTerm term = GraphTerm::relation_key;
  std::optional<std::int64_t> head;
};
// Takes the token's row of the embedding table as zeros; its position stays, and what a layer norm behind
// makes of it.
struct ZeroEmbedding {
  std::int64_t sentence = 0;
  std::int64_t token = 0;
};
// Multiplies a capsule of a layer's global representation before it is pooled (GRET's u_k); 0 cuts it.
struct ScaleCapsule {
  std::int64_t layer = 1;
  std::int64_t capsule = 1;  // from 1
  double factor = 0.0;
};
// Multiplies what the global representation adds to the decoder's last states; 0 leaves the model without it.
struct ScaleGlobal {
  double factor = 0.0;
};
// Sets the weight gate of a layer (all dimensions; of a GRU the share of the new value, in all its
// directions) for one token or for all.
struct SetGate {
  std::int64_t layer = 1;
  std::optional<std::int64_t> sentence;
  std::optional<std::int64_t> token;
  double value = 0.5;  // in [0, 1]
};

// A part, layer, head or token that the model does not have is refused (UsageError).
using Intervention =
    std::variant<MaskToken, ReplaceToken, ScaleHead, ScalePart, ScaleLayer, ScaleFeedForward, SetGate,
                 CutLogitTerm, CutGraphTerm, ZeroEmbedding, ScaleCapsule, ScaleGlobal>;

}  // namespace mog::model
