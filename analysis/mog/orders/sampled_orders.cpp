// Drawing a derivation is a walk from the goal down: a rule for each symbol, by its weight. The rules of all
// symbols are laid out once with running sums, 16 bytes a rule, so that a choice is a binary search; drawing
// from the products themselves would read a whole row of the map for each. O(rules used · log T) a
// derivation.
//
// The words seen are marked with the number of the draw, so nothing is cleared in between. Numbers come from
// the key of the sample and the step: a sample is the same whichever others are drawn.
//
// Traps: a search among sums that end a little below 1 may miss the last rule; it is asked for up to the one
// before, and the last takes the rest. Derivations of a recurrent encoder may grow without measure; beyond a
// million leaves the request is refused, with the quantity that has no such limit.
#include "analysis/mog/orders/sampled_orders.h"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/random/bootstrap.h"

namespace mog::analysis {
namespace {

constexpr std::int64_t kMostLeaves = 1'000'000;

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

DerivationSampler::DerivationSampler(const AttentionGrammar& grammar)
    : grammar_(grammar), seen_(at(grammar.word_count()), 0) {
  for (std::int32_t symbol = 0; symbol < grammar.symbol_count(); ++symbol) {
    first_.push_back(rules_.size());
    double sum = 0;
    for (const RuleProduct& product : grammar.products(symbol)) {
      const std::int32_t left = product.left == AttentionGrammar::kUnit ? -1 : product.left;
      for (const RuleBand& band : grammar.bands(product)) {
        if (band.epsilon > 0) {
          rules_.push_back({sum += band.epsilon, left, -1});
        }
        for (std::int32_t n = 0; n < band.count; ++n) {
          if (const double weight = band.weight(n); weight > 0) {
            rules_.push_back({sum += weight, left, band.tail_first + n});
          }
        }
      }
    }
  }
  first_.push_back(rules_.size());
}

DerivationSampler::Drawn DerivationSampler::draw(std::int32_t symbol, std::uint64_t key) {
  Drawn drawn;
  ++draws_;
  stack_.assign(1, symbol);
  for (std::uint64_t step = 0; !stack_.empty(); ++step) {
    const std::int32_t top = stack_.back();
    stack_.pop_back();
    if (grammar_.is_word(top)) {
      if (++drawn.leaves > kMostLeaves) {
        throw UsageError(
            fmt::format("sampling orders: a derivation of {} has more than {} words with repeats; the "
                        "expected leaves (--quantity leaves) have no such limit",
                        grammar_.symbol_text(symbol), kMostLeaves));
      }
      drawn.order += seen_[at(top)] == draws_ ? 0 : 1;
      seen_[at(top)] = draws_;
      continue;
    }
    const auto first = rules_.begin() + static_cast<std::ptrdiff_t>(first_[at(top)]);
    const auto last = rules_.begin() + static_cast<std::ptrdiff_t>(first_[at(top) + 1]);
    const double unit = static_cast<double>(keyed_random(key, 0, 0, step) >> 11U) * 0x1p-53;
    const double wanted = unit * (last - 1)->sum;
    const auto rule = std::upper_bound(first, last - 1, wanted,
                                       [](double value, const Rule& one) { return value < one.sum; });
    if (rule->right >= 0) {
      stack_.push_back(rule->right);
    }
    if (rule->left >= 0) {
      stack_.push_back(rule->left);
    }
  }
  return drawn;
}

std::vector<std::vector<SampledOrder>> sampled_orders(const AttentionGrammar& grammar, std::int64_t samples,
                                                      std::uint64_t seed, const SearchControl& control) {
  if (samples < 2) {
    throw UsageError(fmt::format("sampling orders: {} samples; a standard error needs at least 2", samples));
  }
  DerivationSampler sampler(grammar);
  const auto count = static_cast<double>(samples);
  std::vector<std::vector<SampledOrder>> result(at(grammar.layers()));
  for (std::int64_t layer = 1; layer <= grammar.layers(); ++layer) {
    for (std::int32_t word = 0; word < grammar.word_count(); ++word) {
      const std::int32_t symbol = grammar.r_symbol(layer, word);
      SampledOrder& of_word = result[at(layer - 1)].emplace_back();
      of_word.probability.assign(at(grammar.word_count()), 0.0);
      double squares = 0;
      for (std::int64_t sample = 0; sample < samples; ++sample) {
        control.check();
        const DerivationSampler::Drawn drawn = sampler.draw(
            symbol,
            keyed_random(seed, 1, static_cast<std::uint64_t>(symbol), static_cast<std::uint64_t>(sample)));
        of_word.mean += drawn.order;
        squares += static_cast<double>(drawn.order) * drawn.order;
        of_word.simple += drawn.simple() ? 1 : 0;
        of_word.probability[at(drawn.order - 1)] += 1;
      }
      of_word.mean /= count;
      of_word.variance = std::max(squares - count * of_word.mean * of_word.mean, 0.0) / (count - 1);
      of_word.simple /= count;
      for (double& share : of_word.probability) {
        share /= count;
      }
    }
  }
  return result;
}

}  // namespace mog::analysis
