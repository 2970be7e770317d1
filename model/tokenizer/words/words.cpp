#include "model/tokenizer/words/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"
#include "model/tokenizer/sentence_check.h"
#include "model/tokenizer/text/reference_unicode.h"
#include "model/tokenizer/words/english_words.h"

namespace mog::model {
namespace {

bool is_no_break_space(char32_t c) {
  return c == 0xA0 || c == 0x2007 || c == 0x202F;
}

std::vector<std::string_view> between_spaces(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t place = at;
    const char32_t code = next_character(text, at);
    if (is_white_space(code) && !is_no_break_space(code)) {
      if (place > begin) {
        words.push_back(text.substr(begin, place - begin));
      }
      begin = at;
    }
  }
  if (begin < text.size()) {
    words.push_back(text.substr(begin));
  }
  return words;
}

std::vector<std::string_view> characters(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t behind = at;
    if (is_white_space(next_character(text, behind))) {
      at = behind;
      continue;
    }
    const std::size_t end = grapheme_end(text, at);
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

class WordTokenizer final : public Tokenizer {
 public:
  WordTokenizer(std::shared_ptr<const Tokenizer> tokenizer, WordCut cut)
      : tokenizer_(std::move(tokenizer)), cut_(cut) {}

  Sentence encode(std::string_view text, std::int64_t number) const override {
    check_sentence(text, number);
    const std::vector<std::string_view> found = cut_words(text, cut_);
    if (found.empty()) {
      return tokenizer_->encode(text, number);
    }
    const std::vector<std::string> words(found.begin(), found.end());
    Sentence sentence = tokenizer_->encode_words(words, number);
    place_in(text, found, sentence);
    return sentence;
  }

  Sentence encode_words(std::span<const std::string> words, std::int64_t number) const override {
    return tokenizer_->encode_words(words, number);
  }
  DecodedText decode(std::span<const std::string> tokens) const override {
    return tokenizer_->decode(tokens);
  }
  const Vocabulary& vocabulary() const override { return tokenizer_->vocabulary(); }
  std::string_view kind() const override { return tokenizer_->kind(); }

 private:
  // The sentence counts bytes of its words joined by spaces; from here on those of `text`.
  static void place_in(std::string_view text, std::span<const std::string_view> words, Sentence& sentence) {
    const auto end = static_cast<std::int64_t>(text.size());
    for (Token& token : sentence.tokens) {
      if (token.word < 0) {
        const std::int64_t place = token.bytes.begin == 0 ? 0 : end;
        token.bytes = {place, place};
        continue;
      }
      const auto index = static_cast<std::size_t>(token.word);
      const ByteSpan joined = sentence.words[index].bytes;
      const std::int64_t begin = words[index].data() - text.data();
      // A piece may hold the space before its word, which is not in the text.
      token.bytes = {begin + std::clamp(token.bytes.begin, joined.begin, joined.end) - joined.begin,
                     begin + std::clamp(token.bytes.end, joined.begin, joined.end) - joined.begin};
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::int64_t begin = words[i].data() - text.data();
      sentence.words[i].bytes = {begin, begin + static_cast<std::int64_t>(words[i].size())};
    }
    sentence.text = text;
  }

  std::shared_ptr<const Tokenizer> tokenizer_;
  WordCut cut_;
};

}  // namespace

std::vector<std::string_view> cut_words(std::string_view text, WordCut cut) {
  switch (cut) {
    case WordCut::ud_en:
      return english_words(text);
    case WordCut::characters:
      return characters(text);
    case WordCut::spaces:
    case WordCut::automatic:
      break;
  }
  return between_spaces(text);
}

std::shared_ptr<const Tokenizer> with_words(std::shared_ptr<const Tokenizer> tokenizer, WordCut cut) {
  return cut == WordCut::automatic ? std::move(tokenizer)
                                   : std::make_shared<const WordTokenizer>(std::move(tokenizer), cut);
}

}  // namespace mog::model
