#include "app/workflow/trees/grammar_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::app {
namespace {

// The value whose name is `text`; refused where there is none, with their names and `more`.
template <class Value, std::size_t kCount>
Value named(std::string_view option, std::string_view text, const std::array<Value, kCount>& values,
            std::string_view more = "") {
  std::vector<std::string> names;
  for (const Value value : values) {
    if (analysis::name(value) == text) {
      return value;
    }
    names.emplace_back(analysis::name(value));
  }
  if (!more.empty()) {
    names.emplace_back(more);
  }
  throw unknown_choice(option, text, names);
}

}  // namespace

void declare(Choices& choices, GrammarTexts& texts, bool with_pieces) {
  choices.text(
      "heads", texts.heads,
      "How the heads' maps become one: uniform, contribution (by the norms of what they add, per layer "
      "and part), or some heads, 1,3,5");
  choices.text(
      "gate", texts.gate,
      "What stands for the gate of a Graph-Transformer: recorded, share (norms of high + middle beside "
      "low), constant=G");
  choices.text(
      "pi", texts.pi,
      "Shares of high, middle1, middle2 in what is new: recorded (a self gate's, else 1/3 each), uniform, "
      "share (norms)");
  choices.real("rho", texts.rho, "Share that a plain Transformer's layer carries on; 1/2 by default", 0, 1);
  choices.real("residual-share", texts.residual_share, "Turns the gate g into (1 - r) g", 0, 1);
  choices.text(
      "sink", texts.sink,
      "What other words give to the first token of a sentence: keep, or drop (rows are divided by what is "
      "left)");
  choices.text("target", texts.target,
               "The sentence's weight of each word: uniform, or cross, its mean cross-attention from the "
               "translation (recorded with --target)");
  choices.text("recurrence", texts.direction,
               "Of a bidirectional GRU or LSTM: both (a joined state by the norms of its halves), forward or "
               "backward alone");
  if (with_pieces) {
    choices.flag("keep-pieces", texts.keep_pieces, "Pieces of words stay apart");
  }
}

std::vector<std::int64_t> parse_heads(std::string_view text) {
  std::vector<std::int64_t> heads;
  if (text == name(analysis::HeadReduction::uniform)) {
    return heads;
  }
  const std::string whole(text);
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view piece = text.substr(0, comma);
    std::int64_t head = 0;
    const auto [end, error] = std::from_chars(piece.data(), piece.data() + piece.size(), head);
    if (error != std::errc() || end != piece.data() + piece.size() || head < 1) {
      throw UsageError(fmt::format(
          "--heads {}: expected uniform, contribution or heads counted from 1, for example 1,3,5{}", whole,
          did_you_mean(piece, {"uniform", "contribution"})));
    }
    if (std::find(heads.begin(), heads.end(), head) != heads.end()) {
      throw UsageError(fmt::format("--heads {}: head {} is named twice", whole, head));
    }
    heads.push_back(head);
    if (comma == std::string_view::npos) {
      return heads;
    }
    text.remove_prefix(comma + 1);
  }
}

analysis::WordGrammarOptions parse_grammar_options(const GrammarTexts& texts) {
  analysis::WordGrammarOptions options;
  options.keep_pieces = texts.keep_pieces;
  options.rho = texts.rho;
  options.residual_share = texts.residual_share;
  if (texts.heads == name(analysis::HeadReduction::contribution)) {
    options.head_reduction = analysis::HeadReduction::contribution;
  } else {
    options.heads = parse_heads(texts.heads);
  }
  constexpr std::string_view kConstant = "constant=";
  if (texts.gate.starts_with(kConstant)) {
    const std::string_view number = std::string_view(texts.gate).substr(kConstant.size());
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), options.gate_constant);
    if (error != std::errc() || end != number.data() + number.size() || !(options.gate_constant >= 0) ||
        !(options.gate_constant <= 1)) {
      throw UsageError(fmt::format("--gate {}: expected a number in [0, 1] after constant=", texts.gate));
    }
    options.gate = analysis::GateSource::constant;
  } else {
    options.gate =
        named("--gate", texts.gate, std::array{analysis::GateSource::recorded, analysis::GateSource::share},
              "constant=G");
  }
  options.pi = named(
      "--pi", texts.pi,
      std::array{analysis::PartShares::recorded, analysis::PartShares::uniform, analysis::PartShares::share});
  if (texts.sink != "keep" && texts.sink != "drop") {
    throw unknown_choice("--sink", texts.sink, {"keep", "drop"});
  }
  options.drop_sink = texts.sink == "drop";
  options.target = named("--target", texts.target,
                         std::array{analysis::TargetWeights::uniform, analysis::TargetWeights::cross});
  options.direction = named("--recurrence", texts.direction,
                            std::array{analysis::DirectionChoice::both, analysis::DirectionChoice::forward,
                                       analysis::DirectionChoice::backward});
  return options;
}

namespace {

std::string heads_text(const analysis::WordGrammarOptions& options) {
  if (!options.heads.empty()) {
    return fmt::format("attention of head{} {}", options.heads.size() == 1 ? "" : "s",
                       fmt::join(options.heads, ", "));
  }
  return options.head_reduction == analysis::HeadReduction::contribution
             ? "attention averaged over heads by their contributions"
             : "attention averaged over heads";
}

}  // namespace

bool is_default(const analysis::WordGrammarOptions& options) {
  return options == analysis::WordGrammarOptions();
}

std::string chosen_text(const analysis::WordGrammarOptions& options) {
  const analysis::WordGrammarOptions none;
  std::string text;
  const auto add = [&](bool differs, const std::string& option) {
    text += differs ? (text.empty() ? "" : " ") + option : "";
  };
  add(!options.heads.empty(), fmt::format("--heads {}", fmt::join(options.heads, ",")));
  add(options.head_reduction != none.head_reduction, fmt::format("--heads {}", name(options.head_reduction)));
  add(options.gate != none.gate, options.gate == analysis::GateSource::constant
                                     ? fmt::format("--gate constant={}", options.gate_constant)
                                     : fmt::format("--gate {}", name(options.gate)));
  add(options.pi != none.pi, fmt::format("--pi {}", name(options.pi)));
  add(options.rho.has_value(), fmt::format("--rho {}", options.rho.value_or(0)));
  add(options.residual_share != none.residual_share,
      fmt::format("--residual-share {}", options.residual_share));
  add(options.drop_sink, "--sink drop");
  add(options.target != none.target, fmt::format("--target {}", name(options.target)));
  add(options.direction != none.direction, fmt::format("--recurrence {}", name(options.direction)));
  add(options.keep_pieces, "--keep-pieces");
  return text;
}

std::string grammar_text(const analysis::WordGrammarOptions& options,
                         const analysis::GrammarChoices& choices) {
  std::string heads;
  std::string rest;
  for (const auto& [key, value] : choices) {
    if (key == "heads") {
      heads = heads_text(options) + ", ";
    } else if (key != "pieces" && !(key == "residual_share" && value == "0") &&
               !(key == "target" && value == name(analysis::TargetWeights::uniform))) {
      rest += fmt::format(", {} {}", key == "residual_share" ? "residual share" : key, value);
    }
  }
  return heads + (options.keep_pieces ? "pieces of words apart" : "pieces merged to words") + rest;
}

}  // namespace mog::app
