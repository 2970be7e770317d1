// Interventions of one run, in words, and what becomes of them when the text changes. No widget here.
#pragma once

#include <QString>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/session/workspace.h"
#include "model/tokenizer/tokenizer.h"

namespace mog::gui {

// "mask “dog”", "cut head 3 of layer 2, high", "gate of layer 2 = 0.5"
QString intervention_text(const model::Intervention& intervention, const Sentence& sentence);
// What a typed sentence changes of its parent: the last intervention, or the words; empty for one without a
// parent.
QString change_text(const TypedSentence& typed, const TypedSentence* parent, const Sentence& sentence);

// All tokens of the word of a token; the token alone when it is special.
std::vector<std::int64_t> tokens_of_word(const Sentence& sentence, std::int64_t token);

// The text with the word at `word` replaced by `by` (no, one or several words), and the interventions carried
// over to the words that stay: what was done to the replaced word is dropped.
struct ReplacedWord {
  std::string text;
  std::vector<model::Intervention> interventions;
};
ReplacedWord replace_word(const Sentence& sentence, const std::vector<model::Intervention>& interventions,
                          std::int64_t word, const std::string& by, const model::Tokenizer& tokenizer);

}  // namespace mog::gui
