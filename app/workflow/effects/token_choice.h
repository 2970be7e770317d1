// Tokens and places of a text, as a person names them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/workflow/record/live_run.h"
#include "io/recording/sentence.h"

namespace mog::app {

// A token of the vocabulary: a text that the tokenizer makes one token of (" Paris", with the space that
// stands before it where the vocabulary has it so), a token as the vocabulary spells it, or id:N. Throws
// UsageError naming the option and the pieces of a text that is several.
std::int64_t token_named(const LoadedModel& loaded, std::string_view option, std::string_view text);
// A token of the vocabulary to be read; rows behind the vocabulary as "<row_N>".
std::string shown_token(const LoadedModel& loaded, std::int64_t id);
// The tokens of a sentence to be read, with bars between.
std::string shown_tokens(const LoadedModel& loaded, const Sentence& sentence);
// Place from 0 of a number from 1, negative from the end. Throws UsageError naming the option.
std::int64_t place_named(std::string_view option, std::int64_t number, std::int64_t tokens);

}  // namespace mog::app
