// Axis names, and what is known of a quantity before its values: its schema.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/recording/host_tensor.h"
#include "io/recording/quantity_name.h"

namespace mog {

// `token`, `query` and `key` have the sentence's number of tokens, `source` one more (the last is the bias),
// `context` has those of sentence and translation, `context_bias` one more; `target_token`, `target_query`
// and `target_key` have that of its translation; all others have a fixed extent.
enum class Axis : std::uint8_t {
  token,
  query,
  key,
  target_token,
  target_query,
  target_key,
  head,
  d_model,
  attention_dim,
  tag,
  vocabulary,
  group_query,
  group_key,
  order,
  capsule,     // of a global representation
  graph_term,  // content, relation_key, relation_query: of scores that read a graph
  // Of exact decompositions; their entries are in docs/quantity-names.md.
  split_part,
  split_norm,
  norm_place,
  logit_term,
  separate_term,
  covariance_sum,
  cause,
  value_part,
  order_group,
  gate_part,
  source,
  context,       // of a decoder: the source's tokens, then its own inputs
  context_bias,  // these and the bias
  context_side,  // source, prefix, bias
  leaves,
  order_bin,
  walk_length,
  rank,      // of the greatest weights of a row, or the most probable tokens, from the first on
  distance,  // of query and key in tokens: 0, 1, 2, 3-4, 5-8, …
};
std::string_view name(Axis axis) noexcept;
// The names of the entries of an axis (logit_term: pp, pi, …); empty where entries are only counted. `extent`
// tells what there is: relative positions are a term `pos`, relations of a graph pr, ir, br (rp, ri, rb),
// value part `r`, group `graph`; not every context_side has a bias nor every graph_term a relation_query.
std::vector<std::string_view> entry_names(Axis axis, std::int64_t extent = 0);
// Throws UsageError.
Axis parse_axis(std::string_view text);

// One quantity of one model: name, axes, the extents that do not depend on the sentence, and words for
// people.
struct QuantitySchema {
  QuantityName name;
  std::vector<Axis> axes;
  std::vector<std::int64_t> extents;  // as long as axes; 0 where the sentence decides
  DType dtype = DType::float32;       // as kept
  std::string units;                  // "probability", "nats", "1" …
  std::string description;

  // Whether it has values for the tokens of the translation, which must be there for it.
  bool of_target() const noexcept;
  // The shape for a sentence of `tokens` tokens and `target_tokens` target tokens.
  std::vector<std::int64_t> shape(std::int64_t tokens, std::int64_t target_tokens = 0) const;
  std::int64_t elements(std::int64_t tokens, std::int64_t target_tokens = 0) const;
};

}  // namespace mog
