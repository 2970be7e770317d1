// The quantities that attribution computes from the layer maps of one sentence, by name.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/attribution/layer_products.h"
#include "io/recording/axes.h"
#include "io/recording/system.h"

namespace mog::analysis {

// The mean over heads of the stack's one attention, from which rollout and flow are made. A name that nothing
// offers where the stack has several, or none.
QuantityName mean_attention(const StackDescription& stack, std::int64_t layer);

// Of a stack, sorted by name (docs/quantities.md, Computed from a recording). Tree order masses only up
// to kMostOrderLayers.
std::vector<QuantitySchema> attribution_quantities(const StackDescription& stack);

// What has to be recorded, in every layer: mean_attention() (rollout, flow), `alti`, `globenc`. Sorted.
std::vector<QuantityName> attribution_inputs(std::span<const QuantityName> wanted,
                                             const StackDescription& stack);

// Reads an input of this sentence: [query, key].
using MapReader = std::function<TokenMap(const QuantityName& name)>;
// One wanted value after another, in the order of `wanted`, flat in its schema's shape.
std::vector<std::vector<double>> attributions(std::span<const QuantityName> wanted,
                                              const StackDescription& stack, std::int64_t tokens,
                                              const MapReader& read);

// What must hold whatever the maps: rows of the products of row-stochastic maps sum to 1, masses of orders
// sum to 1 with none above 2^layer leaves, their mean is the recursion's.
struct AttributionResidual {
  std::string_view identity;  // a literal
  double residual = 0.0;
};
std::vector<AttributionResidual> attribution_residuals(const StackDescription& stack, std::int64_t tokens,
                                                       const MapReader& read);

}  // namespace mog::analysis
