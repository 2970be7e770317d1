#include "app/workflow/common/best_tags.h"

#include <algorithm>

namespace mog::app {

std::vector<std::string> best_tags(const Sentence& sentence, std::span<const float> logits,
                                   const std::vector<std::string>& names) {
  std::vector<std::string> tags(sentence.words.size());
  for (std::size_t token = 0; token < sentence.tokens.size(); ++token) {
    const std::int64_t word = sentence.tokens[token].word;
    if (word >= 0 && tags[static_cast<std::size_t>(word)].empty()) {
      const std::span<const float> scores = logits.subspan(token * names.size(), names.size());
      const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
      tags[static_cast<std::size_t>(word)] = names[static_cast<std::size_t>(best)];
    }
  }
  return tags;
}

}  // namespace mog::app
