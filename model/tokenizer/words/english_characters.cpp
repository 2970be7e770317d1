#include "model/tokenizer/words/english_characters.h"

#include <unicode/uchar.h>

#include "model/tokenizer/text/reference_unicode.h"

namespace mog::model {

bool is_one_of(char32_t c, std::u32string_view list) {
  return list.find(c) != std::u32string_view::npos;
}

bool is_apostrophe(char32_t c) {
  return is_one_of(c, U"'’‘`´ʼ＇");
}

bool is_hyphen(char32_t c) {
  return c == U'-' || c == U'‐' || c == U'‑';
}

bool is_digit(char32_t c) {
  return c < 0x80 ? c >= U'0' && c <= U'9' : u_isdigit(static_cast<UChar32>(c)) != 0;
}

bool is_capital(char32_t c) {
  return c >= U'A' && c <= U'Z';
}

bool is_ascii_letter(char32_t c) {
  return is_capital(c) || (c >= U'a' && c <= U'z');
}

bool is_end_mark(char32_t c) {
  return is_one_of(c, U".!?…");
}

bool is_mark(char32_t c) {
  if (c < 0x80) {
    return c > 0x20 && c < 0x7F && !is_digit(c) && !is_ascii_letter(c);
  }
  constexpr std::uint32_t kMarks = U_GC_P_MASK | U_GC_S_MASK;
  return is_apostrophe(c) || (U_GET_GC_MASK(static_cast<UChar32>(c)) & kMarks) != 0;
}

bool is_letter_like(char32_t c) {
  return !is_mark(c) && !is_digit(c);
}

Characters::Characters(std::string_view text) : text_(text) {
  for (std::size_t at = 0; at < text.size();) {
    bytes_.push_back(at);
    codes_.push_back(next_character(text, at));
  }
  bytes_.push_back(text.size());
}

std::size_t Characters::digits_end(std::size_t place) const {
  while (digit(place)) {
    ++place;
  }
  return place;
}

std::size_t Characters::grapheme(std::size_t place) const {
  const std::size_t bytes = grapheme_end(text_, bytes_[place]);
  std::size_t end = place + 1;
  while (bytes_[end] < bytes) {
    ++end;
  }
  return end;
}

}  // namespace mog::model
