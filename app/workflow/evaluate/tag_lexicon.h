// The baseline that a tagger has to beat: every word's most frequent tag, and its shape when unknown.
#pragma once

#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/workflow/experiment/train_data.h"

namespace mog::app {

// Known word: the tag it had most often (ties: the tag first in the alphabet). Unknown word, single-tag
// tasks: starts with a capital: PROPN, all digits and their punctuation: NUM, else NOUN, where the task has
// these tags (else its most frequent tag); IOB tasks: O. Entity tags of a word keep B- and I- as seen.
class TagLexicon {
 public:
  TagLexicon(const std::vector<TaggedSentence>& sentences, const std::string& task);
  const std::string& tag(const std::string& word) const;
  std::vector<std::string> tag(std::span<const std::string> words) const;
  bool knows(const std::string& word) const { return best_.contains(word); }

 private:
  std::unordered_map<std::string, std::string> best_;
  std::string capital_;
  std::string number_;
  std::string other_;
};

}  // namespace mog::app
