// A sentence as text, words and tokens, each with its place in the text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mog {

// Bytes [begin, end) of a text.
struct ByteSpan {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  friend bool operator==(const ByteSpan&, const ByteSpan&) = default;
};

// One input of the model: a word, a piece of a word, or a special token.
struct Token {
  std::string text;        // as the vocabulary spells it, e.g. "over@@" or "</s>"
  std::int64_t id = 0;     // row of the embedding table
  std::int64_t word = -1;  // index from 0 into Sentence::words; -1: a special token
  ByteSpan bytes;          // of Sentence::text; empty for special tokens
  friend bool operator==(const Token&, const Token&) = default;
};

struct Word {
  std::string text;  // as in the corpus, before lower-casing
  ByteSpan bytes;    // of Sentence::text
  friend bool operator==(const Word&, const Word&) = default;
};

struct Sentence {
  std::int64_t number = 0;  // place in the corpus, from 1
  std::string text;         // UTF-8
  std::vector<Word> words;
  std::vector<Token> tokens;         // with the final </s>
  std::vector<Token> target_tokens;  // of a translation, else empty
  bool truncated = false;            // tokens end before the text does
  friend bool operator==(const Sentence&, const Sentence&) = default;
};

}  // namespace mog
