// The counts grow like towers (a plain encoder of 30 words and 12 layers has 10^6000 derivations), hence
// Boost's integers without limit. All recursions are over (layer, order) of one owner and one set of words;
// the choice of words is a binomial in front.
#include "analysis/mog/orders/generation_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <utility>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

using Big = boost::multiprecision::cpp_int;

constexpr std::int64_t kMostWords = 512;
constexpr std::int64_t kMostLayers = 64;
constexpr std::int64_t kMostSquarings = 16;  // numbers of digits double with every layer

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

void check(std::string_view what, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value < low || value > high) {
    throw UsageError(fmt::format("counts: {} is {}; allowed are {} to {}", what, value, low, high));
  }
}

BigCount digits(const Big& value) {
  return value.str();
}

Big binomial(std::int64_t n, std::int64_t k) {
  Big result = k < 0 || k > n ? 0 : 1;
  for (std::int64_t i = 1; i <= k && k <= n; ++i) {
    result = result * (n - k + i) / i;
  }
  return result;
}

// [order]: of one owner and one set of `order` words.
using ByOrder = std::vector<Big>;

// Joins of a left operand of the owner with a right operand of any owner: Σ_j C(k-1, j-1) L_j (k-j) R_{k-j}.
Big joined(const ByOrder& left, const ByOrder& right, std::int64_t order) {
  Big total = 0;
  Big choose = 1;  // C(order - 1, j - 1)
  for (std::int64_t j = 1; j < order; ++j) {
    if (left[at(j)] != 0 && right[at(order - j)] != 0) {
      total += choose * left[at(j)] * right[at(order - j)] * (order - j);
    }
    choose = choose * (order - j) / j;
  }
  return total;
}

struct Parts {
  Big high;
  Big middle1;
  Big middle2;
};

// One layer of both encoders, for all orders up to `most`.
class Generation {
 public:
  explicit Generation(std::int64_t most)
      : most_(most), plain_(at(most + 1)), previous_(at(most + 1)), incremental_(at(most + 1)) {
    plain_[1] = 1;
    incremental_[1] = 1;
  }
  // Returns what the layer makes of order `most`.
  std::pair<Big, Parts> step() {
    ByOrder plain = plain_;
    ByOrder previous = previous_;
    ByOrder incremental(at(most_ + 1));
    Big made;
    Parts parts;
    for (std::int64_t order = 1; order <= most_; ++order) {
      made = joined(plain_, plain_, order);
      plain[at(order)] += made;
      parts.high = joined(incremental_, incremental_, order);
      parts.middle1 = joined(incremental_, previous_, order);
      parts.middle2 = joined(previous_, incremental_, order);
      incremental[at(order)] = parts.high + parts.middle1 + parts.middle2;
      previous[at(order)] += incremental_[at(order)];
    }
    plain_ = std::move(plain);
    previous_ = std::move(previous);
    incremental_ = std::move(incremental);
    return {std::move(made), std::move(parts)};
  }
  const Big& plain_held() const { return plain_[at(most_)]; }
  Big graph_held() const { return previous_[at(most_)] + incremental_[at(most_)]; }

 private:
  std::int64_t most_;
  ByOrder plain_;
  ByOrder previous_;
  ByOrder incremental_;
};

Big catalan(std::int64_t n) {
  return binomial(2 * n, n) / (n + 1);
}

Big factorial(std::int64_t n) {
  Big result = 1;
  for (std::int64_t i = 2; i <= n; ++i) {
    result *= i;
  }
  return result;
}

struct Derivations {
  Big rules;
  Big last;
};

Derivations of_graph_transformer(std::int64_t words, std::int64_t layers) {
  const std::int64_t others = words - 1;
  Big below = 0;     // R[l-2]
  Big residual = 1;  // R[l-1]
  Big fresh = 1;     // N[l-1]
  Big rules = words;
  for (std::int64_t layer = 1; layer <= layers; ++layer) {
    Big made = fresh + others * fresh * fresh;
    if (layer > 1) {
      made += fresh + others * fresh * below + below + others * below * fresh;
    }
    rules += (layer > 1 ? 3 : 1) * words * words + 2 * words;
    below = residual;
    residual += made;
    fresh = std::move(made);
  }
  return {std::move(rules), std::move(residual)};
}

Derivations of_transformer(std::int64_t words, std::int64_t layers) {
  Big residual = 1;
  for (std::int64_t layer = 1; layer <= layers; ++layer) {
    residual += (words - 1) * residual * residual;
  }
  return {Big(layers * words * words + words), std::move(residual)};
}

}  // namespace

std::vector<GenerationRow> generation_counts(std::int64_t words, std::int64_t order, std::int64_t layers) {
  check("the number of words", words, 1, kMostWords);
  check("the order", order, 1, words);
  check("the number of layers", layers, 1, kMostLayers);
  const Big choices = words * binomial(words - 1, order - 1);  // owners and sets of words
  Generation generation(order);
  std::vector<GenerationRow> rows;
  for (std::int64_t layer = 1; layer <= layers; ++layer) {
    const auto [made, parts] = generation.step();
    rows.push_back({.layer = layer,
                    .plain_held = digits(choices * generation.plain_held()),
                    .plain_new = digits(choices * made),
                    .graph_held = digits(choices * generation.graph_held()),
                    .graph_high = digits(choices * parts.high),
                    .graph_middle1 = digits(choices * parts.middle1),
                    .graph_middle2 = digits(choices * parts.middle2)});
  }
  return rows;
}

BigCount distinct_derivations(std::int64_t words, std::int64_t order) {
  check("the number of words", words, 1, kMostWords);
  check("the order", order, 1, words);
  return digits(factorial(words) / factorial(words - order) * catalan(order - 1));
}

BigCount owned_derivations(std::int64_t order) {
  check("the order", order, 1, kMostWords);
  return digits(factorial(order - 1) * catalan(order - 1));
}

BigCount free_anchor_derivations(std::int64_t order) {
  check("the order", order, 1, kMostWords);
  ByOrder trees(at(order + 1));
  trees[1] = 1;
  for (std::int64_t k = 2; k <= order; ++k) {
    Big choose = k;  // C(k, j)
    for (std::int64_t j = 1; j < k; ++j) {
      trees[at(k)] += choose * trees[at(j)] * trees[at(k - j)] * (j * (k - j));
      choose = choose * (k - j) / (j + 1);
    }
  }
  return digits(trees[at(order)]);
}

std::vector<MultiplicityRow> multiplicities(const Expression& expression, std::int64_t layers) {
  check("the number of layers", layers, 1, kMostLayers);
  if (!expression.owner_anchored() || !expression.simple()) {
    throw UsageError(
        "counts of an expression: it must be without overlaps and every join must link the owners of its "
        "operands; others have no such count");
  }
  const std::vector<Subgraph>& subgraphs = expression.subgraphs();
  const std::int64_t depth = expression.depth();
  std::vector<Big> held(subgraphs.size());
  for (std::size_t i = 0; i < subgraphs.size(); ++i) {
    held[i] = subgraphs[i].is_atom() ? 1 : 0;
  }
  std::vector<MultiplicityRow> rows;
  for (std::int64_t layer = 1; layer <= layers; ++layer) {
    std::vector<Big> next = held;
    for (std::size_t i = 0; i < subgraphs.size(); ++i) {
      if (!subgraphs[i].is_atom()) {
        next[i] += held[at(subgraphs[i].left)] * held[at(subgraphs[i].right)];
      }
    }
    held = std::move(next);
    rows.push_back({.layer = layer,
                    .plain_multiplicity = digits(held.back()),
                    .plain_events = expression.is_atom() ? 0 : std::max<std::int64_t>(layer - depth + 1, 0),
                    .graph_multiplicity = layer >= depth ? 1 : 0});
  }
  return rows;
}

std::vector<OverlapRow> overlap_counts(std::int64_t words, std::int64_t layers) {
  check("the number of words", words, 1, kMostWords);
  check("the number of layers", layers, 0, kMostSquarings);
  Big plain = 1;
  Big graph = 1;
  Big before = 0;  // the Graph-Transformer's of the layer before
  std::vector<OverlapRow> rows;
  for (std::int64_t layer = 0; layer <= layers; ++layer) {
    if (layer > 0) {
      plain += words * plain * plain;
      Big next = graph + words * (graph * graph - before * before);
      before = std::exchange(graph, std::move(next));
    }
    rows.push_back({layer, digits(plain), digits(graph)});
  }
  return rows;
}

BigCount recurrent_of_order(std::int64_t step, std::int64_t order) {
  check("the step", step, 1, kMostWords);
  check("the order", order, 1, step);
  return digits(binomial(step, order));
}

BigCount recurrent_total(std::int64_t step, std::int64_t layer) {
  check("the step", step, 1, kMostWords);
  check("the layer", layer, 1, kMostLayers);
  const Big bits = binomial(step + layer - 1, layer);
  if (bits > (1 << 20)) {
    throw UsageError(
        fmt::format("counts: step {} of recurrent layer {} has 2^{} - 1 expressions; more than 2^20 "
                    "binary digits are not written out",
                    step, layer, digits(bits)));
  }
  Big total = 0;
  bit_set(total, static_cast<unsigned>(bits));
  return digits(total - 1);
}

GrammarSize grammar_size(GrammarKind kind, std::int64_t words, std::int64_t layers) {
  check("the number of words", words, 1, kMostWords);
  check("the number of layers", layers, 1, kMostSquarings);
  if (kind == GrammarKind::two_directions) {
    throw UsageError(
        "counts: expressions of a bidirectional encoder are not counted; those of a direction are "
        "those of a recurrent encoder");
  }
  if (kind == GrammarKind::recurrence) {
    // R[l,t] derives R[l,t-1], R[l-1,t] and their joins: all that recurrent_total counts.
    return {digits(Big(layers * (3 * (words - 1) + 1) + words)), recurrent_total(words, layers)};
  }
  const Derivations size =
      kind == GrammarKind::order_groups ? of_graph_transformer(words, layers) : of_transformer(words, layers);
  return {digits(size.rules), digits(size.last)};
}

}  // namespace mog::analysis
