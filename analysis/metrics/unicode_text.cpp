#include "analysis/metrics/unicode_text.h"

#include <cstddef>

#include "io/recording/utf8.h"

namespace mog::analysis {
namespace {

// The character at `at`, past which it moves; of broken text U+FFFD a byte.
char32_t next_or_replacement(std::string_view utf8, std::size_t& at) {
  if (utf8_sequence_at(utf8, at).sound) {
    return next_code_point(utf8, at);
  }
  ++at;
  return 0xFFFD;
}

}  // namespace

std::u32string code_points(std::string_view utf8) {
  std::u32string text;
  text.reserve(utf8.size());
  for (std::size_t at = 0; at < utf8.size();) {
    text += next_or_replacement(utf8, at);
  }
  return text;
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
    end = is_space(next_or_replacement(utf8, at)) ? end : at;
  }
  return utf8.substr(0, end);
}

std::vector<std::string_view> split_words(std::string_view utf8) {
  std::vector<std::string_view> words;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < utf8.size();) {
    const std::size_t place = at;
    if (is_space(next_or_replacement(utf8, at))) {
      if (begin < place) {
        words.push_back(utf8.substr(begin, place - begin));
      }
      begin = at;
    }
  }
  if (begin < utf8.size()) {
    words.push_back(utf8.substr(begin));
  }
  return words;
}

}  // namespace mog::analysis
