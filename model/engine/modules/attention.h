// Attention over the groups of a plan.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "io/recording/quantity_name.h"
#include "model/config/config.h"
#include "model/engine/modules/dropout.h"
#include "model/engine/modules/packed_input.h"
#include "model/engine/modules/relaxed_tokens.h"
#include "model/engine/modules/taps.h"

namespace mog::engine {

class RelationTerms;

// Terms of relative positions in the scores (model::DisentangledConfig).
struct DistanceTerms {
  at::Tensor key;    // [2n - 1, a] by key - query + n - 1, of tokens up to n; or undefined
  at::Tensor query;  // the same
};

struct AttentionOptions {
  std::int64_t heads = 1;
  const Dropout* dropout = nullptr;
  Taps* taps = nullptr;
  QuantityName name;        // of the maps
  double scale = 0.0;       // of the scores; 0: 1/√(a/H)
  double cap = 0.0;         // c: scores s become c·tanh(s/c); 0: they stay
  std::int64_t window = 0;  // a query sees no key farther away; 0: all
  at::Tensor bias =
      {};  // [head, query, key] added to the scores, at least as long as every group; or undefined
  // Taken away from the scores: scale·q·kᵀ of each, query [query token, a], key [key token, a].
  struct Product {
    at::Tensor query;
    at::Tensor key;
  };
  std::vector<Product> removed = {};
  const RelaxedTokens* relaxed = nullptr;  // keys that are there in part
  RelationTerms* relations = nullptr;      // of a graph among the tokens; for one call
  const DistanceTerms* distances = nullptr;
};

// softmax(scale·q·kᵀ + bias)·v. query: [query token, a], key and value: [key token, a]; rows may be strided
// (columns of a joined projection). Returns the context [query token, a].
at::Tensor attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                  const AttentionPlan& plan, const AttentionOptions& options);

// Bias of relative positions by key - query, [head, offset]: table[bucket(offset)] (T5). Where both sides are
// read half of the buckets belong to later keys; in a causal stack all belong to this and earlier ones. Of
// each half (or of all) the first half are single distances, the others grow by powers up to `distance`.
// table: [buckets, head]; offsets: [offset] int64.
struct RelativeForm {
  std::int64_t distance = 128;
  bool causal = false;
};
at::Tensor relative_bias_by_offset(const at::Tensor& table, const at::Tensor& offsets,
                                   const RelativeForm& form);
// The same for all pairs of a sequence, [head, length, length].
at::Tensor relative_bias(const at::Tensor& table, std::int64_t length, const RelativeForm& form);

at::Tensor activate(model::Activation activation, const at::Tensor& x);

}  // namespace mog::engine
