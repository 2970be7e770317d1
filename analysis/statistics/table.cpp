#include "analysis/statistics/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

std::string csv_field(const std::string& text) {
  if (!text.empty() && text.find_first_of(",\"\r\n") == std::string::npos && text.front() != ' ' &&
      text.back() != ' ') {
    return text;
  }
  std::string result = "\"";
  for (const char character : text) {
    result += character == '"' ? "\"\"" : std::string(1, character);
  }
  return result + "\"";
}

std::string json_string(std::string_view text) {
  std::string result = "\"";
  for (const char character : text) {
    const auto code = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\') {
      result += '\\';
      result += character;
    } else if (character == '\n') {
      result += "\\n";
    } else if (character == '\t') {
      result += "\\t";
    } else if (character == '\r') {
      result += "\\r";
    } else if (code < 0x20) {
      result += fmt::format("\\u{:04x}", code);
    } else {
      result += character;
    }
  }
  return result + "\"";
}

struct CsvCell {
  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const { return shortest(value); }
  std::string operator()(const std::string& value) const { return csv_field(value); }
};

struct JsonCell {
  std::string operator()(std::monostate) const { return "null"; }
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const { return std::isfinite(value) ? shortest(value) : "null"; }
  std::string operator()(const std::string& value) const { return json_string(value); }
};

}  // namespace

void Table::add(std::vector<Cell> row) {
  if (row.size() != columns.size()) {
    throw UsageError(fmt::format("a table row has {} cells, but the table has {} columns ({})", row.size(),
                                 columns.size(), fmt::join(columns, ", ")));
  }
  rows.push_back(std::move(row));
}

std::size_t Table::column(std::string_view name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found == columns.end()) {
    throw UsageError(
        fmt::format("the table has no column \"{}\"; it has {}", name, fmt::join(columns, ", ")));
  }
  return static_cast<std::size_t>(found - columns.begin());
}

std::string shortest(double value) {
  if (!std::isfinite(value)) {
    return "";
  }
  char buffer[40];
  const auto result = std::to_chars(buffer, buffer + sizeof(buffer), value);
  return std::string(buffer, result.ptr);
}

std::string to_csv(const Table& table) {
  std::string result;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    result += (i == 0 ? "" : ",") + csv_field(table.columns[i]);
  }
  result += '\n';
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      result += i == 0 ? "" : ",";
      result += std::visit(CsvCell{}, row[i]);
    }
    result += '\n';
  }
  return result;
}

std::string to_json_lines(const Table& table) {
  std::string result;
  for (const auto& row : table.rows) {
    result += '{';
    for (std::size_t i = 0; i < row.size(); ++i) {
      result += i == 0 ? "" : ",";
      result += json_string(table.columns[i]) + ":" + std::visit(JsonCell{}, row[i]);
    }
    result += "}\n";
  }
  return result;
}

}  // namespace mog::analysis
