// What every tokenizer asks of a text before it cuts it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "io/recording/sentence.h"

namespace mog::model {

// Throws FormatError, naming the sentence, when the text is not UTF-8 or is longer than 2^30 bytes (offsets
// of ICU are 32-bit).
void check_sentence(std::string_view text, std::int64_t number);

// A sentence of these words, each checked, and the text that joins them with one space; no tokens yet.
Sentence sentence_of_words(std::span<const std::string> words, std::int64_t number);

}  // namespace mog::model
