#include "model/tokenizer/sentence_check.h"

#include <fmt/format.h>

#include "io/recording/errors.h"
#include "io/text/utf8.h"

namespace mog::model {

void check_sentence(std::string_view text, std::int64_t number) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 30U;
  if (const std::size_t bad = io::first_invalid_utf8(text); bad != std::string_view::npos) {
    throw FormatError(fmt::format("sentence {}: it is not UTF-8 at byte {}", number, bad + 1));
  }
  if (text.size() > kMostBytes) {
    throw FormatError(fmt::format("sentence {}: {} bytes are too long for a sentence", number, text.size()));
  }
}

Sentence sentence_of_words(std::span<const std::string> words, std::int64_t number) {
  Sentence sentence;
  sentence.number = number;
  for (const std::string& word : words) {
    check_sentence(word, number);
    sentence.text += sentence.words.empty() ? "" : " ";
    const auto begin = static_cast<std::int64_t>(sentence.text.size());
    sentence.text += word;
    sentence.words.push_back({word, {begin, begin + static_cast<std::int64_t>(word.size())}});
  }
  return sentence;
}

}  // namespace mog::model
