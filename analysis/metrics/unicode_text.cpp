#include "analysis/metrics/unicode_text.h"

#include <cstddef>

namespace mog::analysis {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

struct Decoded {
  char32_t character = kReplacement;
  std::size_t bytes = 1;
};

// The character at `at`. Only the lengths matter for sound text; broken text gives U+FFFD a byte.
Decoded decode(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t offset) { return static_cast<unsigned char>(text[at + offset]); };
  const unsigned char first = byte(0);
  if (first < 0x80) {
    return {first, 1};
  }
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || at + length > text.size()) {
    return {};
  }
  char32_t value = first & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) {
      return {};
    }
    value = (value << 6U) | (byte(i) & 0x3FU);
  }
  return {value, length};
}

}  // namespace

std::u32string code_points(std::string_view utf8) {
  std::u32string text;
  text.reserve(utf8.size());
  for (std::size_t at = 0; at < utf8.size();) {
    const Decoded decoded = decode(utf8, at);
    text += decoded.character;
    at += decoded.bytes;
  }
  return text;
}

void append_utf8(std::string& text, char32_t character) {
  const auto tail = [&](unsigned shift) {
    text += static_cast<char>(0x80U | ((character >> shift) & 0x3FU));
  };
  if (character < 0x80) {
    text += static_cast<char>(character);
  } else if (character < 0x800) {
    text += static_cast<char>(0xC0U | (character >> 6U));
    tail(0);
  } else if (character < 0x10000) {
    text += static_cast<char>(0xE0U | (character >> 12U));
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xF0U | (character >> 18U));
    tail(12);
    tail(6);
    tail(0);
  }
}

bool is_space(char32_t character) noexcept {
  return (character >= 0x09 && character <= 0x0D) || (character >= 0x1C && character <= 0x20) ||
         character == 0x85 || character == 0xA0 || character == 0x1680 ||
         (character >= 0x2000 && character <= 0x200A) || character == 0x2028 || character == 0x2029 ||
         character == 0x202F || character == 0x205F || character == 0x3000;
}

std::string_view trimmed_end(std::string_view utf8) {
  std::size_t end = 0;
  for (std::size_t at = 0; at < utf8.size();) {
    const Decoded decoded = decode(utf8, at);
    at += decoded.bytes;
    end = is_space(decoded.character) ? end : at;
  }
  return utf8.substr(0, end);
}

std::vector<std::string_view> split_words(std::string_view utf8) {
  std::vector<std::string_view> words;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < utf8.size();) {
    const Decoded decoded = decode(utf8, at);
    if (is_space(decoded.character)) {
      if (begin < at) {
        words.push_back(utf8.substr(begin, at - begin));
      }
      begin = at + decoded.bytes;
    }
    at += decoded.bytes;
  }
  if (begin < utf8.size()) {
    words.push_back(utf8.substr(begin));
  }
  return words;
}

}  // namespace mog::analysis
