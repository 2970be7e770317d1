// Attention over the groups of a plan.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "io/recording/quantity_name.h"
#include "model/config/config.h"
#include "model/engine/modules/dropout.h"
#include "model/engine/modules/packed_input.h"
#include "model/engine/modules/position_bias.h"
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
  PositionBias bias = {};   // of sequences at least as long as every group
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

at::Tensor activate(model::Activation activation, const at::Tensor& x);

}  // namespace mog::engine
