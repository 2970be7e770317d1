// The rules are never listed one by one: 12 layers of 512 words have 9.4 million. A symbol has one or two
// products, left symbol × (epsilon + Σ_n w_n · tail_n), whose weights are read from the rows of the maps
// where they lie. All recursions, and k-best, work on products: the sum (or the best) over n is made
// first and met with the left symbol once.
#include "analysis/mog/grammar/attention_grammar.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "analysis/mog/expressions/expression.h"

namespace mog::analysis {
namespace {

// Weights of the recurrent joins are read like rows of a map.
constexpr double kOne = 1.0;

// Blocks of T symbols that a layer has.
constexpr std::int32_t blocks_of(GrammarKind kind) {
  return kind == GrammarKind::order_groups ? 2 : kind == GrammarKind::two_directions ? 3 : 1;
}
// Whether a block is of the backward direction, whose symbols go from the last word to the first.
constexpr bool is_backward(GrammarKind kind, std::int32_t block) {
  return kind == GrammarKind::two_directions && block % 3 == 2;
}

}  // namespace

AttentionGrammar::AttentionGrammar(GrammarInput input) : input_(std::move(input)) {
  validate(input_);
  names_ = node_names(input_.words);
  products_of_.push_back(0);
  for (std::size_t m = 0; m < input_.words.size(); ++m) {
    products_of_.push_back(0);  // words have no rules
  }
  switch (input_.kind) {
    case GrammarKind::order_groups:
      build_order_groups();
      break;
    case GrammarKind::attention:
      build_attention();
      break;
    case GrammarKind::recurrence:
      build_recurrence();
      break;
    case GrammarKind::two_directions:
      build_two_directions();
      break;
  }
  build_top();
}

std::int32_t AttentionGrammar::r_symbol(std::int64_t layer, std::int32_t word) const {
  if (layer < 0 || layer > layers() || word < 0 || word >= word_count()) {
    throw UsageError(fmt::format("the grammar has no symbol R[{},{}]: it has {} layers and {} words", layer,
                                 word + 1, layers(), word_count()));
  }
  return static_cast<std::int32_t>(blocks_of(kind()) * layer * word_count() + word);
}

std::int32_t AttentionGrammar::n_symbol(std::int64_t layer, std::int32_t word) const {
  const std::int32_t r = r_symbol(layer, word);
  return kind() == GrammarKind::order_groups && layer > 0 ? r - word_count() : r;
}

std::int32_t AttentionGrammar::layer_of(std::int32_t symbol) const noexcept {
  const std::int32_t blocks = blocks_of(kind());
  return (symbol / word_count() + blocks - 1) / blocks;
}

std::int32_t AttentionGrammar::word_of(std::int32_t symbol) const noexcept {
  if (symbol == top_symbol()) {
    return -1;
  }
  const std::int32_t place = symbol % word_count();
  return is_backward(kind(), symbol / word_count()) ? word_count() - 1 - place : place;
}

std::string AttentionGrammar::symbol_text(std::int32_t symbol) const {
  if (symbol == top_symbol()) {
    return "TOP";
  }
  if (is_word(symbol)) {
    return fmt::format("word {}", symbol + 1);
  }
  const std::int32_t block = symbol / word_count();
  const bool fresh = kind() == GrammarKind::order_groups && block % 2 == 1;
  const bool forward = kind() == GrammarKind::two_directions && block % 3 == 1;
  const char letter = fresh ? 'N' : forward ? 'F' : is_backward(kind(), block) ? 'B' : 'R';
  return fmt::format("{}[{},{}]", letter, layer_of(symbol), word_of(symbol) + 1);
}

std::optional<double> AttentionGrammar::carrying(std::int64_t layer, std::int32_t word) const {
  const std::int32_t below = r_symbol(layer - 1, word);
  if (recurrent()) {
    return std::nullopt;
  }
  double weight = 0;  // a rule of weight 0 is not kept
  for (const RuleProduct& product : products(r_symbol(layer, word))) {
    if (product.left == below) {
      for (const RuleBand& band : bands(product)) {
        weight += band.epsilon;
      }
    }
  }
  return weight;
}

void AttentionGrammar::open_symbol() {
  products_of_.push_back(products_.size());
}

void AttentionGrammar::add_product(std::int32_t left, std::span<const RuleBand> bands) {
  const auto first = static_cast<std::int32_t>(bands_.size());
  for (const RuleBand& band : bands) {
    if (band.epsilon > 0 || (band.scale > 0 && band.count > 0)) {
      bands_.push_back(band);
    }
  }
  const auto count = static_cast<std::int32_t>(bands_.size()) - first;
  if (count > 0) {
    products_.push_back({left, first, count});
    products_of_.back() = products_.size();
  }
}

void AttentionGrammar::add_unary(std::int32_t left, double weight, std::int32_t rule) {
  const RuleBand band{.epsilon = weight, .epsilon_rule = rule};
  add_product(left, {&band, 1});
}

void AttentionGrammar::build_order_groups() {
  const std::int32_t count = word_count();
  const auto row_of = [&](std::int64_t layer, std::size_t part, std::int32_t m) {
    return input_.attention[static_cast<std::size_t>(layer - 1)][part].data() + std::int64_t{m} * count;
  };
  for (std::int64_t layer = 1; layer <= layers(); ++layer) {
    const auto l = static_cast<std::size_t>(layer - 1);
    for (std::int32_t m = 0; m < count; ++m) {
      open_symbol();
      const double* const pi = input_.pi[l].data() + std::ptrdiff_t{m} * 3;
      const auto band = [&](std::size_t part, std::int32_t tail) {
        const double* const row = row_of(layer, part, m);
        return RuleBand{.weights = row,
                        .count = count,
                        .skip = m,
                        .scale = pi[part],
                        .epsilon = pi[part] * row[m],
                        .tail_first = tail,
                        .part = input_.joins[part],
                        .epsilon_rule = static_cast<std::int32_t>(part) * count + m,
                        .first_rule = static_cast<std::int32_t>(part) * count};
      };
      const std::int32_t fresh = n_symbol(layer - 1, 0);
      const RuleBand both_fresh = band(0, fresh);
      if (layer == 1) {
        add_product(fresh + m, {&both_fresh, 1});
        continue;
      }
      const std::int32_t previous = r_symbol(layer - 2, 0);
      const RuleBand left_fresh[] = {both_fresh, band(1, previous)};
      add_product(fresh + m, left_fresh);
      const RuleBand left_previous = band(2, fresh);
      add_product(previous + m, {&left_previous, 1});
    }
    for (std::int32_t m = 0; m < count; ++m) {
      open_symbol();
      const double gate = input_.gate[l][static_cast<std::size_t>(m)];
      add_unary(r_symbol(layer - 1, m), 1 - gate, 0);
      add_unary(n_symbol(layer, m), gate, 1);
    }
  }
}

void AttentionGrammar::build_attention() {
  const std::int32_t count = word_count();
  for (std::int64_t layer = 1; layer <= layers(); ++layer) {
    const auto l = static_cast<std::size_t>(layer - 1);
    for (std::int32_t m = 0; m < count; ++m) {
      open_symbol();
      const double rho = input_.rho[l][static_cast<std::size_t>(m)];
      const double* const row = input_.attention[l][0].data() + std::int64_t{m} * count;
      const RuleBand band{.weights = row,
                          .count = count,
                          .skip = m,
                          .scale = 1 - rho,
                          .epsilon = rho + (1 - rho) * row[m],
                          .tail_first = r_symbol(layer - 1, 0),
                          .part = input_.joins.front(),
                          .epsilon_rule = 0,
                          .first_rule = 1};
      add_product(r_symbol(layer - 1, m), {&band, 1});
    }
  }
}

void AttentionGrammar::build_recurrence() {
  for (std::int64_t layer = 1; layer <= layers(); ++layer) {
    const auto l = static_cast<std::size_t>(layer - 1);
    for (std::int32_t t = 0; t < word_count(); ++t) {
      open_symbol();
      if (t == 0) {
        add_unary(r_symbol(layer - 1, 0), 1, 0);
        continue;
      }
      add_step(r_symbol(layer - 1, t), r_symbol(layer, t - 1), input_.z[l][static_cast<std::size_t>(t)],
               input_.sigma_h[l][static_cast<std::size_t>(t)], input_.joins.front());
    }
  }
}

// before: the symbol of the step before.
void AttentionGrammar::add_step(std::int32_t input, std::int32_t before, double z, double sigma, Part part) {
  add_unary(before, 1 - z, 0);
  const RuleBand band{.weights = &kOne,
                      .count = 1,
                      .scale = z * sigma,
                      .epsilon = z * (1 - sigma),
                      .tail_first = before,
                      .part = part,
                      .epsilon_rule = 1,
                      .first_rule = 2};
  add_product(input, {&band, 1});
}

void AttentionGrammar::build_two_directions() {
  const std::int32_t count = word_count();
  for (std::int64_t layer = 1; layer <= layers(); ++layer) {
    const auto l = static_cast<std::size_t>(layer - 1);
    const std::int32_t below = r_symbol(layer - 1, 0);
    const std::int32_t forward = below + count;       // F[l,1]
    const std::int32_t backward = below + 2 * count;  // B[l,T]
    for (std::int32_t t = 0; t < count; ++t) {
      open_symbol();
      if (t == 0) {
        add_unary(below, 1, 0);
      } else {
        add_step(below + t, forward + t - 1, input_.z[l][static_cast<std::size_t>(t)],
                 input_.sigma_h[l][static_cast<std::size_t>(t)], input_.joins[0]);
      }
    }
    for (std::int32_t step = 0; step < count; ++step) {
      const std::int32_t t = count - 1 - step;
      open_symbol();
      if (step == 0) {
        add_unary(below + t, 1, 0);
      } else {
        add_step(below + t, backward + step - 1, input_.z_backward[l][static_cast<std::size_t>(t)],
                 input_.sigma_backward[l][static_cast<std::size_t>(t)], input_.joins[1]);
      }
    }
    for (std::int32_t t = 0; t < count; ++t) {
      open_symbol();
      const double share = input_.forward_share[l][static_cast<std::size_t>(t)];
      add_unary(forward + t, share, 0);
      add_unary(backward + count - 1 - t, 1 - share, 1);
    }
  }
}

void AttentionGrammar::build_top() {
  open_symbol();
  if (input_.top.empty()) {  // bidirectional: what each direction has read at its end
    const std::int32_t last = r_symbol(layers(), 0);
    const auto end = [&](double weight, std::int32_t symbol) {
      return RuleBand{.weights = &kOne, .count = 1, .scale = weight, .tail_first = symbol};
    };
    const RuleBand ends[] = {end(input_.top_forward, last - word_count() - 1),  // F[L,T]
                             end(1 - input_.top_forward, last - 1)};            // B[L,1]
    add_product(kUnit, ends);
    return;
  }
  const RuleBand band{
      .weights = input_.top.data(), .count = word_count(), .scale = 1, .tail_first = r_symbol(layers(), 0)};
  add_product(kUnit, {&band, 1});
}

std::vector<double> AttentionGrammar::inside() const {
  std::vector<double> mass(static_cast<std::size_t>(symbol_count()), 0.0);
  for (std::int32_t symbol = 0; symbol < symbol_count(); ++symbol) {
    double total = is_word(symbol) ? 1 : 0;
    for (const RuleProduct& product : products(symbol)) {
      double right = 0;
      for (const RuleBand& band : bands(product)) {
        right += band.epsilon;
        for (std::int32_t n = 0; n < band.count; ++n) {
          right += band.weight(n) * mass[static_cast<std::size_t>(std::int64_t{band.tail_first} + n)];
        }
      }
      total += product.left == kUnit ? right : mass[static_cast<std::size_t>(product.left)] * right;
    }
    mass[static_cast<std::size_t>(symbol)] = total;
  }
  return mass;
}

std::string AttentionGrammar::dump() const {
  std::string text;
  for (std::int32_t symbol = 0; symbol < symbol_count(); ++symbol) {
    for (const RuleProduct& product : products(symbol)) {
      const std::string head =
          symbol_text(symbol) + " ->" + (product.left == kUnit ? "" : " " + symbol_text(product.left));
      for (const RuleBand& band : bands(product)) {
        const std::string part = band.part == Part::none ? "" : fmt::format("  {}", band.part.short_name());
        if (band.epsilon > 0) {
          text += fmt::format("{}  {}{}\n", head, band.epsilon, part);
        }
        for (std::int32_t n = 0; n < band.count; ++n) {
          if (band.weight(n) > 0) {
            text +=
                fmt::format("{} {}  {}{}\n", head, symbol_text(band.tail_first + n), band.weight(n), part);
          }
        }
      }
    }
  }
  return text;
}

}  // namespace mog::analysis
