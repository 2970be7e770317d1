// GPT-2's bytes as characters, and how it cuts a text.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/tokenizer/text/regex_pattern.h"

namespace mog::model {

// The printable character that stands for a byte: itself, or from U+0100 on.
char32_t byte_character(unsigned char byte);
// The byte that it stands for; nothing for other characters.
std::optional<unsigned char> character_byte(char32_t character);

// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+, written out: every part is a
// match.
void find_gpt2_words(std::string_view text, std::vector<Match>& matches);

}  // namespace mog::model
