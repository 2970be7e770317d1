// Plain text as a document of CoNLL-2012 without mentions.
#pragma once

#include <filesystem>

#include "io/text/conll2012.h"
#include "model/tokenizer/tokenizer.h"

namespace mog::app {

// One sentence a line, its words as the tokenizer cuts them; blank lines are left out. The document has the
// name of the file. Throws UsageError where there is no word, StorageError, FormatError for what is no UTF-8.
io::CorefDocument read_plain_document(const std::filesystem::path& file, const model::Tokenizer& tokenizer);

}  // namespace mog::app
