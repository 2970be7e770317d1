#include <fmt/format.h>

#include <charconv>
#include <string>
#include <system_error>

#include "analysis/figure_data/cell_values.h"
#include "analysis/figure_data/figure_data.h"

namespace mog::analysis {

std::string text_of(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    return *text;
  }
  if (const auto* number = std::get_if<double>(&cell)) {
    return shortest(*number);
  }
  const auto* whole = std::get_if<std::int64_t>(&cell);
  return whole == nullptr ? "" : fmt::format("{}", *whole);
}

double number_of(const Cell& cell) {
  const std::string text = text_of(cell);
  double value = kAbsent;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : kAbsent;
}

}  // namespace mog::analysis
