// Words are found in what other programs leave of them: numbers of words, or marks of pieces (##, @@, Ġ, ▁).
// Their spelling is the given one, else that of the text if it has as many words between spaces, else the
// pieces put together. Then each word is searched in the text from the end of the one before: O(bytes).
// Pieces get bytes of their own where together they are the word, letter by letter, else all have the
// word's.
//
// Byte-level pieces are turned back into bytes first. A piece may end inside a character; only the whole
// word is UTF-8 again, so words are repaired after they are joined.
//
// Trap: the search takes the first place behind the word before. Where a text has more than its words, a
// short word may be found inside what is none.
#include "app/workflow/import/import_sentence.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "app/workflow/common/text_format.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"
#include "io/recording/utf8.h"
#include "io/text/utf8.h"

namespace mog::app {
namespace {

constexpr std::int64_t kUnknownId = -1;  // other programs need not say which row of their table it was
constexpr std::string_view kContinues = "##";
constexpr std::string_view kContinued = "@@";
constexpr std::string_view kByteSpace = "\u0120";  // Ġ
constexpr std::string_view kMetaSpace = "\u2581";  // ▁

bool is_special(std::string_view token, Pieces pieces) {
  if (pieces == Pieces::wordpiece) {
    return token == "[CLS]" || token == "[SEP]" || token == "[PAD]";
  }
  const bool brackets = token == "<s>" || token == "</s>" || token == "<pad>";
  return pieces != Pieces::none && (brackets || (pieces == Pieces::byte_bpe && token == "<|endoftext|>"));
}

// Whether `token` begins a word behind `before`, the token before it in the sentence.
bool begins_word(std::string_view token, std::string_view before, Pieces pieces) {
  switch (pieces) {
    case Pieces::none:
      return true;
    case Pieces::wordpiece:
      return !token.starts_with(kContinues) || token.size() == kContinues.size();
    case Pieces::bpe:
      return !before.ends_with(kContinued);
    case Pieces::byte_bpe:
      return token.starts_with(kByteSpace);
    case Pieces::sentencepiece:
      return token.starts_with(kMetaSpace);
  }
  return true;
}

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\n\r");
  return begin == std::string::npos ? std::string()
                                    : text.substr(begin, text.find_last_not_of(" \t\n\r") + 1 - begin);
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> pieces;
  for (std::size_t begin = 0; (begin = text.find_first_not_of(" \t\n\r", begin)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(" \t\n\r", begin), text.size());
    pieces.emplace_back(text.substr(begin, end - begin));
    begin = end;
  }
  return pieces;
}

class Maker {
 public:
  Maker(const io::ImportedSentence& from, std::int64_t number, Pieces pieces,
        const std::filesystem::path& file)
      : from_(from), pieces_(pieces), file_(file) {
    sentence_.number = number;
  }

  Sentence make() {
    number_words();
    spell_words();
    place_words();
    for (Token& token : sentence_.tokens) {
      if (token.word >= 0) {
        token.bytes = sentence_.words[static_cast<std::size_t>(token.word)].bytes;
      }
    }
    place_pieces();
    return std::move(sentence_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw FormatError(fmt::format("importing {}: sentence {}: {}", file_.string(), sentence_.number, what));
  }
  void number_words();
  void spell_words();
  void place_words();
  void place_pieces();

  const io::ImportedSentence& from_;
  Pieces pieces_;
  const std::filesystem::path& file_;
  Sentence sentence_;
  std::int64_t words_ = 0;
};

void Maker::number_words() {
  std::string_view before;
  for (std::size_t i = 0; i < from_.tokens.size(); ++i) {
    const std::string& text = from_.tokens[i];
    if (text.empty()) {
      refuse(
          fmt::format("token {} of {} is empty; where sentences are padded, `lengths` says how many tokens "
                      "each has",
                      i + 1, from_.tokens.size()));
    }
    std::int64_t word = 0;  // from 1
    if (!from_.word_of_token.empty()) {
      word = from_.word_of_token[i];
      if (word < 0 || word > words_ + 1 || (word > 0 && word < words_)) {
        refuse(fmt::format(
            "word_of_token: token {} \"{}\" belongs to word {}; behind word {} only {} and {} may "
            "come (0: a special token)",
            i + 1, printable(text), word, words_, words_, words_ + 1));
      }
    } else if (!is_special(text, pieces_)) {
      word = words_ == 0 || begins_word(text, before, pieces_) ? words_ + 1 : words_;
    }
    words_ = std::max(words_, word);
    before = text;
    sentence_.tokens.push_back({text, kUnknownId, word - 1, {}});
  }
}

void Maker::spell_words() {
  const auto given = static_cast<std::int64_t>(from_.words.size());
  if (given > 0) {
    if (given < words_) {
      refuse(fmt::format("words: {} are given, but the tokens belong to {}", given, words_));
    }
    sentence_.truncated = given > words_;
    for (std::size_t i = 0; i < from_.words.size(); ++i) {
      if (from_.words[i].empty()) {
        refuse(fmt::format("words: word {} is empty", i + 1));
      }
      sentence_.words.push_back({from_.words[i], {}});
    }
    return;
  }
  std::vector<std::string> spelled(static_cast<std::size_t>(words_));
  for (const Token& token : sentence_.tokens) {
    if (token.word >= 0) {
      spelled[static_cast<std::size_t>(token.word)] += piece_bytes(token.text, pieces_);
    }
  }
  for (std::string& word : spelled) {
    word = io::replace_invalid_utf8(trimmed(word));
    sentence_.words.push_back({word.empty() ? " " : std::move(word), {}});
  }
  if (from_.text) {
    // What stands between spaces are the words, if they are as many: in their own spelling.
    std::vector<std::string> between = split(*from_.text);
    for (std::size_t i = 0; between.size() == sentence_.words.size() && i < between.size(); ++i) {
      sentence_.words[i].text = std::move(between[i]);
    }
  }
}

void Maker::place_words() {
  if (!from_.text) {
    for (Word& word : sentence_.words) {
      sentence_.text += sentence_.text.empty() ? "" : " ";
      word.bytes.begin = static_cast<std::int64_t>(sentence_.text.size());
      sentence_.text += word.text;
      word.bytes.end = static_cast<std::int64_t>(sentence_.text.size());
    }
    return;
  }
  sentence_.text = *from_.text;
  std::size_t at = 0;
  for (std::size_t i = 0; i < sentence_.words.size(); ++i) {
    Word& word = sentence_.words[i];
    const std::size_t found = sentence_.text.find(word.text, at);
    if (found == std::string::npos) {
      refuse(
          fmt::format("text: word {} \"{}\" is not in it behind byte {}; give `words` as they stand in the "
                      "text, or leave `text` out",
                      i + 1, printable(word.text), at));
    }
    at = found + word.text.size();
    word.bytes = {static_cast<std::int64_t>(found), static_cast<std::int64_t>(at)};
  }
}

// Where the pieces of a word are its spelling cut up, each has its own bytes; else those of the word.
void Maker::place_pieces() {
  auto& tokens = sentence_.tokens;
  for (std::size_t first = 0; first < tokens.size();) {
    std::size_t last = first + 1;
    while (last < tokens.size() && tokens[last].word == tokens[first].word) {
      ++last;
    }
    if (tokens[first].word >= 0 && last - first > 1) {
      const Word& word = sentence_.words[static_cast<std::size_t>(tokens[first].word)];
      std::vector<std::string> texts;
      std::string all;
      for (std::size_t i = first; i < last; ++i) {
        texts.push_back(i == first ? trimmed(piece_bytes(tokens[i].text, pieces_))
                                   : piece_bytes(tokens[i].text, pieces_));
        all += texts.back();
      }
      std::int64_t at = word.bytes.begin;
      for (std::size_t i = first; all == word.text && i < last; ++i) {
        tokens[i].bytes.begin = at;
        at += static_cast<std::int64_t>(texts[i - first].size());
        tokens[i].bytes.end = at;
      }
    }
    first = last;
  }
}

}  // namespace

Pieces parse_pieces(std::string_view text) {
  if (const auto pieces = pieces_named(text)) {
    return *pieces;
  }
  throw unknown_choice("--pieces", text, {"none", "wordpiece", "bpe", "byte-bpe", "sentencepiece"});
}

Sentence make_sentence(const io::ImportedSentence& imported, std::int64_t number, Pieces pieces,
                       const std::filesystem::path& file) {
  return Maker(imported, number, pieces, file).make();
}

}  // namespace mog::app
