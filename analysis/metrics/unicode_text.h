// UTF-8 text as code points, and the classes of characters that tokenizers of metrics ask for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mog::analysis {

// A broken byte becomes U+FFFD.
std::u32string code_points(std::string_view utf8);

// White space as Python's str.split() has it: Unicode's, and the separators U+001C to U+001F.
bool is_space(char32_t character) noexcept;
// Without white space at the end.
std::string_view trimmed_end(std::string_view utf8);
// What white space separates.
std::vector<std::string_view> split_words(std::string_view utf8);

// General categories P*, S* and N* of Unicode.
enum class CharacterClass : std::uint8_t { other, punctuation, symbol, number };
CharacterClass character_class(char32_t character) noexcept;

}  // namespace mog::analysis
