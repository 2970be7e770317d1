#include "app/workflow/common/text_format.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "io/recording/counted.h"
#include "io/text/utf8.h"

namespace mog::app {

std::string grouped(std::int64_t value) {
  std::string digits = std::to_string(value);
  const std::size_t start = value < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > start + 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string byte_text(std::int64_t bytes) {
  static constexpr std::array<const char*, 5> kUnits = {"kB", "MB", "GB", "TB", "PB"};
  if (bytes < 1000) {
    return fmt::format("{} bytes", bytes);
  }
  double value = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", value, value < 9.95 ? 1 : 0, kUnits[unit]);
}

std::string duration_text(double seconds) {
  if (seconds < 59.95) {
    return fmt::format("{:.1f} s", seconds);
  }
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 3600) {
    return fmt::format("{} min {} s", whole / 60, whole % 60);
  }
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string joined(const std::vector<std::string>& pieces, std::string_view between) {
  return fmt::format("{}", fmt::join(pieces, between));
}

std::string printable(std::string_view text) {
  return io::replace_controls(text, "");
}

std::string terminal_text(std::string_view text) {
  return io::replace_controls(text, "\n\t");
}

}  // namespace mog::app
