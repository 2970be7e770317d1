// A plain layer under a row-stochastic map is an attention grammar whose layers carry nothing on beside the
// map's own diagonal (ρ = 0). So trees are counted by the grammar's own code, and one implementation stands
// behind both words: masses by leaves_distributions(), means by expected_leaves(). Masses cost 2^layers
// coefficients a token and end at kMostOrderLayers; the mean has no such end.
//
// Walks are one recursion, O(layers² · tokens²): a step to another token makes the path one longer, a step
// to itself does not.
#include "analysis/attribution/map_orders.h"

#include <fmt/format.h>

#include <bit>
#include <string>

#include "analysis/mog/grammar/attention_grammar.h"
#include "analysis/mog/orders/posteriors.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

// A plain Transformer's grammar whose layers carry nothing on beside the map's own diagonal.
AttentionGrammar grammar_of(std::span<const TokenMap> layers, std::int64_t tokens) {
  GrammarInput input;
  input.kind = GrammarKind::attention;
  input.layers = static_cast<std::int64_t>(layers.size());
  for (std::int64_t i = 1; i <= tokens; ++i) {
    input.words.push_back(std::to_string(i));
  }
  for (const TokenMap& layer : layers) {
    input.attention.push_back({layer});
    input.rho.emplace_back(static_cast<std::size_t>(tokens), 0.0);
  }
  return AttentionGrammar(std::move(input));
}

}  // namespace

TreeOrders tree_orders(std::span<const TokenMap> layers, std::int64_t tokens) {
  const auto depth = static_cast<std::int64_t>(layers.size());
  if (depth > kMostOrderLayers) {
    throw UsageError(fmt::format(
        "leaves of the trees of {} layers: trees have up to 2^{} leaves; masses are computed for at "
        "most {} layers, their mean for any number",
        depth, depth, kMostOrderLayers));
  }
  const std::size_t most = std::size_t{1} << depth;
  const auto bin_count = static_cast<std::size_t>(depth) + 1;
  const auto size = static_cast<std::size_t>(tokens);
  const LeavesDistributions found =
      leaves_distributions(grammar_of(layers, tokens), static_cast<std::int64_t>(most));
  TreeOrders result;
  for (const auto& layer : found.words) {
    auto& mass = result.mass.emplace_back(size * (most + 1), 0.0);
    auto& bins = result.bins.emplace_back(size * bin_count, 0.0);
    for (std::size_t token = 0; token < size; ++token) {
      const std::vector<double>& probability = layer[token].probability;
      for (std::size_t k = 0; k < probability.size(); ++k) {
        mass[token * (most + 1) + k + 1] = probability[k];
        bins[token * bin_count + static_cast<std::size_t>(std::bit_width(k + 1)) - 1] += probability[k];
      }
    }
  }
  return result;
}

std::vector<std::vector<double>> expected_tree_orders(std::span<const TokenMap> layers, std::int64_t tokens) {
  const AttentionGrammar grammar = grammar_of(layers, tokens);
  const std::vector<double> leaves = expected_leaves(grammar);
  std::vector<std::vector<double>> result;
  for (std::int64_t layer = 1; layer <= grammar.layers(); ++layer) {
    auto& row = result.emplace_back();
    for (std::int32_t token = 0; token < grammar.word_count(); ++token) {
      row.push_back(leaves[static_cast<std::size_t>(grammar.r_symbol(layer, token))]);
    }
  }
  return result;
}

std::vector<std::vector<double>> walk_orders(std::span<const TokenMap> layers, std::int64_t tokens) {
  const auto size = static_cast<std::size_t>(tokens);
  const std::size_t width = layers.size() + 2;
  std::vector<double> below(size * width, 0.0);
  for (std::size_t token = 0; token < size; ++token) {
    below[token * width + 1] = 1;
  }
  std::vector<std::vector<double>> result;
  for (const TokenMap& map : layers) {
    std::vector<double> own(size * width, 0.0);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        const double weight = map[i * size + j];
        const std::size_t longer = i == j ? 0 : 1;
        for (std::size_t n = longer; n < width; ++n) {
          own[i * width + n] += weight * below[j * width + n - longer];
        }
      }
    }
    below = own;
    result.push_back(std::move(own));
  }
  return result;
}

}  // namespace mog::analysis
