// WordPiece as BERT uses it: settings and the file that holds them.
// parse_tokenizer_json(to_tokenizer_json(file)) cuts with it (tokenizer_json.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace mog::model {

// BertNormalizer of Hugging Face's `tokenizers`, its four switches, applied in this order.
struct BertNormalizer {
  bool clean_text = true;            // control characters go, white space becomes U+0020
  bool handle_chinese_chars = true;  // each CJK ideograph is a word
  bool strip_accents = true;         // canonical decomposition without nonspacing marks
  bool lowercase = true;             // character by character, without context
  friend bool operator==(const BertNormalizer&, const BertNormalizer&) = default;
};

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

}  // namespace mog::model
