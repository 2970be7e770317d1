// Names of everything that a model computes and a recording keeps.
//
// A name is `stack.layer.part.quantity.reduction`, with what does not apply left out:
//   encoder.embedding · encoder.3.gate · encoder.3.gate.mean · encoder.3.middle1.attention ·
//   encoder.3.high.attention.row_entropy · encoder.3.low.output.share · decoder.2.cross.attention ·
//   encoder.2.recurrent.carry · encoder.2.backward.gate.mean · encoder.4.full.logit_terms.covariance ·
//   encoder.6.alti.product · decoder.contribution.logit · heads.upos.logits
// Layers count from 1. How names are built is docs/quantity-names.md; docs/quantities.md is the whole list.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/recording/part.h"

namespace mog {

enum class Quantity : std::uint8_t {
  embedding,    // scaled embedding plus position: input of layer 1
  input,        // F = P + I before the layer
  previous,     // P before the layer
  incremental,  // I before the layer
  attention,    // attention pattern, rows are queries
  context,      // what the heads of a part take by it, side by side, before its output map
  output,       // of a part: i_h, i_m1, i_m2, i_l; of a layer: F' (x'); of a stack: its last state
  gate,         // w of the weight gate; of a recurrent layer the share of the new value (z)
  self_gate,    // S of the self gate, rows and columns i_h, i_m1, i_m2, i_l
  reset,        // r of a GRU
  input_gate,   // i, f, o of an LSTM
  forget_gate,
  output_gate,
  candidate,  // new value of a recurrent layer before the gates: n of a GRU, g of an LSTM
  cell,       // c of an LSTM
  carry,      // weight of each earlier word in a recurrent state, rows are steps
  fused,      // Z; in a plain layer the output of the attention block
  attended,   // A (pre-norm: the sum before the feed-forward block)
  // Of an encoder that reads a graph among the tokens:
  graph,        // relation of each pair, 0 none
  graph_terms,  // terms of the attention scores: content, relation_key, relation_query
  // Of a global representation (GRET):
  routing,      // weight of each token in each capsule
  capsules,     // u
  pooling,      // weight of each capsule in the layer's global state
  global_gate,  // g: how much of the global state a decoder state takes
  // Exact decompositions of a plain Transformer (docs/quantity-names.md, Exact decompositions):
  feed_forward,    // output of the feed-forward block, before the residual sum
  norm_scale,      // s of the layer's two layer norms
  split,           // carried, attention, feed-forward, bias: parts of x'
  carried,         // what x' has of the layer's input
  logit_terms,     // terms of the attention scores: pp, pi, ip, ii, bp, bi
  separate_terms,  // the nine terms with the bias part apart
  aumann_shapley,  // what each logit term does to the attention map
  value_parts,     // output of the attention block by cause and value part
  pseudo_gate,     // shares of low, mid, high, base, feed-forward, bias in x'
  propagation,     // vectors of every token by source token, bias as a source of its own
  kobayashi,       // layer maps of the literature, rows are queries
  mixing_ratio,
  globenc,
  alti,
  rollout,
  flow,  // attention flow
  // Of a decoder, of source tokens and decoder inputs (docs/quantity-names.md, Source and target):
  contribution,         // vectors of every target token by source token, decoder input and bias
  memory_contribution,  // the same by position of the encoder's output
  memory_alti,          // ALTI+ by position of the encoder's output
  logits,               // tagging or translation scores
  // Of a model that reads from left to right, by its last states or those of a layer (logit lens):
  next_token,   // scores of what follows each token
  pair_scores,  // of a head that scores pairs of tokens: query, key
  order,        // order masses under the attention grammar (computed from the recording, not by the model)
};

// What is kept of a quantity. Reductions run on the device, in float32, before any cast.
enum class Reduction : std::uint8_t {
  full,         // everything
  row_entropy,  // of each attention row, nats
  row_max,      // greatest weight of each attention row
  sink,         // weight of the first key of each attention row
  distance,     // weights of each attention row summed by the distance of query and key
  mean_heads,   // attention averaged over heads
  mean,         // over d_model
  norm,         // Euclidean norm over d_model of the part as it enters Z: w*i_h, (1-w)*i_l, …; U h, W x
  share,        // norm of a part over the sum of the norms of all parts; signed share of a logit term
  // Of exact decompositions:
  cosine,            // with the layer's input
  gain,              // norm over the norm of the layer's input
  covariance,        // covariance share of a logit term
  covariance_heads,  // the same, numerators and denominators pooled over heads
  covariance_sums,   // these numerators and the denominator
  leave_out,         // divergence of the row without a logit term, nats
  absolute_share,
  nodes,        // of the quadrature
  residual,     // of the quadrature
  projection,   // share of <part, whole> in |whole|^2
  proximity,    // share by the L1 distance to the whole
  fine,         // projection of the seventeen finest parts
  product,      // of the layer maps up to this layer
  raw_product,  // without dividing rows
  raw,
  tree_order,  // order masses of the layer maps
  tree_order_mean,
  tree_order_bins,
  walk_order,
  logit,  // added to the logit of the token that follows
  // Of next_token:
  surprisal,         // -log p of the token after those before it, nats
  rank,              // its place among all tokens, from 1
  entropy,           // of what is predicted behind the token, nats
  best,              // ids of the most probable tokens behind it
  best_probability,  // and their probabilities
  // Of attention rows (mog record --store-top-k):
  top,      // the greatest weights
  top_key,  // their keys
  rest,     // the sum of the others
};

class QuantityName {
 public:
  QuantityName() = default;
  QuantityName(Stack stack, std::int64_t layer, Part part, Quantity quantity,
               Reduction reduction = Reduction::full, std::string task = {});
  // Accepts the other spellings of the parts too (h, m1, m2, l, f, i_h, i_m1, …). Stacks and parts are those
  // of the systems that the process has met (Part::describe).
  // Throws UsageError naming the text, the offending piece and what is allowed there.
  static QuantityName parse(std::string_view text);

  // heads.TASK.logits
  static QuantityName tag_scores(std::string task);
  // heads.HEAD.pair_scores
  static QuantityName pair_scores(std::string head);

  std::string text() const;
  Stack stack() const noexcept { return stack_; }
  std::int64_t layer() const noexcept { return layer_; }  // from 1; 0: of the whole stack
  Part part() const noexcept { return part_; }
  Quantity quantity() const noexcept { return quantity_; }
  Reduction reduction() const noexcept { return reduction_; }
  const std::string& task() const noexcept { return task_; }
  bool of_task() const noexcept { return stack_ == Stack::heads; }  // scores of a tagging task
  QuantityName with(Reduction reduction) const;
  QuantityName with(Part part) const;

  friend bool operator==(const QuantityName&, const QuantityName&) = default;
  // Stack, layer, part, quantity, reduction, task: the order in which a model computes them.
  friend std::strong_ordering operator<=>(const QuantityName&, const QuantityName&) = default;

 private:
  Stack stack_ = Stack::encoder;
  std::int64_t layer_ = 0;
  Part part_ = Part::none;
  Quantity quantity_ = Quantity::embedding;
  Reduction reduction_ = Reduction::full;
  std::string task_;
};

// The quantity that shows a part as a map of words on words: carry of the directions of a recurrent layer,
// attention elsewhere.
inline bool has_carry(Part part) noexcept {
  return part.description().map == PartMap::carry;
}
inline Quantity map_quantity(Part part) noexcept {
  return has_carry(part) ? Quantity::carry : Quantity::attention;
}

std::string_view name(Quantity quantity) noexcept;
std::string_view name(Reduction reduction) noexcept;  // "" for full
// Whether it is the name of a quantity or reduction, which stacks and parts cannot take.
bool is_quantity_word(std::string_view text) noexcept;

}  // namespace mog
