// Tokens that another program wrote as a Sentence: words, text, and the places of everything in the text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "io/hdf5/import/import_frame.h"
#include "io/recording/sentence.h"

namespace mog::app {

// How tokens show that they are pieces of words.
enum class Pieces : std::uint8_t {
  none,       // they do not
  wordpiece,  // ##ing continues; [CLS], [SEP], [PAD] are special
  bpe,        // over@@ is continued (subword-nmt)
  byte_bpe,  // Ġthe begins a word, bytes are spelled as in GPT-2; <s>, </s>, <pad>, <|endoftext|> are special
  sentencepiece,  // ▁the begins a word; <s>, </s>, <pad> are special
};
// "none", "wordpiece", "bpe", "byte-bpe", "sentencepiece"; throws UsageError.
Pieces parse_pieces(std::string_view text);
std::string_view name(Pieces pieces) noexcept;

// `number` is the sentence's. Words come from word_of_token, else from `pieces`, else every token is a word;
// their spelling from `words`, else from the text where the words are found in it in order, else from the
// tokens. Without a text the words are joined by spaces. Throws FormatError naming file, sentence and token:
// empty tokens, word numbers that skip or fall, words that do not fit, a text in which a word is not found.
Sentence make_sentence(const io::ImportedSentence& imported, std::int64_t number, Pieces pieces,
                       const std::filesystem::path& file);

}  // namespace mog::app
