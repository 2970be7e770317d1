// Sentences of our own as CoNLL-U.
#pragma once

#include <span>
#include <string>

#include "io/text/conllu.h"

namespace mog::app {

// Rows with nothing but the words: head 0, "_" elsewhere. Throws UsageError, its message beginning with
// `where`, where a word cannot stand in a column: it is empty, or holds a tab, a line end or NUL.
io::TreebankSentence bare_sentence(std::span<const std::string> words, const std::string& where);

}  // namespace mog::app
