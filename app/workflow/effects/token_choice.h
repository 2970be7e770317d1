// Tokens and places of a text, as a person names them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/workflow/record/live_run.h"
#include "io/recording/sentence.h"
#include "model/patching.h"

namespace mog::app {

// A token of the vocabulary: a text that the tokenizer makes one token of (" Paris", with the space that
// stands before it where the vocabulary has it so), a token as the vocabulary spells it, or id:N. Throws
// UsageError naming the option and the pieces of a text that is several.
std::int64_t token_named(const LoadedModel& loaded, std::string_view option, std::string_view text);

// The logit, or difference of two, that is read of a run.
struct ChosenLogits {
  model::LogitPair logits;
  std::string answer;  // to be read
  std::string against;
  std::vector<std::string> notes;  // that a name may mean another token, too
};
// `answer` and `against` as token_named() takes them; no answer: `best`; no against: the logit alone. Throws
// UsageError as token_named(), and for a token against itself.
ChosenLogits chosen_logits(const LoadedModel& loaded, std::string_view answer, std::string_view against,
                           std::int64_t best = 0);
// The most probable next token behind one of a text. Throws as Model::run.
std::int64_t best_next_token(const LoadedModel& loaded, const Sentence& sentence, std::int64_t token);
// The token that is most probable behind `clean`, against the one behind `corrupt`; where they are the same
// it stands alone, and a note says so.
ChosenLogits best_logits(const LoadedModel& loaded, const Sentence& clean, const Sentence& corrupt,
                         std::int64_t token);
// A note where the token that is read by default is no token of the text; else empty.
std::string read_behind_special(const LoadedModel& loaded, const Sentence& sentence, std::int64_t token);

// A token of the vocabulary to be read; rows behind the vocabulary as "<row_N>".
std::string shown_token(const LoadedModel& loaded, std::int64_t id);
// The tokens of a sentence to be read, with bars between.
std::string shown_tokens(const LoadedModel& loaded, const Sentence& sentence);
// Place from 0 of a number from 1, negative from the end. Throws UsageError naming the option.
std::int64_t place_named(std::string_view option, std::int64_t number, std::int64_t tokens);

}  // namespace mog::app
