// The quantities are asked for by name, in any number, and share what they are made of: products need the
// maps, tree orders need the maps, flow needs the rollout maps. So each intermediate result is made when the
// first quantity asks for it and kept for the sentence. A list of all maps and all products at once would be
// layers · tokens² doubles a kind of map whether or not anyone wants them.
//
// The residuals check what must hold whatever the model is: rows of products and masses sum to 1, no mass
// lies beyond 2^layer leaves, and the mean of the masses is the mean that another recursion found.
#include "analysis/attribution/quantities.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "analysis/attribution/map_orders.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr Quantity kOrderMaps[] = {Quantity::rollout, Quantity::alti};

QuantityName input_name(const StackDescription& stack, Quantity map, std::int64_t layer) {
  return map == Quantity::rollout || map == Quantity::flow
             ? mean_attention(stack, layer)
             : QuantityName(stack.stack, layer, Part::none, map);
}

// Everything of one sentence, computed when it is asked for.
class Sentence {
 public:
  Sentence(const StackDescription& stack, std::int64_t tokens, const MapReader& read)
      : stack_(stack), tokens_(tokens), read_(read) {}

  const std::vector<TokenMap>& maps(Quantity map) {
    const auto [found, fresh] = maps_.try_emplace(map);
    if (fresh) {
      for (std::int64_t layer = 1; layer <= stack_.layers; ++layer) {
        TokenMap own = read_(input_name(stack_, map, layer));
        found->second.push_back(map == Quantity::rollout ? rollout_map(own, tokens_) : std::move(own));
      }
    }
    return found->second;
  }
  const std::vector<TokenMap>& products(Quantity map) {
    const auto [found, fresh] = products_.try_emplace(map);
    if (fresh) {
      found->second = layer_products(maps(map), tokens_);
    }
    return found->second;
  }
  const TreeOrders& trees(Quantity map) {
    const auto [found, fresh] = trees_.try_emplace(map);
    if (fresh) {
      found->second = tree_orders(maps(map), tokens_);
    }
    return found->second;
  }
  const std::vector<std::vector<double>>& means(Quantity map) {
    const auto [found, fresh] = means_.try_emplace(map);
    if (fresh) {
      found->second = expected_tree_orders(maps(map), tokens_);
    }
    return found->second;
  }
  const TokenMap& flow() {
    if (!flow_) {
      flow_ = attention_flow(maps(Quantity::rollout), tokens_);
    }
    return *flow_;
  }

  std::vector<double> value(const QuantityName& name) {
    const auto layer = static_cast<std::size_t>(name.layer()) - 1;
    if (name.quantity() == Quantity::flow) {
      return name.reduction() == Reduction::raw ? flow() : divided(flow());
    }
    switch (name.reduction()) {
      case Reduction::full:
        return maps(name.quantity()).at(layer);
      case Reduction::product:
        return name.quantity() == Quantity::globenc ? divided(products(name.quantity()).at(layer))
                                                    : products(name.quantity()).at(layer);
      case Reduction::raw_product:
        return products(name.quantity()).at(layer);
      case Reduction::tree_order:
        return trees(name.quantity()).mass.at(layer);
      case Reduction::tree_order_bins:
        return trees(name.quantity()).bins.at(layer);
      case Reduction::tree_order_mean:
        return means(name.quantity()).at(layer);
      case Reduction::walk_order:
        return walk_orders(maps(name.quantity()), tokens_).at(layer);
      default:
        throw UsageError("attribution does not compute " + name.text());
    }
  }

 private:
  TokenMap divided(TokenMap map) const {
    divide_rows(map, tokens_);
    return map;
  }

  const StackDescription& stack_;
  std::int64_t tokens_;
  const MapReader& read_;
  std::map<Quantity, std::vector<TokenMap>> maps_;
  std::map<Quantity, std::vector<TokenMap>> products_;
  std::map<Quantity, TreeOrders> trees_;
  std::map<Quantity, std::vector<std::vector<double>>> means_;
  std::optional<TokenMap> flow_;
};

double row_error(const TokenMap& map, std::int64_t columns) {
  double worst = 0;
  for (std::size_t begin = 0; begin < map.size(); begin += static_cast<std::size_t>(columns)) {
    double sum = -1;
    for (std::size_t i = 0; i < static_cast<std::size_t>(columns); ++i) {
      sum += map[begin + i];
    }
    worst = std::max(worst, std::abs(sum));
  }
  return worst;
}

}  // namespace

QuantityName mean_attention(const StackDescription& stack, std::int64_t layer) {
  const std::vector<Part> parts = stack.with(PartRole::attention);
  return {stack.stack, layer, parts.size() == 1 ? parts.front() : Part::none, Quantity::attention,
          Reduction::mean_heads};
}

std::vector<QuantitySchema> attribution_quantities(const StackDescription& stack) {
  const std::int64_t layers = stack.layers;
  const auto of_layer = [&](std::int64_t layer, Quantity quantity, Reduction reduction = Reduction::full) {
    return QuantityName(stack.stack, layer, Part::none, quantity, reduction);
  };
  std::vector<QuantitySchema> list;
  const auto add = [&](const QuantityName& name, std::vector<Axis> axes, std::vector<std::int64_t> extents,
                       const char* units, const std::string& description) {
    list.push_back({name, std::move(axes), std::move(extents), DType::float32, units, description});
  };
  const std::vector<Axis> map = {Axis::query, Axis::key};
  for (std::int64_t layer = 1; layer <= layers; ++layer) {
    add(of_layer(layer, Quantity::rollout), map, {0, 0}, "probability",
        "(attention averaged over heads + identity) / 2");
    for (const Quantity quantity : kOrderMaps) {
      const std::string of = quantity == Quantity::alti ? "ALTI maps" : "rollout maps";
      add(of_layer(layer, quantity, Reduction::product), map, {0, 0}, "probability",
          "product of the " + of + " up to this layer");
      if (layers <= kMostOrderLayers) {
        const std::int64_t leaves = std::int64_t{1} << layers;
        add(of_layer(layer, quantity, Reduction::tree_order), {Axis::token, Axis::leaves}, {0, leaves + 1},
            "probability", "mass of the trees with n leaves under the " + of);
        add(of_layer(layer, quantity, Reduction::tree_order_bins), {Axis::token, Axis::order_bin},
            {0, layers + 1}, "probability", "mass of the trees with 1, 2-3, 4-7, … leaves under the " + of);
      }
      add(of_layer(layer, quantity, Reduction::tree_order_mean), {Axis::token}, {0}, "leaves",
          "mean leaves of the trees under the " + of);
      add(of_layer(layer, quantity, Reduction::walk_order), {Axis::token, Axis::walk_length}, {0, layers + 2},
          "probability", "mass of the paths with n tokens under the " + of);
    }
    add(of_layer(layer, Quantity::globenc, Reduction::product), map, {0, 0}, "probability",
        "product of the GlobEnc maps up to this layer, rows divided by their sums");
    add(of_layer(layer, Quantity::globenc, Reduction::raw_product), map, {0, 0}, "1",
        "product of the GlobEnc maps up to this layer");
  }
  add(of_layer(0, Quantity::flow), map, {0, 0}, "probability",
      "attention flow to each input token, rows divided by their sums");
  add(of_layer(0, Quantity::flow, Reduction::raw), map, {0, 0}, "1",
      "greatest flow through the rollout maps to each input token");
  std::sort(list.begin(), list.end(),
            [](const QuantitySchema& left, const QuantitySchema& right) { return left.name < right.name; });
  return list;
}

std::vector<QuantityName> attribution_inputs(std::span<const QuantityName> wanted,
                                             const StackDescription& stack) {
  std::set<QuantityName> names;
  for (const QuantityName& name : wanted) {
    for (std::int64_t layer = 1; layer <= stack.layers; ++layer) {
      names.insert(input_name(stack, name.quantity(), layer));
    }
  }
  return {names.begin(), names.end()};
}

std::vector<std::vector<double>> attributions(std::span<const QuantityName> wanted,
                                              const StackDescription& stack, std::int64_t tokens,
                                              const MapReader& read) {
  if (tokens == 0) {
    return std::vector<std::vector<double>>(wanted.size());
  }
  Sentence sentence(stack, tokens, read);
  std::vector<std::vector<double>> result;
  for (const QuantityName& name : wanted) {
    result.push_back(sentence.value(name));
  }
  return result;
}

std::vector<AttributionResidual> attribution_residuals(const StackDescription& stack, std::int64_t tokens,
                                                       const MapReader& read) {
  const std::int64_t layers = stack.layers;
  if (tokens == 0) {
    return {};
  }
  Sentence sentence(stack, tokens, read);
  AttributionResidual rows{"rows of products", 0.0};
  AttributionResidual walks{"walk order masses", 0.0};
  AttributionResidual mass{"tree order masses", 0.0};
  AttributionResidual mean{"mean tree order", 0.0};
  for (const Quantity map : kOrderMaps) {
    for (const TokenMap& product : sentence.products(map)) {
      rows.residual = std::max(rows.residual, row_error(product, tokens));
    }
    for (const std::vector<double>& walk : walk_orders(sentence.maps(map), tokens)) {
      walks.residual = std::max(walks.residual, row_error(walk, layers + 2));
    }
    if (layers > kMostOrderLayers) {
      continue;
    }
    const std::size_t width = (std::size_t{1} << layers) + 1;
    for (std::size_t layer = 0; layer < static_cast<std::size_t>(layers); ++layer) {
      const std::vector<double>& masses = sentence.trees(map).mass[layer];
      mass.residual = std::max(mass.residual, row_error(masses, static_cast<std::int64_t>(width)));
      for (std::size_t token = 0; token < static_cast<std::size_t>(tokens); ++token) {
        double leaves = 0;
        for (std::size_t n = 0; n < width; ++n) {
          leaves += static_cast<double>(n) * masses[token * width + n];
          if (n > std::size_t{2} << layer) {  // more than 2^layer, layers counted from 1
            mass.residual = std::max(mass.residual, masses[token * width + n]);
          }
        }
        const double expected = sentence.means(map)[layer][token];
        mean.residual = std::max(mean.residual, std::abs(leaves - expected) / expected);
      }
    }
  }
  return {rows, walks, mass, mean};
}

}  // namespace mog::analysis
