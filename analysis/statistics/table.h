// A table in tidy form (one observation a row), and its two text forms.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mog::analysis {

// Nothing, a whole number, a number, or a text (UTF-8). A double that is not finite counts as nothing.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;

  // Throws UsageError when the row is not as long as `columns`.
  void add(std::vector<Cell> row);
  // Index of a column. Throws UsageError naming it and the columns there are.
  std::size_t column(std::string_view name) const;
};

// RFC 4180: commas, lines ended by LF alone, quotes where needed and doubled inside; the first line names
// the columns; nothing is an empty field, an empty text is "". Doubles in the shortest form that reads back
// to the same value, always with "." whatever the locale.
std::string to_csv(const Table& table);
// One object a line, keys in column order, nothing is null. Characters are escaped as JSON asks.
std::string to_json_lines(const Table& table);

// The shortest text that reads back to `value`; "" when it is not finite.
std::string shortest(double value);

}  // namespace mog::analysis
