// What no rule can tell about English words: the closed lists behind english_words.h.
//
// Collected from the train part of UD English EWT (how often each form stands as one word there) and
// completed by their kind: all months where two occurred. Forms are lower-case unless said otherwise.
#pragma once

#include <string_view>
#include <vector>

namespace mog::model {

// "dr" in "Dr.": a word that keeps the period behind it. `word` as in the text: some do so only with a
// capital
// ("Sun.", not "sun."). "No." is one before a number only.
bool keeps_period(std::string_view word, bool number_follows);
// "anti" in "anti-war": a prefix that its hyphen does not part from its word.
bool keeps_hyphen(std::string_view prefix);
// "km" in "5km": a unit that is a word of its own behind a number.
bool is_unit(std::string_view letters);
// "com", "pdf": the last part of a host or of a file's name, in one case throughout.
bool ends_address(std::string_view last_part);
// Where a contraction without an apostrophe is parted: "gonna" at 3. Empty: not at all. `next`: the word
// behind it, which tells "its a dog" from "its dog".
std::vector<std::size_t> contraction_cuts(std::string_view word, std::string_view next);
// "em" in "'em": what keeps an apostrophe before it.
bool keeps_apostrophe(std::string_view word);

}  // namespace mog::model
