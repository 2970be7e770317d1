// A parsed text as the CoNLL 2018 evaluation sees it: words with their place in the characters of the text,
// and which words of two parses of one text are the same word.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mog::analysis {

// One word as a file has it.
struct ParsedWord {
  std::string form;  // lower-cased: what words inside multiword tokens are aligned by
  std::string lemma;
  std::string upos;
  std::string xpos;
  std::string feats;
  std::int32_t head = 0;  // in its sentence from 1, 0 the root
  std::string relation;
};

// What stands in the text: a word, or a multiword token ("don't") that stands for several.
struct ParsedToken {
  std::string form;
  std::int32_t words = 1;
  bool multiword = false;
};

// `tokens` cover `words` in their order.
struct ParsedSentence {
  std::vector<ParsedWord> words;
  std::vector<ParsedToken> tokens;
};

// Characters [begin, end) of the text without its spaces.
struct TextSpan {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  friend bool operator==(const TextSpan&, const TextSpan&) = default;
};

struct TextWord {
  ParsedWord
      word;  // relation without its subtype, universal features alone and sorted, as the evaluation compares
  TextSpan span;  // of the whole token where the word is in a multiword one
  bool multiword = false;
  std::int64_t parent = -1;  // index of its head among the words of the text; -1: the root
  std::int64_t sentence = 0;
};

// The sentences of a file, one after the other. Spaces (Unicode's Zs) inside tokens do not count as
// characters.
class ParsedText {
 public:
  explicit ParsedText(std::string name) : name_(std::move(name)) {}
  // Throws FormatError naming the sentence for a token of spaces alone, tokens that do not cover the words,
  // or a head out of range.
  void add(const ParsedSentence& sentence);

  const std::string& name() const noexcept { return name_; }  // of its file
  const std::u32string& characters() const noexcept { return characters_; }
  const std::vector<TextSpan>& tokens() const noexcept { return tokens_; }
  const std::vector<TextSpan>& sentences() const noexcept { return sentences_; }
  const std::vector<TextWord>& words() const noexcept { return words_; }
  // Of a character: the sentence that it is in.
  std::int64_t sentence_at(std::int64_t character) const;
  std::int64_t several_roots() const noexcept { return several_roots_; }  // sentences that have them

 private:
  std::string name_;
  std::u32string characters_;
  std::vector<TextSpan> tokens_;
  std::vector<TextSpan> sentences_;
  std::vector<TextWord> words_;
  std::int64_t several_roots_ = 0;
};

// [word of `hypothesis`] the word of `reference` that it is, or -1. Words are the same where their characters
// are; where one of the texts has a multiword token, the words of the smallest stretch that holds it whole in
// both are aligned by the longest common subsequence of their forms. O(words), of such stretches O(words^2).
//
// Throws FormatError naming both places when the characters of the texts differ, or for a stretch of more
// than 10,000 times 10,000 words.
std::vector<std::int64_t> aligned_words(const ParsedText& reference, const ParsedText& hypothesis);

// Places where every text ends a sentence, ascending, the end of the text last: the stretches between them
// are what texts of other sentence boundaries can be resampled by. No text: none.
std::vector<std::int64_t> common_ends(const std::vector<const ParsedText*>& texts);

}  // namespace mog::analysis
