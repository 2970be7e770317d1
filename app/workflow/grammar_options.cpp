#include "app/workflow/grammar_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "io/recording/errors.h"

namespace mog::app {
namespace {

// The value whose name is `text`; Unknown() where there is none.
template <class Value, std::size_t kCount, class Unknown>
Value named(std::string_view text, const std::array<Value, kCount>& values, const Unknown& unknown) {
  for (const Value value : values) {
    if (analysis::name(value) == text) {
      return value;
    }
  }
  throw UsageError(unknown());
}

std::vector<std::int64_t> parse_heads(std::string_view text) {
  std::vector<std::int64_t> heads;
  const std::string whole(text);
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view piece = text.substr(0, comma);
    std::int64_t head = 0;
    const auto [end, error] = std::from_chars(piece.data(), piece.data() + piece.size(), head);
    if (error != std::errc() || end != piece.data() + piece.size() || head < 1) {
      throw UsageError(fmt::format(
          "--heads {}: expected uniform, contribution or heads counted from 1, for example 1,3,5", whole));
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

}  // namespace

analysis::WordGrammarOptions parse_grammar_options(const GrammarTexts& texts) {
  analysis::WordGrammarOptions options;
  options.keep_pieces = texts.keep_pieces;
  options.rho = texts.rho;
  options.residual_share = texts.residual_share;
  if (texts.heads == name(analysis::HeadReduction::contribution)) {
    options.head_reduction = analysis::HeadReduction::contribution;
  } else if (texts.heads != name(analysis::HeadReduction::uniform)) {
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
    options.gate = named(
        texts.gate, std::array{analysis::GateSource::recorded, analysis::GateSource::share},
        [&] { return fmt::format("--gate {}: allowed are recorded, share and constant=G", texts.gate); });
  }
  options.pi = named(
      texts.pi,
      std::array{analysis::PartShares::recorded, analysis::PartShares::uniform, analysis::PartShares::share},
      [&] { return fmt::format("--pi {}: allowed are recorded, uniform and share", texts.pi); });
  options.target =
      named(texts.target, std::array{analysis::TargetWeights::uniform, analysis::TargetWeights::cross},
            [&] { return fmt::format("--target {}: allowed are uniform and cross", texts.target); });
  return options;
}

std::string heads_text(const analysis::WordGrammarOptions& options) {
  if (!options.heads.empty()) {
    return fmt::format("attention of head{} {}", options.heads.size() == 1 ? "" : "s",
                       fmt::join(options.heads, ", "));
  }
  return options.head_reduction == analysis::HeadReduction::contribution
             ? "attention averaged over heads by their contributions"
             : "attention averaged over heads";
}

}  // namespace mog::app
