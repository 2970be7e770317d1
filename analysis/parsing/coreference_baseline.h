// Chains without a model, of mentions that are given: what a coreference model must be better than.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/metrics/coreference.h"

namespace mog::analysis {

enum class CoreferenceBaseline : std::uint8_t {
  same_head,  // mentions of the same head word are one chain
  nearest,    // a pronoun of the third person goes with the nearest mention before it that is no pronoun and
              // has ended; other mentions as by same_head
};
// "same-head", "nearest"; throws UsageError.
CoreferenceBaseline parse_coreference_baseline(std::string_view text);
std::vector<std::string> coreference_baseline_names();

// `words`: a document's tokens, lower-cased. The head of an English mention: its last word before the first
// preposition, relative word, comma or conjunction, but for its first word; else its last.
std::int64_t head_token(const Mention& mention, std::span<const std::string> words);

// Every mention is in one chain, singletons too; repeats do not count. By their first mentions, the mentions
// by begin and end. O(mentions²). Throws UsageError for a mention that is not inside the document.
std::vector<Chain> baseline_chains(CoreferenceBaseline baseline, std::span<const Mention> mentions,
                                   std::span<const std::string> words);

}  // namespace mog::analysis
