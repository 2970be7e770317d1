// A regular expression of a tokenizer.json: written for Oniguruma, run by ICU.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mog::model {

// Part of a text that a pattern matched, or what lies between matches; together they cover the text.
struct Match {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool hit = false;
};

// What separates pieces of a text. Immutable after construction; safe from several threads.
class Pattern {
 public:
  virtual ~Pattern() = default;
  // Appends; throws FormatError when a regular expression needs more than its limits of time and stack.
  virtual void find(std::string_view text, std::vector<Match>& matches) const = 0;
};

// Where Oniguruma's dialect (its Ruby syntax) and ICU's differ, the expression is rewritten: \s \w \d \h,
// ".",
// "^" and "$" by lines, a "+" after {n,m}. Constructs outside the common part (back references, named groups,
// conditions, \K, \G …) are refused. Throws FormatError beginning with `where`.
std::unique_ptr<const Pattern> make_regex_pattern(std::string_view expression, const std::string& where);
// Throws FormatError when `literal` is empty.
std::unique_ptr<const Pattern> make_literal_pattern(std::string literal, const std::string& where);

// What make_regex_pattern gives to ICU.
std::string translate_regex(std::string_view expression, const std::string& where);

}  // namespace mog::model
