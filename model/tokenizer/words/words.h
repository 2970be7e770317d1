// The words of plain text.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/config/word_cut.h"
#include "model/tokenizer/tokenizer.h"

namespace mog::model {

// Words of `text` (sound UTF-8) as views into it, in order: together they are the text without its white
// space. `cut` is not automatic. Deterministic, without a locale, O(bytes).
std::vector<std::string_view> cut_words(std::string_view text, WordCut cut);

// A tokenizer whose encode() takes the words that `cut` gives, each cut into pieces as encode_words() does;
// text and places are those of the text as it was given. `cut` = automatic: `tokenizer` itself.
std::shared_ptr<const Tokenizer> with_words(std::shared_ptr<const Tokenizer> tokenizer, WordCut cut);

}  // namespace mog::model
