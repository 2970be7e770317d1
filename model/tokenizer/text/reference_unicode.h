// Properties of characters as `tokenizers` sees them.
//
// Its parts were built with tables of different Unicode versions, and models were trained on what those made
// of their texts: general categories of 8.0 (punctuation, marks, controls), decompositions of 9.0, the rest
// of today. ICU knows the newest; what is younger than a table has no property here. A test asks the
// reference about every character.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace mog::model {

bool is_white_space(char32_t code);       // White_Space
bool is_letter(char32_t code);            // L of ICU's version
bool is_number(char32_t code);            // N
bool is_word_character(char32_t code);    // \w: Alphabetic, M, Nd, Pc, Join_Control
bool is_mark_8(char32_t code);            // Mn of 8.0
bool is_control_8(char32_t code);         // Cc, Cf, Co of 8.0
bool is_punctuation_8(char32_t code);     // ASCII's 32 and P of 8.0
bool is_combining_mark_9(char32_t code);  // M of 9.0
// The blocks that BERT calls Chinese characters; the seventh begins at 2B920 in the reference, not at 2B820.
bool is_bert_ideograph(char32_t code);

// Lower case of one character without context: one character, or two for "İ".
struct Lowered {
  char32_t first = 0;
  char32_t second = 0;  // 0: none
};
Lowered lower_character(char32_t code);

enum class Decomposition : std::uint8_t { canonical, compatible };
// Full decomposition in 9.0, appended; the character itself when it has none.
void decompose_9(char32_t code, Decomposition kind, std::vector<char32_t>& into);
int combining_class_9(char32_t code);
// 0 when the two do not compose.
char32_t compose_9(char32_t first, char32_t second);

// End of the extended grapheme cluster that begins at `at` of sound UTF-8, by the rules of UAX 29.
std::size_t grapheme_end(std::string_view text, std::size_t at);

// The character at `at` of sound UTF-8; `at` moves behind it.
inline char32_t next_character(std::string_view text, std::size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at++]);
  if (lead < 0x80) {
    return lead;
  }
  const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  char32_t code = lead & (0x3FU >> static_cast<unsigned>(more));
  for (int i = 0; i < more; ++i) {
    code = (code << 6U) | (static_cast<unsigned char>(text[at++]) & 0x3FU);
  }
  return code;
}

}  // namespace mog::model
