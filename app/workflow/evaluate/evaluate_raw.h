// Scores of tags on words that the model's own cut makes of raw text, which need not be the gold words: both
// annotations are laid over the characters of the text, as in the shared task of CoNLL 2018.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "app/workflow/evaluate/tag_job.h"
#include "app/workflow/experiment/train_data.h"
#include "io/recording/sentence.h"

namespace mog::app {

// The texts of the treebanks' sentences ("# text = …"), one after another. Throws UsageError naming the
// sentence that has none.
std::vector<std::string> texts_of(const std::vector<std::filesystem::path>& treebanks,
                                  const std::filesystem::path& data_root);

struct RawTags {
  std::vector<TaggedSentence> gold;     // words as given; tags: IOB over the characters of the text
  std::vector<SentenceTags> predicted;  // the same of the words that were found
  std::map<std::string, std::vector<std::string>> tasks;  // those of the model, and the cut itself
  std::int64_t left_out = 0;  // sentences whose gold words do not spell their text
};
// A word with a single tag is a span of its characters with that label: its span F1 is the F1 of aligned
// words with the right tag. White space does not count.
RawTags over_characters(const std::vector<TaggedSentence>& gold, const std::vector<Sentence>& sentences,
                        const std::vector<SentenceTags>& predicted,
                        const std::map<std::string, std::vector<std::string>>& tasks);

}  // namespace mog::app
