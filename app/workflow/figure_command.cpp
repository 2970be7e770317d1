#include "app/workflow/figure_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "analysis/statistics/table.h"
#include "app/workflow/grammar_options.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

void check(const FigureOptions& options, const FigureOptions& plain) {
  analysis::WordGrammarOptions grammar = options.statistics.grammar;
  grammar.heads.clear();
  const StatisticsOptions& statistics = options.statistics;
  if (!is_default(grammar) || !options.expressions.empty() || !options.plot.x.empty() ||
      statistics.measures.size() > 1 || !statistics.word_measures.empty() || !statistics.layers.empty() ||
      statistics.names.size() > 1 || options.minimum_sentences != plain.minimum_sentences) {
    throw UsageError(fmt::format("the command of figure {}: it was made with choices that only a script has",
                                 options.kind));
  }
}

}  // namespace

std::vector<std::string> figure_arguments(const FigureOptions& options) {
  const FigureOptions plain;
  check(options, plain);
  std::vector<std::string> line = {"mog", "figure", options.kind};
  for (const std::filesystem::path& recording : options.statistics.recordings) {
    line.push_back(recording.string());
  }
  const auto add = [&line](const char* option, std::string value) {
    line.emplace_back(option);
    line.push_back(std::move(value));
  };
  const auto number = [&add](const char* option, std::int64_t value, std::int64_t usual) {
    if (value != usual) {
      add(option, fmt::format("{}", value));
    }
  };
  const auto flag = [&line](const char* option, bool on) {
    if (on) {
      line.emplace_back(option);
    }
  };
  if (options.text) {
    add("--text", options.text->text);
    if (options.text->words != model::WordCut::automatic) {
      add("--words", std::string(model::name(options.text->words)));
    }
  }
  if (!options.statistics.names.empty()) {
    add("--quantity", options.statistics.names.front());
  } else if (!options.statistics.measures.empty() &&
             options.statistics.measures.front() != analysis::Measure::gate) {
    add("--quantity", std::string(analysis::name(options.statistics.measures.front())));
  }
  if (options.statistics.pair_by != plain.statistics.pair_by) {
    add("--pair-by", std::string(analysis::name(options.statistics.pair_by)));
  }
  flag("--allow-partial", options.statistics.allow_partial);
  number("--sentence", options.text ? plain.sentence : options.sentence, plain.sentence);
  number("--other", options.other, plain.other);
  number("--layer", options.layer, plain.layer);
  if (options.part != Part::none) {
    add("--part", std::string(name(options.part)));
  }
  number("--head", options.head, plain.head);
  if (!options.statistics.grammar.heads.empty()) {
    add("--heads", fmt::format("{}", fmt::join(options.statistics.grammar.heads, ",")));
  }
  if (!options.owner.empty()) {
    add("--owner", options.owner);
  }
  number("--leaves", options.leaves, plain.leaves);
  number("--top", options.top, plain.top);
  flag("--projective", options.projective);
  if (options.threshold) {
    add("--threshold", analysis::shortest(*options.threshold));
  }
  flag("--no-special-tokens", !options.special_tokens);
  flag("--by-word", options.by_word);
  if (options.colours != plain.colours) {
    add("--colours", std::string(analysis::name(options.colours)));
  }
  if (!options.block.all()) {
    add("--block", fmt::format("{}-{}", options.block.query, options.block.key));
  }
  number("--from", options.from, plain.from);
  number("--at-most", options.at_most, plain.at_most);
  number("--token", options.token, plain.token);
  number("--key", options.key, plain.key);
  if (!options.ancestors.empty()) {
    add("--ancestors", options.ancestors);
  }
  if (!options.descendants.empty()) {
    add("--descendants", options.descendants);
  }
  if (!options.gold.empty()) {
    add("--gold", options.gold.string());
  }
  flag("--special-tokens", options.special_words);
  return line;
}

std::string shell_line(std::span<const std::string> arguments) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:@%+";
  std::string line;
  for (const std::string& argument : arguments) {
    line += line.empty() ? "" : " ";
    if (!argument.empty() && argument.find_first_not_of(kPlain) == std::string::npos) {
      line += argument;
      continue;
    }
    line += '\'';
    for (const char character : argument) {
      line += character == '\'' ? std::string("'\\''") : std::string(1, character);
    }
    line += '\'';
  }
  return line;
}

}  // namespace mog::app
