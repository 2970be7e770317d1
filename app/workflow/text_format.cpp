#include "app/workflow/text_format.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

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

namespace {

std::string without_controls(std::string_view text, std::string_view kept) {
  constexpr std::string_view kReplacement = "\xef\xbf\xbd";
  const std::string sound = io::replace_invalid_utf8(text);
  std::string result;
  result.reserve(sound.size());
  for (std::size_t i = 0; i < sound.size(); ++i) {
    const auto byte = static_cast<unsigned char>(sound[i]);
    if (byte == 0xC2 && static_cast<unsigned char>(sound[i + 1]) < 0xA0) {
      result += kReplacement;  // U+0080-9F: 0x9B begins what ESC [ begins
      ++i;
    } else if ((byte < 0x20 && kept.find(sound[i]) == std::string_view::npos) || byte == 0x7F) {
      result += kReplacement;
    } else if (const std::string_view three = std::string_view(sound).substr(i, 3);
               (three >= "\xe2\x80\xa8" && three <= "\xe2\x80\xae") ||
               (three >= "\xe2\x81\xa6" && three <= "\xe2\x81\xa9")) {
      result += kReplacement;  // U+2028-202E, U+2066-2069
      i += 2;
    } else {
      result += sound[i];
    }
  }
  return result;
}

}  // namespace

std::string printable(std::string_view text) {
  return without_controls(text, "");
}

std::string terminal_text(std::string_view text) {
  return without_controls(text, "\n\t");
}

}  // namespace mog::app
