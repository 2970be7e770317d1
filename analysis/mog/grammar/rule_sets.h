// The rule sets of attention grammars: one table, chosen by what the parts of a stack are.
//
// The names are those of the grammars in the papers; files and options spell them so.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "io/recording/system.h"

namespace mog::analysis {

enum class GrammarKind : std::uint8_t {
  order_groups,    // "graph_transformer": previous and incremental subgraphs, joined by three attentions
  attention,       // "transformer": one attention a layer
  recurrence,      // "gru": every recurrent stack of one direction
  two_directions,  // "bidirectional": every recurrent stack of two
};
std::string_view name(GrammarKind kind) noexcept;
// Throws GrammarError (unknown_kind).
GrammarKind parse_grammar_kind(std::string_view text);

// Whose symbols are steps, so that the owner of what they derive need not be their word.
constexpr bool is_recurrent(GrammarKind kind) noexcept {
  return kind == GrammarKind::recurrence || kind == GrammarKind::two_directions;
}

// A rule set with the parts that its rules are of.
struct RuleSet {
  GrammarKind kind = GrammarKind::order_groups;
  // Of the joins. order_groups: those with query and key incremental; query incremental, key previous; query
  // previous, key incremental. two_directions: forward, backward. Else one.
  std::vector<Part> joins{};
  Part carried{};  // what is passed on

  std::vector<Part> all() const;  // joins, then what is carried
};
// With the parts as the papers name them: for grammars that come with no recording.
RuleSet rule_set(GrammarKind kind);
// By the roles of the parts. Throws UsageError where no rule set fits, saying which parts there are.
RuleSet rule_set(const StackDescription& stack);

}  // namespace mog::analysis
