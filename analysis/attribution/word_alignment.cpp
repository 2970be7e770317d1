#include "analysis/attribution/word_alignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "io/recording/errors.h"
#include "io/recording/named_values.h"
#include "io/recording/nearest_name.h"

namespace mog::analysis {
namespace {

constexpr std::array kSteps = {std::pair{AlignmentStep::predicted, std::string_view("predicted")},
                               std::pair{AlignmentStep::read, std::string_view("read")}};
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

std::vector<std::int64_t> tokens_a_word(std::span<const Token> tokens, std::int64_t words) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(words), 0);
  for (const Token& token : tokens) {
    if (token.word >= 0 && token.word < words) {
      ++counts[static_cast<std::size_t>(token.word)];
    }
  }
  return counts;
}

}  // namespace

const QuantitySchema* decomposed_map(std::span<const QuantitySchema> schemas, AlignmentMap map,
                                     std::int64_t layer) noexcept {
  if (map == AlignmentMap::cross_attention) {
    return nullptr;
  }
  const bool logit = map == AlignmentMap::contribution;
  const Reduction reduction = logit ? Reduction::logit : Reduction::product;
  for (const Quantity quantity : logit ? std::array{Quantity::contribution, Quantity::memory_contribution}
                                       : std::array{Quantity::alti, Quantity::memory_alti}) {
    const QuantitySchema* found = nullptr;
    for (const QuantitySchema& schema : schemas) {
      const QuantityName& name = schema.name;
      const bool fits = schema.of_target() && name.quantity() == quantity && name.reduction() == reduction &&
                        (logit || layer == 0 || name.layer() == layer);
      if (fits && (found == nullptr || name.layer() > found->name.layer())) {
        found = &schema;
      }
    }
    if (found != nullptr) {
      return found;
    }
  }
  return nullptr;
}

std::string_view name(AlignmentStep step) noexcept {
  return name_in(kSteps, step);
}

AlignmentStep parse_alignment_step(std::string_view text) {
  if (const auto step = find_in(kSteps, text)) {
    return *step;
  }
  throw unknown_choice("--step", text, names_in(kSteps));
}

std::int64_t target_words(const Sentence& sentence) {
  std::int64_t words = 0;
  for (const Token& token : sentence.target_tokens) {
    words = std::max(words, token.word + 1);
  }
  return words;
}

WordMap word_map(std::span<const double> map, std::int64_t columns, const Sentence& sentence,
                 std::int64_t targets, AlignmentStep step) {
  const std::size_t rows = sentence.target_tokens.size();
  const auto width = static_cast<std::size_t>(columns);
  if (width < sentence.tokens.size() || map.size() != rows * width) {
    throw ShapeError(fmt::format(
        "aligning sentence {}: a map of {} values and {} columns for {} target and {} source tokens",
        sentence.number, map.size(), columns, rows, sentence.tokens.size()));
  }
  WordMap words{targets, static_cast<std::int64_t>(sentence.words.size()), {}};
  words.values.assign(static_cast<std::size_t>(targets * words.sources), 0.0);
  const std::vector<std::int64_t> target_tokens = tokens_a_word(sentence.target_tokens, targets);
  const std::vector<std::int64_t> source_tokens = tokens_a_word(sentence.tokens, words.sources);
  for (std::size_t token = 1; token < rows; ++token) {  // the first one says that it begins
    const std::int64_t target = sentence.target_tokens[token].word;
    if (target < 0 || target >= targets) {
      continue;
    }
    const std::size_t row = step == AlignmentStep::read ? token : token - 1;
    const auto pieces = static_cast<double>(target_tokens[static_cast<std::size_t>(target)]);
    for (std::size_t at = 0; at < sentence.tokens.size(); ++at) {
      if (const std::int64_t source = sentence.tokens[at].word; source >= 0) {
        words.values[static_cast<std::size_t>(target * words.sources + source)] +=
            map[row * width + at] / pieces;
      }
    }
  }
  for (std::int64_t target = 0; target < targets; ++target) {
    for (std::int64_t source = 0; source < words.sources; ++source) {
      if (target_tokens[static_cast<std::size_t>(target)] == 0 ||
          source_tokens[static_cast<std::size_t>(source)] == 0) {
        words.values[static_cast<std::size_t>(target * words.sources + source)] = kNothing;
      }
    }
  }
  return words;
}

std::vector<std::int64_t> best_sources(const WordMap& map) {
  std::vector<std::int64_t> best(static_cast<std::size_t>(map.targets), -1);
  for (std::int64_t target = 0; target < map.targets; ++target) {
    std::int64_t& own = best[static_cast<std::size_t>(target)];
    for (std::int64_t source = 0; source < map.sources; ++source) {
      const double value = map.value(target, source);
      if (!std::isnan(value) && (own < 0 || value > map.value(target, own))) {
        own = source;
      }
    }
  }
  return best;
}

}  // namespace mog::analysis
