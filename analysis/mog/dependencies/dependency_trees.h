// Dependency trees as multi-order-graph expressions and back (owner = head: a join links a head to its
// dependent).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/mog/expressions/expression_parser.h"
#include "analysis/mog/search/search_control.h"
#include "io/recording/dependency_tree.h"
#include "io/recording/errors.h"

namespace mog::analysis {

// In which order a head takes its dependents.
enum class DependentOrder : std::uint8_t {
  nearest_first,  // by distance, of two equal ones the left one first
  left_to_right,
  balanced,  // those that need few layers first: the expression of least depth
};
std::string_view name(DependentOrder order) noexcept;  // "nearest-first", …
// Throws UsageError.
DependentOrder parse_dependent_order(std::string_view text);

// Why expressions are no dependency tree, and which words (from 1) show it. Exit code 3.
class DependencyError : public Error {
 public:
  enum class Reason : std::uint8_t { word_in_two_expressions, word_missing, targeted_twice, cycle };
  DependencyError(Reason reason, std::vector<std::int32_t> positions);
  ~DependencyError() override;
  Reason reason() const noexcept { return reason_; }
  const std::vector<std::int32_t>& positions() const noexcept { return positions_; }

 private:
  Reason reason_;
  std::vector<std::int32_t> positions_;
};
std::string_view name(DependencyError::Reason reason) noexcept;  // "word_missing", …

// One expression a root, by position; each join has the annotation rel = the dependent's relation. Throws
// FormatError when heads are no forest, or a relation cannot stand in an annotation (white space ; [ ] ").
std::vector<ParsedExpression> expressions_of(const DependencyTree& tree, std::span<const std::string> words,
                                             DependentOrder order = DependentOrder::nearest_first);

// The heads that expressions over the same `words` words make: of every join source -> target, HEAD[target] =
// source, relation `rel` or "dep"; a word without incoming edge has head 0 and relation "root". Throws
// DependencyError with the first reason that holds, in the order of the enumeration.
DependencyTree dependency_tree(std::span<const ParsedExpression> expressions, std::size_t words);

// Words with head 0, from 1.
std::vector<std::int32_t> roots(const DependencyTree& tree);

// Layers that a root's tree needs, per root. Owner = head: the depth of the balanced expression.
std::vector<std::int32_t> layers_owner_head(const DependencyTree& tree);
// Free anchors: any word of an operand may be joined. Empty where it takes more than 16 layers.
std::vector<std::optional<std::int32_t>> layers_free(const DependencyTree& tree,
                                                     const SearchControl& control = {});

}  // namespace mog::analysis
