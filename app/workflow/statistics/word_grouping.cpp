#include "app/workflow/statistics/word_grouping.h"

#include "io/recording/errors.h"

namespace mog::app {

using analysis::WordGroup;

WordGrouping::WordGrouping(const StatisticsOptions& options, bool with_treebank) : options_(options) {
  if (options.by_upos && !with_treebank) {
    throw UsageError("--by upos: the parts of speech come from a treebank; give --treebank FILE.conllu");
  }
}

std::vector<std::int64_t> WordGrouping::of_words(const Sentence& sentence, const io::TreebankSentence* gold) {
  const auto words = static_cast<std::int64_t>(sentence.words.size());
  std::vector<std::int64_t> result;
  for (std::int64_t word = 0; word < words; ++word) {
    if (!options_.words.holds(word + 1)) {
      result.push_back(-1);
    } else if (options_.by_upos) {
      result.push_back(place({.label = gold->words[static_cast<std::size_t>(word)].upos}));
    } else {
      result.push_back(bin(options_.by_position ? word + 1 : words));
    }
  }
  return result;
}

std::int64_t WordGrouping::bin(std::int64_t value) {
  const bool binned = options_.by_length || options_.by_position;
  const analysis::LengthBins bins = binned ? options_.bins : analysis::LengthBins({0});
  const std::int64_t index = bins.bin(value);
  return index < 0 ? -1
                   : place({.low = bins.low(index), .high = bins.high(index), .label = bins.label(index)});
}

std::int64_t WordGrouping::place(const WordGroup& group) {
  const auto [found, added] = places_.emplace(group, static_cast<std::int64_t>(groups_.size()));
  if (added) {
    groups_.push_back(group);
  }
  return found->second;
}

}  // namespace mog::app
