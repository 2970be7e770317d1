// Which group each word of a sentence belongs to in tables by words: bins of length or position, or parts of
// speech.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/statistics/word_statistics.h"
#include "app/workflow/statistics/statistics_job.h"
#include "io/recording/sentence.h"
#include "io/text/conllu.h"

namespace mog::app {

// Groups are numbered as they are met. `options` must outlive it. Not for several threads at once.
class WordGrouping {
 public:
  // Throws UsageError for parts of speech without a treebank.
  WordGrouping(const StatisticsOptions& options, bool with_treebank);
  const std::vector<analysis::WordGroup>& groups() const { return groups_; }

  // [word]: the group, -1 for none. `gold` may be null unless parts of speech are asked for.
  std::vector<std::int64_t> of_words(const Sentence& sentence, const io::TreebankSentence* gold);
  // The group of a whole sentence of so many words.
  std::int64_t of_sentence(std::int64_t words) { return bin(words); }

 private:
  std::int64_t bin(std::int64_t value);
  std::int64_t place(const analysis::WordGroup& group);

  const StatisticsOptions& options_;
  std::map<analysis::WordGroup, std::int64_t> places_;
  std::vector<analysis::WordGroup> groups_;
};

}  // namespace mog::app
