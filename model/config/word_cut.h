// Which words plain text has: the choice behind `--words`, and the key `tokenizer.words` of config.json.
#pragma once

#include <cstdint>
#include <string_view>

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

}  // namespace mog::model
