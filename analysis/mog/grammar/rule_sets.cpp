#include "analysis/mog/grammar/rule_sets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>

#include "analysis/mog/grammar/attention_grammar.h"
#include "io/recording/nearest_name.h"

namespace mog::analysis {
namespace {

struct Row {
  GrammarKind kind;
  std::string_view name;
  std::span<const std::string_view> joins;  // the parts as the papers name them
};

constexpr std::array<std::string_view, 3> kGroups = {"high", "middle1", "middle2"};
constexpr std::array<std::string_view, 1> kOne = {"full"};
constexpr std::array<std::string_view, 2> kDirections = {"forward", "backward"};
constexpr std::string_view kCarried = "low";

constexpr std::array<Row, 4> kTable = {{{GrammarKind::order_groups, "graph_transformer", kGroups},
                                        {GrammarKind::attention, "transformer", kOne},
                                        {GrammarKind::recurrence, "gru", kOne},
                                        {GrammarKind::two_directions, "bidirectional", kDirections}}};

const Row& row_of(GrammarKind kind) {
  return *std::find_if(kTable.begin(), kTable.end(), [kind](const Row& row) { return row.kind == kind; });
}

std::optional<Part> attending(const StackDescription& stack, PartState query, PartState key) {
  std::optional<Part> found;
  for (const Part part : stack.with(PartRole::attention)) {
    if (part.description().query == query && part.description().key == key) {
      if (found) {
        return std::nullopt;  // which of the two?
      }
      found = part;
    }
  }
  return found;
}

std::optional<RuleSet> find_rule_set(const StackDescription& stack) {
  const std::vector<Part> attentions = stack.with(PartRole::attention);
  const std::vector<Part> recurrences = stack.with(PartRole::recurrence);
  const auto filled = [&](GrammarKind kind, std::vector<Part> joins) {
    RuleSet rules = rule_set(kind);
    rules.joins = joins.empty() ? rules.joins : std::move(joins);
    if (stack.carried() != Part::none) {
      rules.carried = stack.carried();
    }
    return rules;
  };
  if (!recurrences.empty() && attentions.empty()) {
    if (recurrences.size() == 1) {
      return filled(GrammarKind::recurrence, {});
    }
    std::vector<Part> directions = stack.with(PartRole::direction);
    std::stable_partition(directions.begin(), directions.end(),
                          [](Part part) { return !part.description().backward; });
    if (recurrences.size() == 2 && directions.size() == 2 && !directions[0].description().backward &&
        directions[1].description().backward) {
      return filled(GrammarKind::two_directions, std::move(directions));
    }
    return std::nullopt;
  }
  if (recurrences.empty() && attentions.size() == 3) {
    const auto both = attending(stack, PartState::incremental, PartState::incremental);
    const auto key = attending(stack, PartState::incremental, PartState::previous);
    const auto query = attending(stack, PartState::previous, PartState::incremental);
    if (both && key && query) {
      return filled(GrammarKind::order_groups, {*both, *key, *query});
    }
    return std::nullopt;
  }
  if (recurrences.empty() && attentions.size() == 1 &&
      attentions.front().description().query == PartState::whole) {
    return filled(GrammarKind::attention, attentions);
  }
  return std::nullopt;
}

}  // namespace

std::string_view name(GrammarKind kind) noexcept {
  return row_of(kind).name;
}

GrammarKind parse_grammar_kind(std::string_view text) {
  std::vector<std::string> names;
  for (const Row& row : kTable) {
    if (row.name == text) {
      return row.kind;
    }
    names.emplace_back(row.name);
  }
  throw GrammarError(GrammarError::Reason::unknown_kind, "kind",
                     fmt::format("attention grammar: kind: expected {} or {}, found \"{}\"{}",
                                 fmt::join(names.begin(), names.end() - 1, ", "), names.back(), text,
                                 did_you_mean(text, names)));
}

std::vector<Part> RuleSet::all() const {
  std::vector<Part> parts = joins;
  parts.push_back(carried);
  return parts;
}

RuleSet rule_set(GrammarKind kind) {
  RuleSet rules{.kind = kind};
  for (const std::string_view part : row_of(kind).joins) {
    rules.joins.push_back(Part::parse(part));
  }
  rules.carried = Part::parse(kCarried);
  return rules;
}

RuleSet rule_set(const StackDescription& stack) {
  if (auto rules = find_rule_set(stack)) {
    return *rules;
  }
  std::vector<std::string> parts;
  for (const Part part : stack.parts) {
    parts.push_back(fmt::format("{} ({})", mog::name(part), mog::name(part.role())));
  }
  throw UsageError(fmt::format(
      "no attention grammar fits the stack \"{}\", whose parts are {}: there is one for a single "
      "attention, for the three attentions of order groups, and for one or two recurrences",
      mog::name(stack.stack), parts.empty() ? "unknown" : fmt::format("{}", fmt::join(parts, ", "))));
}

}  // namespace mog::analysis
