// The tokenizer of a Hugging Face folder, ready for a model directory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/config/config.h"
#include "model/tokenizer/tokenizer.h"
#include "model/tokenizer/wordpiece/wordpiece.h"

namespace mog::model {

struct ForeignTokenizer {
  std::shared_ptr<const Tokenizer> tokenizer;
  TokenizerConfig config;  // kind, lowercase, file = "tokenizer.json", vocab = "vocab.txt"
  // Rows with a meaning; nullopt where the tokenizer has none: T5 and Marian frame a sentence with </s> alone
  // (no first), GPT-2 with nothing, byte-level vocabularies need no unknown token.
  std::optional<std::int64_t> first;  // before a sentence: <s>, [CLS]
  std::optional<std::int64_t> last;   // behind it: </s>, [SEP]
  std::optional<std::int64_t> unknown;
  std::optional<std::int64_t> padding;
  // Bytes of the files that a model directory must hold: "tokenizer.json" and "vocab.txt"; the second is
  // missing where no line can hold a token.
  std::map<std::string, std::string> files;
  // Set when the tokenizer is BERT's own (wordpiece.h): what a vocabulary can be pruned of.
  std::optional<WordPieceFile> wordpiece;
  std::vector<std::string> notes;  // what the files ask for and is not done ("truncation at 128 tokens")
  bool decodes = false;            // whether its tokens become text as the reference does it
};

// Reads `tokenizer.json`; where it is absent `vocab.txt` (BERT; tokenizer_config.json says what case does),
// `vocab.json` with `merges.txt` (GPT-2, RoBERTa, BART), or a sentencepiece model (T5, ALBERT, XLM-R,
// CamemBERT, mBART, NLLB, Pegasus; Marian and M2M100 with their vocab.json). Throws FormatError naming file
// and JSON path for what is damaged, ModelError for components that are not supported.
ForeignTokenizer read_foreign_tokenizer(const std::filesystem::path& folder);
// The tokenizer of translations, where it has one of its own (Marian: target.spm). Throws as the above.
std::optional<ForeignTokenizer> read_foreign_target_tokenizer(const std::filesystem::path& folder);
// One token a line, for a model directory. Throws FormatError naming `file` for a token that no line can
// hold.
std::string vocabulary_lines(const Vocabulary& vocabulary, const std::string& file);
// The same of one file: a tokenizer.json, or a sentencepiece model with its own numbers and no frame.
ForeignTokenizer read_foreign_tokenizer_file(const std::filesystem::path& file);
// The same of the text of a tokenizer.json; `file` is for messages.
ForeignTokenizer foreign_tokenizer_of(std::string json, const std::string& file);
// The same of one tokenizer.json.
ForeignTokenizer read_foreign_tokenizer_json(const std::filesystem::path& file);
// The tokenizer of such a file alone, also where a model directory could not hold it (a token with a line
// end).
std::shared_ptr<const Tokenizer> open_tokenizer_file(const std::filesystem::path& file);

}  // namespace mog::model
