// Text as BERT's tokenizers see it: normalised characters that remember their bytes, cut into words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/recording/sentence.h"

namespace mog::model {

// BertNormalizer of Hugging Face's `tokenizers`, its four switches, applied in this order.
struct BertNormalizer {
  bool clean_text = true;            // control characters go, white space becomes U+0020
  bool handle_chinese_chars = true;  // each CJK ideograph is a word
  bool strip_accents = true;         // canonical decomposition without nonspacing marks
  bool lowercase = true;             // character by character, without context
  friend bool operator==(const BertNormalizer&, const BertNormalizer&) = default;
};

// A word of the normalised text. characters[i] came from the bytes spans[i] of the original; whole
// characters of it, several of ours may share one.
struct BertWord {
  std::string text;                   // UTF-8
  std::vector<std::uint32_t> begins;  // [character + 1] bytes of `text`
  std::vector<ByteSpan> spans;        // [character]
  ByteSpan bytes() const { return {spans.front().begin, spans.back().end}; }
  std::size_t characters() const noexcept { return spans.size(); }
};

// BertPreTokenizer after `normalizer`: white space separates, every punctuation character is a word.
// `text` is sound UTF-8 below 2 GiB; `offset` is added to all spans. Throws nothing but std::bad_alloc.
std::vector<BertWord> bert_words(std::string_view text, const BertNormalizer& normalizer,
                                 std::int64_t offset = 0);

}  // namespace mog::model
