// Products go row by row, i, j, k: the inner loop adds a multiple of one row to another, both contiguous.
// O(layers · tokens³).
//
// Attention flow asks for a greatest flow from every token above to every input token: tokens² flows through
// one graph of (layers + 1) · tokens vertices and layers · tokens² edges. The graph is built once; only
// source and sink change, and each search sets its residual capacities anew. By far the dearest of the
// attributions.
//
// Trap: Boost's algorithm takes for granted that every edge has a reverse one of capacity 0 and does not
// check it; both are always added together.
#include "analysis/attribution/layer_products.h"

#include <fmt/format.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <cmath>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

void require_square(std::span<const double> map, std::int64_t tokens) {
  if (static_cast<std::int64_t>(map.size()) != tokens * tokens) {
    throw ShapeError(fmt::format("a map of {0} tokens: expected {0} rows of {0} values, found {1} values",
                                 tokens, map.size()));
  }
}

TokenMap multiply(const TokenMap& left, const TokenMap& right, std::size_t tokens) {
  TokenMap result(tokens * tokens, 0.0);
  for (std::size_t i = 0; i < tokens; ++i) {
    for (std::size_t j = 0; j < tokens; ++j) {
      const double weight = left[i * tokens + j];
      for (std::size_t k = 0; k < tokens; ++k) {
        result[i * tokens + k] += weight * right[j * tokens + k];
      }
    }
  }
  return result;
}

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
struct Vertex {
  Traits::edge_descriptor predecessor;
  boost::default_color_type color = boost::white_color;
  double distance = 0;
};
struct Edge {
  double capacity = 0;
  double residual = 0;
  Traits::edge_descriptor reverse;
};
using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, Vertex, Edge>;

// Vertex (level, token) is level * tokens + token; level 0 are the input tokens.
Graph layered_graph(std::span<const TokenMap> layers, std::size_t tokens) {
  Graph graph((layers.size() + 1) * tokens);
  for (std::size_t level = 0; level < layers.size(); ++level) {
    for (std::size_t i = 0; i < tokens; ++i) {
      for (std::size_t j = 0; j < tokens; ++j) {
        const double capacity = layers[level][i * tokens + j];
        if (!(capacity >= 0) || !std::isfinite(capacity)) {
          throw ShapeError(fmt::format("attention flow: the capacity of layer {}, row {}, column {} is {}",
                                       level + 1, i + 1, j + 1, capacity));
        }
        const auto from = (level + 1) * tokens + i;
        const auto to = level * tokens + j;
        const auto forth = boost::add_edge(from, to, Edge{capacity, 0, {}}, graph).first;
        const auto back = boost::add_edge(to, from, Edge{}, graph).first;
        graph[forth].reverse = back;
        graph[back].reverse = forth;
      }
    }
  }
  return graph;
}

}  // namespace

TokenMap rollout_map(std::span<const double> mean_attention, std::int64_t tokens) {
  require_square(mean_attention, tokens);
  TokenMap result(mean_attention.begin(), mean_attention.end());
  for (double& value : result) {
    value /= 2;
  }
  for (std::int64_t i = 0; i < tokens; ++i) {
    result[static_cast<std::size_t>(i * (tokens + 1))] += 0.5;
  }
  return result;
}

std::vector<TokenMap> layer_products(std::span<const TokenMap> layers, std::int64_t tokens) {
  std::vector<TokenMap> result;
  for (const TokenMap& layer : layers) {
    require_square(layer, tokens);
    result.push_back(result.empty() ? layer
                                    : multiply(layer, result.back(), static_cast<std::size_t>(tokens)));
  }
  return result;
}

void divide_rows(TokenMap& map, std::int64_t tokens) {
  require_square(map, tokens);
  const auto size = static_cast<std::size_t>(tokens);
  for (std::size_t i = 0; i < size; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < size; ++j) {
      sum += map[i * size + j];
    }
    for (std::size_t j = 0; sum != 0 && j < size; ++j) {
      map[i * size + j] /= sum;
    }
  }
}

TokenMap attention_flow(std::span<const TokenMap> layers, std::int64_t tokens) {
  for (const TokenMap& layer : layers) {
    require_square(layer, tokens);
  }
  const auto size = static_cast<std::size_t>(tokens);
  Graph graph = layered_graph(layers, size);
  TokenMap result(size * size, 0.0);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k < size; ++k) {
      result[i * size + k] = boost::boykov_kolmogorov_max_flow(
          graph, boost::get(&Edge::capacity, graph), boost::get(&Edge::residual, graph),
          boost::get(&Edge::reverse, graph), boost::get(&Vertex::predecessor, graph),
          boost::get(&Vertex::color, graph), boost::get(&Vertex::distance, graph),
          boost::get(boost::vertex_index, graph), layers.size() * size + i, k);
    }
  }
  return result;
}

}  // namespace mog::analysis
