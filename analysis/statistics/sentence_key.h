// What says that two recordings hold the same sentence.
#pragma once

#include <cstdint>

#include "io/recording/sentence.h"

namespace mog::analysis {

// FNV-1a over the characters of the sentence's text without its white space (Unicode's White_Space): the same
// however a tokenizer cuts it, wherever it stands in its corpus, and with its words set apart or not. Letters
// are compared as they are written: neither case nor Unicode normalisation is touched. Of a sentence whose
// text is not known the characters of its words; 0 where it has none.
std::uint64_t sentence_key(const Sentence& sentence);

}  // namespace mog::analysis
