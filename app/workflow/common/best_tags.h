// Tags of words from the scores of a tagging head.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/recording/sentence.h"

namespace mog::app {

// logits: [token, tag] of one sentence. The best tag of each word's first token; "" for a word without a
// token.
std::vector<std::string> best_tags(const Sentence& sentence, std::span<const float> logits,
                                   const std::vector<std::string>& names);

}  // namespace mog::app
