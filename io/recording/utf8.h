// The bytes of UTF-8 (RFC 3629; the Unicode Standard, table 3-7): where characters begin, how long they are,
// how they are written. Every room that looks at single characters asks here; what texts need besides stands
// in io/text/utf8.h.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mog {

struct Utf8Sequence {
  std::size_t length = 1;  // of the sound sequence, or of the maximal bad part
  bool sound = false;
};

// At `at` < text.size(). No overlong forms, no surrogates, nothing above U+10FFFF: the second byte's range
// depends on the first.
inline Utf8Sequence utf8_sequence_at(std::string_view text, std::size_t at) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(at);
  if (lead < 0x80) {
    return {1, true};
  }
  std::size_t length = 0;
  std::uint8_t low = 0x80;
  std::uint8_t high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    low = lead == 0xE0 ? 0xA0 : 0x80;
    high = lead == 0xED ? 0x9F : 0xBF;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    low = lead == 0xF0 ? 0x90 : 0x80;
    high = lead == 0xF4 ? 0x8F : 0xBF;
  } else {
    return {1, false};
  }
  for (std::size_t i = 1; i < length; ++i) {
    if (at + i >= text.size() || byte(at + i) < low || byte(at + i) > high) {
      return {i, false};
    }
    low = 0x80;
    high = 0xBF;
  }
  return {length, true};
}

// Bytes of the character that starts at `at` of sound text.
inline std::size_t utf8_length_at(std::string_view text, std::size_t at) noexcept {
  return utf8_sequence_at(text, at).length;
}
inline std::size_t utf8_length(char32_t character) noexcept {
  return character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
}

// Of sound text: whether a byte begins a character, and how many do.
inline bool begins_character(char byte) noexcept {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}
inline std::int64_t count_characters(std::string_view text) noexcept {
  return std::count_if(text.begin(), text.end(), begins_character);
}
// The greatest place up to `at` that is not inside a character.
inline std::size_t character_boundary(std::string_view text, std::size_t at) noexcept {
  at = std::min(at, text.size());
  while (at > 0 && at < text.size() && !begins_character(text[at])) {
    --at;
  }
  return at;
}

// The character at `at` of sound text; moves past it. Of broken text some number, and never beyond the end.
inline char32_t next_code_point(std::string_view text, std::size_t& at) noexcept {
  const auto first = static_cast<unsigned char>(text[at]);
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
  char32_t value = bytes == 1 ? first : first & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes && at + i < text.size(); ++i) {
    value = value << 6U | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
  }
  at = std::min(at + bytes, text.size());
  return value;
}

inline void append_utf8(std::string& text, char32_t character) {
  const auto tail = [&](unsigned shift) {
    text += static_cast<char>(0x80U | ((character >> shift) & 0x3FU));
  };
  if (character < 0x80) {
    text += static_cast<char>(character);
    return;
  }
  if (character < 0x800) {
    text += static_cast<char>(0xC0U | (character >> 6U));
  } else if (character < 0x10000) {
    text += static_cast<char>(0xE0U | (character >> 12U));
    tail(6);
  } else {
    text += static_cast<char>(0xF0U | (character >> 18U));
    tail(12);
    tail(6);
  }
  tail(0);
}

}  // namespace mog
