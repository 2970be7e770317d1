// How GPT-2 cuts a text.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/tokenizer/text/regex_pattern.h"

namespace mog::model {

// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+, written out: every part is a
// match.
void find_gpt2_words(std::string_view text, std::vector<Match>& matches);

}  // namespace mog::model
