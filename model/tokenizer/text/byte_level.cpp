// GPT-2's expression, which nearly every byte-level file has, written out as one walk instead of given to
// ICU (decision 13): O(bytes). The alternatives of the expression are tried in its order: endings ('s, 'll),
// then an optional space and a run of one kind of characters. What makes it more than a run of kinds is
// \s+(?!\S): of white space before a word the last character is left, which then is the optional space of
// the next match if it is U+0020, and a match of its own if it is not.
//
// Trap: an apostrophe that begins no ending is a character like others and joins a run of these.
#include "model/tokenizer/text/byte_level.h"

#include "model/tokenizer/text/reference_unicode.h"

namespace mog::model {
namespace {

enum class Kind : std::uint8_t { letter, number, space, other };

Kind kind_of(char32_t code) {
  if (code < 0x80) {
    const bool letter = (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z');
    return letter                       ? Kind::letter
           : code >= '0' && code <= '9' ? Kind::number
           : is_white_space(code)       ? Kind::space
                                        : Kind::other;
  }
  if (is_letter(code)) {
    return Kind::letter;
  }
  return is_number(code) ? Kind::number : is_white_space(code) ? Kind::space : Kind::other;
}

// Bytes of the English ending ('s, 'll …) that begins at `at`; 0: none.
std::size_t ending(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at, 3);
  if (rest.size() < 2 || rest[0] != '\'') {
    return 0;
  }
  const char c = rest[1];
  if (c == 's' || c == 't' || c == 'm' || c == 'd') {
    return 2;
  }
  return rest == "'re" || rest == "'ve" || rest == "'ll" ? 3 : 0;
}

// End of the run of characters of `kind` from `at` on; `last` is where its last character begins.
std::size_t run_end(std::string_view text, std::size_t at, Kind kind, std::size_t& last) {
  last = at;
  for (std::size_t next = at; next < text.size();) {
    const std::size_t begin = next;
    if (kind_of(next_character(text, next)) != kind) {
      return begin;
    }
    last = begin;
  }
  return text.size();
}

}  // namespace

void find_gpt2_words(std::string_view text, std::vector<Match>& matches) {
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t size = ending(text, at); size > 0) {
      matches.push_back({at, at + size, true});
      at += size;
      continue;
    }
    std::size_t behind = at;
    const char32_t first = next_character(text, behind);
    Kind kind = kind_of(first);
    std::size_t begin = at;  // of the run
    if (first == ' ' && behind < text.size()) {
      std::size_t peek = behind;
      if (const Kind next = kind_of(next_character(text, peek)); next != Kind::space) {
        kind = next;
        begin = behind;
      }
    }
    std::size_t last = begin;
    std::size_t end = run_end(text, begin, kind, last);
    // Of white space before a word the last character is left to the word.
    if (kind == Kind::space && end < text.size() && last > at) {
      end = last;
    }
    matches.push_back({at, end, true});
    at = end;
  }
}

}  // namespace mog::model
