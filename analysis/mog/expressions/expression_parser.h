// Multi-order-graph expressions from text (the syntax of docs/expressions.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/mog/expressions/expression.h"
#include "io/recording/errors.h"

namespace mog::analysis {

// What is wrong with a text, and where. The column counts code points from 1; the end of the text is its
// length + 1. Exit code 3.
class ExpressionError : public Error {
 public:
  enum class Reason : std::uint8_t {
    expected_subgraph,
    expected_operand,
    expected_close,
    expected_arrow,
    expected_name,
    expected_union,
    unexpected_text,
    bad_string,
    bad_position,
    bad_annotation,
    ambiguous_name,
    unknown_word,
    position_mismatch,
    node_not_in_operand,
  };
  // `expected`: what is wanted at this place, "expected …"; empty: as always for the reason.
  ExpressionError(Reason reason, std::int64_t column, std::string_view text, std::string_view expected = {});
  ~ExpressionError() override;
  Reason reason() const noexcept { return reason_; }
  std::int64_t column() const noexcept { return column_; }

 private:
  Reason reason_;
  std::int64_t column_;
};
std::string_view name(ExpressionError::Reason reason) noexcept;  // "expected_close", …

// A word of an expression as its text gives it.
struct ExpressionWord {
  std::string form;
  std::int32_t position = 0;  // from 1; 0: not given
  friend bool operator==(const ExpressionWord&, const ExpressionWord&) = default;
};

// Keys and values of one join: rel, l, part, w, then others from a to z; values as written.
using JoinAnnotation = std::vector<std::pair<std::string, std::string>>;

struct ParsedExpression {
  Expression expression;
  // Word i of the expression. With a sentence: all of its words, in order; without: as they appear.
  std::vector<ExpressionWord> words;
  std::vector<std::string> names;           // of the words, as printed
  std::vector<JoinAnnotation> annotations;  // of each subgraph; empty for atoms
  // Canonical text; parsing it gives the same again.
  std::string text(bool with_annotations = true) const;
};

// With a sentence every bare name must be exactly one of its words and `name@position` that word. Throws
// ExpressionError. O(length log length); depth is limited by memory only.
ParsedExpression parse_expression(std::string_view text,
                                  std::optional<std::span<const std::string>> sentence = std::nullopt);

}  // namespace mog::analysis
