// A file of sentencepiece, and the tokenizer.json of our own that says the same.
//
// Such a tokenizer.json has a normalizer and a model of the type "SentencePiece", which the library
// `tokenizers` does not know (docs/model-directory.md): its Unigram and Precompiled cut some texts otherwise
// than sentencepiece, on which the model was trained.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/config/config_reader.h"
#include "model/tokenizer/documents/tokenizer_document.h"
#include "model/tokenizer/pieces/piece_model.h"
#include "model/tokenizer/sentencepiece/sentencepiece_model.h"
#include "model/tokenizer/sentencepiece/sentencepiece_normalizer.h"

namespace mog::model {

struct SentencePieceFile {
  std::string file;                        // for messages
  std::vector<SentencePieceEntry> pieces;  // id: of the file
  bool merges = false;
  bool byte_fallback = false;
  SentencePieceNormalizing normalizing;

  std::int64_t unknown() const;                              // the piece of that kind
  std::optional<std::int64_t> find(std::string_view) const;  // O(pieces)
};

// Parsed by mog-loader. Throws FormatError (damaged), ModelError for a model of words or characters.
SentencePieceFile read_sentencepiece_file(const std::filesystem::path& file);

// Rows of an embedding table, and which piece of the file each is.
struct SentencePieceRows {
  std::vector<std::string> tokens;
  std::vector<std::int32_t> pieces;  // [row]; -1: none
  std::int64_t unknown = 0;
  bool by_name = false;  // SentencePieceOptions
};

// The keys normalizer and model of a tokenizer.json: `"normalizer":{…},"model":{…}`. `before`: normalizers
// that come first.
std::string sentencepiece_members(const SentencePieceFile& file, const SentencePieceRows& rows,
                                  const nlohmann::ordered_json& before);

// `reader` at the model of type SentencePiece. Throws FormatError naming file and key.
std::unique_ptr<const PieceModel> read_sentencepiece_model(ConfigReader& reader,
                                                           const TokenizerDocument& document,
                                                           std::shared_ptr<const Vocabulary> vocabulary);
bool is_merging_sentencepiece(ConfigReader& reader);

// The normalizer of type SentencePiece.
std::unique_ptr<const Normalizer> read_sentencepiece_normalizer(ConfigReader& reader,
                                                                const std::string& file);

// Whether the first bytes of `file` are those of a sentencepiece model. Never throws.
bool is_sentencepiece_file(const std::filesystem::path& file) noexcept;

// A whole tokenizer.json for a file alone: its own numbers, no frame.
std::string sentencepiece_file_document(const std::filesystem::path& file);

}  // namespace mog::model
