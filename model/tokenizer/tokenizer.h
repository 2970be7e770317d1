// Text to tokens and back, with the place of every word and token in the text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/recording/sentence.h"

namespace mog::model {

// Tokens and their ids (line number from 0). Immutable after construction; safe from several threads.
// Memory: the bytes of the tokens and about 16 bytes a token, so that 5 million of them are 130 MB.
class Vocabulary {
 public:
  // Throws FormatError naming file and line: invalid UTF-8, empty or repeated token, NUL.
  static Vocabulary read(const std::filesystem::path& file);
  // Throws UsageError for an empty or repeated token.
  explicit Vocabulary(const std::vector<std::string>& tokens);
  std::int64_t size() const noexcept { return static_cast<std::int64_t>(begins_.size()) - 1; }
  // Throws std::out_of_range.
  std::string token(std::int64_t id) const { return std::string(view(id)); }
  std::optional<std::int64_t> find(std::string_view token) const;

 private:
  Vocabulary() = default;
  std::string_view view(std::int64_t id) const;
  // Adds a token; false when it was there, its id is then in `known`.
  bool add(std::string_view token, std::int64_t& known);
  // The token's slot, or the free one where it belongs.
  std::size_t slot_of(std::string_view token, std::uint32_t hash) const;
  void grow();

  struct Slot {
    std::uint32_t token = 0;  // id + 1; 0: free
    std::uint32_t hash = 0;   // of its bytes, which are looked at only where this agrees
  };
  std::string bytes_;                        // all tokens, one after another
  std::vector<std::uint64_t> begins_ = {0};  // [token + 1]
  std::vector<Slot> slots_;                  // open addressing, at most half full; a power of two
};

// Tokens as text again.
struct DecodedText {
  std::string text;
  std::vector<std::int64_t> words;  // [token], of the text, from 0; -1: a special token, which has no text
};

// Immutable after construction; safe from several threads.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  // whitespace, bpe: splits at spaces (' ', as subword-nmt), looks every piece up (unknown: unk_id), appends
  // </s>. wordpiece: splits as BERT does (wordpiece.h), puts [CLS] before and [SEP] behind.
  // Token.bytes cover whole characters of the text as given; where lower-casing made several characters
  // of one, pieces may share it. Throws FormatError when `text` is not sound UTF-8.
  virtual Sentence encode(std::string_view text, std::int64_t number = 0) const = 0;
  // The same for words that are already separated (a treebank's): word i of the result is words[i], also
  // when it contains spaces; text joins them with one space. The ids are those of encode(text).
  virtual Sentence encode_words(std::span<const std::string> words, std::int64_t number = 0) const = 0;
  // `tokens` need not be in vocabulary(). This one: pieces of bpe are joined, other tokens are words.
  virtual DecodedText decode(std::span<const std::string> tokens) const;
  virtual const Vocabulary& vocabulary() const = 0;
  virtual std::string_view kind() const = 0;  // as in config.json
};

struct TokenizerConfig;
// Rows of the vocabulary with a meaning of their own.
struct SpecialIds {
  std::int64_t eos = 2;
  std::int64_t unknown = 3;
  std::int64_t bos = 2;  // first token of a sentence; only with wordpiece
};
// Reads the files that `config` names (vocab, codes, file) from `directory`. Throws FormatError naming file
// and line, ModelError when the vocabulary is too short for the ids.
std::shared_ptr<const Tokenizer> make_tokenizer(const TokenizerConfig& config, const SpecialIds& ids,
                                                const std::filesystem::path& directory);
// The tokenizer of translations, where it is not that of the source; nullptr where it is. Throws as
// make_tokenizer.
std::shared_ptr<const Tokenizer> make_target_tokenizer(const TokenizerConfig& config,
                                                       const std::filesystem::path& directory);

// Pieces of a translation back to text ("over@@ all" → "overall").
std::string join_pieces(std::span<const std::string> pieces);

}  // namespace mog::model
