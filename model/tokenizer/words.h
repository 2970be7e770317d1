// Which words plain text has: the choice behind `--words`, and the key `tokenizer.words` of config.json.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/tokenizer/tokenizer.h"

namespace mog::model {

enum class WordCut : std::uint8_t {
  automatic,   // what the model says its words are; where it says nothing, what its tokenizer cuts
  spaces,      // what white space separates, no-break spaces excepted: text that is cut already
  ud_en,       // English as the treebanks of Universal Dependencies have it (EWT)
  characters,  // each character as people see it (an extended grapheme cluster), white space left out
};
// "auto", "spaces", "ud-en", "characters"; throws UsageError that names them.
WordCut parse_word_cut(std::string_view text);
std::string_view name(WordCut cut) noexcept;

// Words of `text` (sound UTF-8) as views into it, in order: together they are the text without its white
// space. `cut` is not automatic. Deterministic, without a locale, O(bytes).
std::vector<std::string_view> cut_words(std::string_view text, WordCut cut);

// A tokenizer whose encode() takes the words that `cut` gives, each cut into pieces as encode_words() does;
// text and places are those of the text as it was given. `cut` = automatic: `tokenizer` itself.
std::shared_ptr<const Tokenizer> with_words(std::shared_ptr<const Tokenizer> tokenizer, WordCut cut);

}  // namespace mog::model
