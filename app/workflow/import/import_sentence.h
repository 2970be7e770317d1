// Tokens that another program wrote as a Sentence: words, text, and the places of everything in the text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "io/hdf5/import/import_frame.h"
#include "io/recording/pieces.h"
#include "io/recording/sentence.h"

namespace mog::app {

// As name(Pieces) writes it; throws UsageError.
Pieces parse_pieces(std::string_view text);

// `number` is the sentence's. Words come from word_of_token, else from `pieces`, else every token is a word;
// their spelling from `words`, else from the text where the words are found in it in order, else from the
// tokens. Without a text the words are joined by spaces. Special tokens, where no word_of_token says so, are
// [CLS], [SEP] and [PAD] of wordpiece, else <s>, </s> and <pad>, of byte-bpe <|endoftext|> too. Throws
// FormatError naming file, sentence and token: empty tokens, word numbers that skip or fall, words that do
// not fit, a text in which a word is not found.
Sentence make_sentence(const io::ImportedSentence& imported, std::int64_t number, Pieces pieces,
                       const std::filesystem::path& file);

}  // namespace mog::app
