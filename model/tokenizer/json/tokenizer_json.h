// A `tokenizer.json` of Hugging Face's `tokenizers`, any combination of the parts it knows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/config/config.h"
#include "model/tokenizer/tokenizer.h"

namespace mog::model {

struct TokenizerJson {
  // Ids and bytes of encode() equal those of `tokenizers` 0.23.3 (its offsets in bytes). Words of a text are
  // what the space U+0020 separates with byte_bpe and unigram, and what the pre-tokenizer cuts with
  // wordpiece; a piece belongs to the word where its first byte that is no space stands.
  std::shared_ptr<const Tokenizer> tokenizer;
  TokenizerKind kind =
      TokenizerKind::byte_bpe;        // model WordPiece: wordpiece, BPE: byte_bpe, Unigram: unigram
  bool lowercase = false;             // whether the normalizer drops case
  std::optional<std::int64_t> first;  // the token before a sentence, of several the last
  std::optional<std::int64_t> last;   // and behind it, of several the first
  std::optional<std::int64_t> unknown;
  std::optional<std::int64_t> padding;
  std::vector<std::string> notes;  // what the file asks for and is not done
  bool decodes = false;            // whether decode() is the reference's: its decoder is known
};

// Throws FormatError naming the file and the place in it ("normalizer.normalizers[1].type") for what is
// damaged, ModelError for every component that is not supported; nothing is left out silently. The types
// "SentencePiece" of normalizer and model are ours (sentencepiece_file.h).
TokenizerJson open_tokenizer_json(const std::filesystem::path& file);
// `text` of a file that is called `file` in messages.
TokenizerJson parse_tokenizer_json(std::string_view text, const std::string& file);

}  // namespace mog::model
