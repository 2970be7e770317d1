// What gives every token of a sentence a value for a target, and the values of those that need no model but
// what was recorded.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "analysis/attribution/layer_products.h"
#include "analysis/attribution/quantities.h"
#include "io/recording/system.h"

namespace mog::analysis {

// See docs/command-line.md for the definitions.
enum class Attribution : std::uint8_t {
  random,
  attention,
  rollout,
  flow,
  norm,
  globenc,
  alti,
  propagation_norm,
  propagation_share,
  propagation_removal,
  gradient_norm,
  gradient_input,
  integrated_gradients,
  integrated_presence,
  removal,
  leave_one_out,
};

// Whether it comes from derivatives of the model.
bool of_gradients(Attribution attribution) noexcept;

// The quantities of the stack that have to be recorded; none for random, leave_one_out and those of
// gradients.
std::set<QuantityName> recorded_inputs(Attribution attribution, const StackDescription& stack);

// From attention to propagation_share: [query, column], columns are the tokens and perhaps more (biases).
// `read` gives an input of the sentence. Throws UsageError for an attribution without a map, ShapeError for
// maps that do not fit. flow: as attention_flow; products: O(layers · tokens³).
TokenMap attribution_map(Attribution attribution, const StackDescription& stack, std::int64_t tokens,
                         const MapReader& read);

// [token]: the value of token k is the sum over query tokens i of weights[i] · map[i, k]. weights: [token],
// as Readout::weights(). Throws ShapeError.
std::vector<double> map_values(std::span<const double> map, std::span<const double> weights);

// [token], integers from 0 to 2^53 - 1, the same for a seed and the sentence's number in the corpus.
std::vector<double> random_values(std::int64_t sentence, std::int64_t tokens, std::uint64_t seed);

// [unit]: the geometric mean of several attributions, values below 0 counting as 0; one alone is as it is.
// Throws UsageError for none, ShapeError where they are not equally long.
std::vector<double> geometric_mean(std::span<const std::vector<double>> factors);

}  // namespace mog::analysis
