// The cut goes over each stretch between white space from left to right. Where it stands it asks, in this
// order: does an address begin here, an emoticon, a run of marks, a number, a word? What a rule cannot tell
// (which abbreviations keep their period, which prefixes their hyphen) stands in english_lexicon.cpp. A word
// is then parted into stem and clitics. Nothing looks further back than its own piece, and the few looks
// ahead are bounded or remembered, so that time is linear.
//
// Against a splitter that is trained on the treebank: decision 20.
#include "model/tokenizer/words/english_words.h"

#include <algorithm>
#include <cstddef>

#include "model/tokenizer/text/reference_unicode.h"
#include "model/tokenizer/words/english_addresses.h"
#include "model/tokenizer/words/english_characters.h"
#include "model/tokenizer/words/english_lexicon.h"
#include "model/tokenizer/words/english_numbers.h"

namespace mog::model {
namespace {

// Marks that repeat form one word: "--", "***", "<<".
bool repeats(char32_t c) {
  return is_apostrophe(c) || is_hyphen(c) || is_one_of(c, U"=_*~+<>|#^$/\\–—");
}

char32_t small(char32_t c) {
  return is_capital(c) ? c + 32 : c;
}

class Stretch {
 public:
  // `next`: the first letters and digits behind the stretch. `last`: the text ends with it.
  Stretch(std::string_view text, std::string_view next, bool last, std::vector<std::string_view>& words)
      : text_(text), addresses_(text_), next_(next), last_(last), words_(words) {}

  void cut() {
    if (is_drawing()) {
      emit(0, text_.size());
      return;
    }
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t end = piece_end(at);
      if (is_word_) {
        emit_word(at, end);
      } else {
        emit(at, end);
      }
      at = end;
    }
  }

 private:
  void emit(std::size_t begin, std::size_t end) { words_.push_back(text_.view(begin, end)); }

  // "|-----+---->": lines of marks are one word.
  bool is_drawing() const {
    std::size_t at = 0;
    while (at < text_.size() && repeats(text_.at(at)) && !is_apostrophe(text_.at(at))) {
      ++at;
    }
    return at == text_.size() && at >= 3;
  }

  // End of the piece that begins at `at`, beyond it; is_word_ says whether clitics may be parted from it.
  std::size_t piece_end(std::size_t at) {
    is_word_ = false;
    if (const std::size_t end = addresses_.end(at); end > at) {
      return end;
    }
    if (const std::size_t end = emoticon_end(text_, at); end > at) {
      return end;
    }
    if (text_.mark(at)) {
      return marks_end(at);
    }
    if (text_.digit(at)) {
      // "398,487MMBTU", but "3143C".
      const std::size_t end = number_end(text_, at);
      if (text_.closed(end) || unit_at(text_, end) || end > text_.digits_end(at)) {
        return decade_end(text_, end);
      }
    }
    is_word_ = true;
    return word_end(at);
  }

  // Marks.

  std::size_t marks_end(std::size_t at) const {
    const char32_t c = text_.at(at);
    if (is_apostrophe(c)) {
      if (const std::size_t end = apostrophe_word_end(at); end > at) {
        return end;
      }
    }
    if (at == 0 && (c == U'+' || c == U'.') && text_.digit(1)) {
      return number_end(text_, 1);
    }
    if (at == 0 && (c == U'#' || c == U'@') && is_ascii_letter(text_.at(1))) {
      return tag_end();
    }
    std::size_t end = at + 1;
    if (is_end_mark(c)) {
      while (is_end_mark(text_.at(end))) {
        ++end;
      }
    } else if (repeats(c)) {
      while (text_.at(end) == c) {
        ++end;
      }
    }
    return (c >= 0x80 || text_.at(at + 1) >= 0x80) ? std::max(end, text_.grapheme(at)) : end;
  }

  // "#topic", "@name", "@host.com" at the start of a stretch.
  std::size_t tag_end() const {
    std::size_t end = 1;
    while (end < text_.size() &&
           (!text_.mark(end) || text_.at(end) == U'_' ||
            (text_.at(end) == U'.' && text_.at(end + 1) != 0 && !is_mark(text_.at(end + 1))))) {
      ++end;
    }
    return end;
  }

  // "'s" and "n't" alone (text that is cut already), "'72", "'em"; `at` where it is none.
  std::size_t apostrophe_word_end(std::size_t at) const {
    std::size_t end = at + 1;
    while (end < text_.size() && end <= at + 8 && !text_.mark(end)) {
      ++end;
    }
    const std::string_view word = text_.view(at + 1, end);
    const bool year = end == at + 3 && text_.digit(at + 1) && text_.digit(at + 2);
    const bool decade =
        end == at + 4 && text_.digit(at + 1) && text_.digit(at + 2) && text_.at(at + 3) == U's';
    const bool clitic = at == 0 && end == text_.size() && clitic_begin(at, end) == at;
    return year || decade || clitic || keeps_apostrophe(word) ? end : at;
  }

  // Words.

  std::size_t letters_end(std::size_t at) const {
    while (at < text_.size() && !text_.mark(at)) {
      ++at;
    }
    return at;
  }

  std::size_t word_end(std::size_t begin) const {
    if (const std::size_t end = acronym_end(begin); end > begin) {
      return end;
    }
    std::size_t end = letters_end(begin);
    while (end + 1 < text_.size() && !text_.mark(end + 1) && joins(begin, end)) {
      end = letters_end(end + 1);
    }
    if (text_.at(end) == U'/' && end == begin + 1 && text_.at(begin) == U'w') {
      return end + 1;
    }
    const bool currency = text_.at(end) == U'$' && text_.digit(end + 1) && is_capital(text_.at(end - 1));
    const bool period = text_.at(end) == U'.' && !ends_text(end) && period_belongs(begin, end);
    return currency || period ? end + 1 : end;
  }

  // Whether the mark at `at`, between characters of words, belongs to the word that begins at `begin`.
  bool joins(std::size_t begin, std::size_t at) const {
    const char32_t c = text_.at(at);
    const char32_t before = text_.at(at - 1);
    const char32_t after = text_.at(at + 1);
    if (is_apostrophe(c) || c == U'_' || c == U'@') {
      return true;
    }
    if (c == U'*' || c == U'$') {
      return is_ascii_letter(before) && is_ascii_letter(after) && !is_capital(before);
    }
    if (c == U'&') {
      return at - begin <= 3 && is_capital(before) && is_capital(after) && letters_end(at + 1) <= at + 3;
    }
    if (is_hyphen(c)) {
      return keeps_hyphen(text_.view(begin, at)) || is_extension(begin, at);
    }
    return c == U'/' && at == begin + 1 && is_letter_like(before) &&
           (letters_end(at + 1) == at + 2 ||
            (before == U'w' && text_.view(at + 1, letters_end(at + 1)) == "out"));
  }

  // "x3-9890": an extension of a telephone.
  bool is_extension(std::size_t begin, std::size_t at) const {
    return at - begin <= 2 && text_.digit(at + 1) && (text_.at(begin) == U'x' || text_.at(begin) == U'X');
  }

  // "U.S.", "a.m", "i.e."; `begin` where there is none.
  std::size_t acronym_end(std::size_t begin) const {
    std::size_t at = begin;
    while (is_letter_like(text_.at(at)) && text_.at(at) != 0 && text_.at(at + 1) == U'.' &&
           is_letter_like(text_.at(at + 2)) && at + 2 < text_.size() && text_.closed(at + 3)) {
      at += 2;
    }
    if (at == begin) {
      return begin;
    }
    return text_.at(at + 1) == U'.' && !ends_text(at + 1) ? at + 2 : at + 1;
  }

  // The last period of a sentence is a word of its own, behind an abbreviation too; so is a row of periods.
  bool ends_text(std::size_t at) const {
    return (last_ && at + 1 == text_.size()) || (text_.at(at + 1) == U'.' && text_.at(at + 2) == U'.');
  }

  bool period_belongs(std::size_t begin, std::size_t end) const {
    if (end == begin + 1 && is_capital(text_.at(begin)) && text_.at(begin) != U'I') {
      return true;
    }
    const bool number = text_.digit(end + 1) || (end + 1 == text_.size() && !next_.empty() &&
                                                 is_digit(static_cast<unsigned char>(next_.front())));
    return keeps_period(text_.view(begin, end), number);
  }

  // Where the last clitic of [begin, end) begins: "'s", "n't" …; `end` where there is none.
  std::size_t clitic_begin(std::size_t begin, std::size_t end) const {
    if (end - begin >= 2 && is_apostrophe(text_.at(end - 2))) {
      const char32_t last = small(text_.at(end - 1));
      if (last == U't') {
        return end - begin >= 3 && small(text_.at(end - 3)) == U'n' ? end - 3 : end;
      }
      return last == U's' || last == U'm' || last == U'd' ? end - 2 : end;
    }
    if (end - begin >= 3 && is_apostrophe(text_.at(end - 3))) {
      const char32_t first = small(text_.at(end - 2));
      const char32_t last = small(text_.at(end - 1));
      const bool known =
          (last == U'e' && (first == U'r' || first == U'v')) || (first == U'l' && last == U'l');
      return known ? end - 3 : end;
    }
    return end;
  }

  void emit_word(std::size_t begin, std::size_t end) {
    std::vector<std::size_t> cuts;
    std::size_t stem = end;
    for (std::size_t at = clitic_begin(begin, stem); at > begin && at < stem;
         at = clitic_begin(begin, stem)) {
      cuts.push_back(at);
      stem = at;
    }
    const std::string_view following = end == text_.size() ? next_ : std::string_view{};
    std::size_t from = begin;
    for (const std::size_t cut :
         stem == end ? contraction_cuts(text_.view(begin, end), following) : std::vector<std::size_t>{}) {
      emit(from, begin + cut);
      from = begin + cut;
    }
    for (auto cut = cuts.rbegin(); cut != cuts.rend(); ++cut) {
      emit(from, *cut);
      from = *cut;
    }
    emit(from, end);
  }

  const Characters text_;
  AddressFinder addresses_;
  std::string_view next_;
  bool last_;
  std::vector<std::string_view>& words_;
  bool is_word_ = false;
};

}  // namespace

namespace {

// The letters and digits that `text` begins with.
std::string_view first_letters(std::string_view text) {
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size(); end = at) {
    const char32_t c = next_character(text, at);
    if (!is_letter_like(c) && !is_digit(c)) {
      break;
    }
  }
  return text.substr(0, end);
}

}  // namespace

std::vector<std::string_view> english_words(std::string_view text) {
  std::vector<std::string_view> stretches;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t place = at;
    if (is_white_space(next_character(text, at))) {
      if (place > begin) {
        stretches.push_back(text.substr(begin, place - begin));
      }
      begin = at;
    }
  }
  if (begin < text.size()) {
    stretches.push_back(text.substr(begin));
  }
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    const std::string_view next = i + 1 < stretches.size() ? stretches[i + 1] : std::string_view{};
    Stretch(stretches[i], first_letters(next), i + 1 == stretches.size(), words).cut();
  }
  return words;
}

}  // namespace mog::model
