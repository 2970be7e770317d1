// Products of layer maps, and the flow through them: what input tokens give to the tokens of each layer
// (docs/quantities.md, Computed from a recording).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mog::analysis {

// [query, key], row-major tokens * tokens.
using TokenMap = std::vector<double>;

// ½(attention averaged over heads + identity), Abnar & Zuidema 2020. Throws ShapeError unless the map has
// tokens² values.
TokenMap rollout_map(std::span<const double> mean_attention, std::int64_t tokens);

// Entry l is layers[l] · … · layers[0]. O(layers · tokens³). Throws ShapeError.
std::vector<TokenMap> layer_products(std::span<const TokenMap> layers, std::int64_t tokens);

// Rows divided by their sums; a row of zeros stays.
void divide_rows(TokenMap& map, std::int64_t tokens);

// Attention flow (Abnar & Zuidema 2020): entry [i, k] is the greatest flow from token i above the last layer
// to input token k, layers[l][i, j] being the capacity of the edge (l + 1, i) → (l, j). Exact; tokens² flows
// over layers · tokens² edges each. Capacities must not be negative (ShapeError).
TokenMap attention_flow(std::span<const TokenMap> layers, std::int64_t tokens);

}  // namespace mog::analysis
