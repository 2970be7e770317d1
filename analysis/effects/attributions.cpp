// Maps of tokens on tokens become values of tokens by the weights with which the target reads the output: a
// pooled target takes the mean of all rows, a word the rows of its tokens.
#include "analysis/effects/attributions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/random/bootstrap.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

QuantityName of_layer(const StackDescription& stack, std::int64_t layer, Quantity quantity,
                      Reduction reduction = Reduction::full) {
  return {stack.stack, layer, Part::none, quantity, reduction};
}

// The maps of all layers of one quantity, from the first.
template <class NameOf>
std::vector<TokenMap> layer_maps(const StackDescription& stack, const MapReader& read,
                                 const NameOf& name_of) {
  std::vector<TokenMap> maps;
  for (std::int64_t layer = 1; layer <= stack.layers; ++layer) {
    maps.push_back(read(name_of(layer)));
  }
  return maps;
}

TokenMap product_of(std::span<const TokenMap> maps, std::int64_t tokens) {
  std::vector<TokenMap> products = layer_products(maps, tokens);
  if (products.empty()) {
    throw UsageError("a product of layer maps: the stack has no layer");
  }
  return std::move(products.back());
}

}  // namespace

bool of_gradients(Attribution attribution) noexcept {
  return attribution == Attribution::gradient_norm || attribution == Attribution::gradient_input ||
         attribution == Attribution::integrated_gradients ||
         attribution == Attribution::integrated_presence || attribution == Attribution::removal;
}

std::set<QuantityName> recorded_inputs(Attribution attribution, const StackDescription& stack) {
  const std::int64_t layers = stack.layers;
  std::set<QuantityName> names;
  for (std::int64_t layer = 1; layer <= layers; ++layer) {
    if (attribution == Attribution::rollout || attribution == Attribution::flow) {
      names.insert(mean_attention(stack, layer));
    } else if (attribution == Attribution::globenc) {
      names.insert(of_layer(stack, layer, Quantity::globenc));
    } else if (attribution == Attribution::alti) {
      names.insert(of_layer(stack, layer, Quantity::alti));
    }
  }
  switch (attribution) {
    case Attribution::attention:
      names.insert(mean_attention(stack, layers));
      break;
    case Attribution::norm:
      names.insert(of_layer(stack, layers, Quantity::kobayashi));
      break;
    case Attribution::propagation_norm:
      names.insert(of_layer(stack, 0, Quantity::propagation, Reduction::norm));
      break;
    case Attribution::propagation_share:
      names.insert(of_layer(stack, 0, Quantity::propagation, Reduction::projection));
      break;
    case Attribution::propagation_removal:
      names.insert(of_layer(stack, 0, Quantity::propagation));
      names.insert(of_layer(stack, 0, Quantity::output));
      break;
    default:
      break;
  }
  return names;
}

TokenMap attribution_map(Attribution attribution, const StackDescription& stack, std::int64_t tokens,
                         const MapReader& read) {
  const auto rollout_maps = [&] {
    std::vector<TokenMap> maps =
        layer_maps(stack, read, [&](std::int64_t layer) { return mean_attention(stack, layer); });
    for (TokenMap& map : maps) {
      map = rollout_map(map, tokens);
    }
    return maps;
  };
  const auto maps_of = [&](Quantity quantity) {
    return layer_maps(stack, read, [&](std::int64_t layer) { return of_layer(stack, layer, quantity); });
  };
  switch (attribution) {
    case Attribution::attention:
      return read(mean_attention(stack, stack.layers));
    case Attribution::rollout:
      return product_of(rollout_maps(), tokens);
    case Attribution::flow: {
      TokenMap flow = attention_flow(rollout_maps(), tokens);
      divide_rows(flow, tokens);
      return flow;
    }
    case Attribution::norm:
      return read(of_layer(stack, stack.layers, Quantity::kobayashi));
    case Attribution::globenc: {
      TokenMap product = product_of(maps_of(Quantity::globenc), tokens);
      divide_rows(product, tokens);
      return product;
    }
    case Attribution::alti:
      return product_of(maps_of(Quantity::alti), tokens);
    case Attribution::propagation_norm:
      return read(of_layer(stack, 0, Quantity::propagation, Reduction::norm));
    case Attribution::propagation_share:
      return read(of_layer(stack, 0, Quantity::propagation, Reduction::projection));
    default:
      throw UsageError("an attribution that is no map of tokens on tokens was asked for as one");
  }
}

std::vector<double> map_values(std::span<const double> map, std::span<const double> weights) {
  const std::size_t tokens = weights.size();
  if (tokens == 0 || map.size() % tokens != 0 || map.size() / tokens < tokens) {
    throw ShapeError(
        fmt::format("a map of {0} tokens: expected {0} rows of at least {0} values, found {1} "
                    "values",
                    tokens, map.size()));
  }
  const std::size_t columns = map.size() / tokens;
  std::vector<double> result(tokens, 0.0);
  for (std::size_t row = 0; row < tokens; ++row) {
    for (std::size_t token = 0; token < tokens; ++token) {
      result[token] += weights[row] * map[row * columns + token];
    }
  }
  return result;
}

std::vector<double> random_values(std::int64_t sentence, std::int64_t tokens, std::uint64_t seed) {
  std::vector<double> values;
  for (std::int64_t token = 0; token < tokens; ++token) {
    values.push_back(static_cast<double>(
        keyed_random(seed, static_cast<std::uint64_t>(sentence), 0, static_cast<std::uint64_t>(token)) >>
        11U));
  }
  return values;
}

std::vector<double> geometric_mean(std::span<const std::vector<double>> factors) {
  if (factors.empty()) {
    throw UsageError("a geometric mean of no attribution");
  }
  if (factors.size() == 1) {
    return factors.front();
  }
  std::vector<double> result(factors.front().size(), 1.0);
  for (const std::vector<double>& own : factors) {
    if (own.size() != result.size()) {
      throw ShapeError(
          fmt::format("a geometric mean of attributions of {} and {} units", result.size(), own.size()));
    }
    for (std::size_t unit = 0; unit < result.size(); ++unit) {
      result[unit] *= std::pow(std::max(0.0, own[unit]), 1.0 / static_cast<double>(factors.size()));
    }
  }
  return result;
}

}  // namespace mog::analysis
