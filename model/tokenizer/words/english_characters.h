// The characters of a stretch of text between white space, and what kind each is.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace mog::model {

bool is_apostrophe(char32_t c);
bool is_hyphen(char32_t c);
bool is_digit(char32_t c);
bool is_ascii_letter(char32_t c);
bool is_capital(char32_t c);   // of ASCII
bool is_end_mark(char32_t c);  // ends a sentence: . ! ? …
// Punctuation and symbols; everything else (letters, digits, accents, controls) belongs to words.
bool is_mark(char32_t c);
bool is_letter_like(char32_t c);  // neither mark nor digit
bool is_one_of(char32_t c, std::u32string_view list);

// Places count characters; behind the end every character is NUL, which is like a letter: ask size() too.
class Characters {
 public:
  // `text`: sound UTF-8, which must outlive it.
  explicit Characters(std::string_view text);
  std::size_t size() const { return codes_.size(); }
  char32_t at(std::size_t place) const { return place < size() ? codes_[place] : U'\0'; }
  bool mark(std::size_t place) const { return place < size() && is_mark(codes_[place]); }
  bool digit(std::size_t place) const { return is_digit(at(place)); }
  // Whether a word ends before `place`: the end, or a mark.
  bool closed(std::size_t place) const { return place >= size() || is_mark(codes_[place]); }
  std::size_t digits_end(std::size_t place) const;
  std::string_view view(std::size_t begin, std::size_t end) const {
    return text_.substr(bytes_[begin], bytes_[end] - bytes_[begin]);
  }
  // End of the character as people see it (an emoji with its parts) that begins at `place`.
  std::size_t grapheme(std::size_t place) const;

 private:
  std::string_view text_;
  std::vector<char32_t> codes_;
  std::vector<std::size_t> bytes_;  // [character + 1] bytes of text_
};

}  // namespace mog::model
