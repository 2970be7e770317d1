// WordPiece as BERT uses it: settings, the file that holds them, segmentation.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/tokenizer/bert_text.h"
#include "model/tokenizer/tokenizer.h"

namespace mog::model {

struct WordPieceSettings {
  BertNormalizer normalizer;
  std::string unknown = "[UNK]";
  std::string prefix = "##";           // of pieces that continue a word
  std::int64_t most_characters = 100;  // a longer word is unknown
  std::string first = "[CLS]";         // frame of a sentence
  std::string last = "[SEP]";
  std::vector<std::string> special;  // found whole in a text, before anything else looks at it
  friend bool operator==(const WordPieceSettings&, const WordPieceSettings&) = default;
};

// A WordPiece tokenizer as its files hold it. tokens[id].
struct WordPieceFile {
  WordPieceSettings settings;
  std::vector<std::string> tokens;
  std::vector<std::string> notes;  // parts of the file that mean nothing here ("truncation at 128 tokens")
};

// A `tokenizer.json` of Hugging Face's `tokenizers`: WordPiece with BertNormalizer, BertPreTokenizer and a
// frame of one special token at either end. Throws FormatError naming the file and the key for what is
// damaged, ModelError naming the component that is not supported.
WordPieceFile read_tokenizer_json(const std::filesystem::path& file);
// One token a line, with the usual special tokens ([PAD], [UNK], [CLS], [SEP], [MASK], as far as they occur).
// Throws FormatError; ModelError when [UNK], [CLS] or [SEP] is missing.
WordPieceFile read_wordpiece_vocabulary(const std::filesystem::path& file, const BertNormalizer& normalizer);
// read_tokenizer_json reads it back, and so does `tokenizers`.
std::string to_tokenizer_json(const WordPieceFile& file);
// As read by Vocabulary::read.
std::string to_vocabulary_text(std::span<const std::string> tokens);

// Pieces of one normalised word. Immutable after construction; safe from several threads.
class WordPiece {
 public:
  struct Piece {
    std::int64_t id = 0;
    std::size_t first = 0;  // characters [first, last) of the word
    std::size_t last = 0;
  };
  // Throws ModelError when the settings name a token that is not in the vocabulary.
  WordPiece(WordPieceSettings settings, Vocabulary vocabulary);
  // Longest pieces first; the whole word as one unknown piece when it cannot be cut or is too long. `word` is
  // not empty. O(characters × longest token).
  std::vector<Piece> segment(const BertWord& word) const;
  const WordPieceSettings& settings() const noexcept { return settings_; }
  const Vocabulary& vocabulary() const noexcept { return vocabulary_; }
  std::int64_t unknown() const noexcept { return unknown_; }

 private:
  WordPieceSettings settings_;
  Vocabulary vocabulary_;
  std::int64_t unknown_ = 0;
  std::size_t longest_ = 0;  // bytes of the longest token
};

// Words of a text are those of bert_words(); of given words each is one, whatever it is cut into. A special
// token in the text is a word of its own.
std::shared_ptr<const Tokenizer> make_wordpiece_tokenizer(const WordPieceFile& file);

}  // namespace mog::model
