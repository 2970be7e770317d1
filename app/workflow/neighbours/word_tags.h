// Parts of speech and relations of recorded words: gold ones of a treebank, or the tags that a head gives.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/workflow/syntax/treebank_words.h"
#include "io/recording/sentence_recording.h"

namespace mog::app {

struct TagsOfSentence {
  std::vector<std::string> upos;  // [word]; both empty: not known
  std::vector<std::string> relations;
};

// Safe from several threads.
class WordTags {
 public:
  // treebank: may be empty; then the scores of the recording's tagging head of parts of speech, if any. skip:
  // sentences that are not the treebank's are left out. Throws as TreebankWords.
  WordTags(const RecordingHeader& header, const std::filesystem::path& treebank, bool skip,
           const std::stop_token& stop);

  // Where they are from, for people; empty: there are none.
  const std::string& origin() const noexcept { return origin_; }
  // With a treebank the words of `sentence` become its words. Nothing: the sentence is left out. Throws
  // FormatError.
  std::optional<TagsOfSentence> tags(const RecordingSource& source, std::int64_t index,
                                     Sentence& sentence) const;
  std::int64_t skipped() const;
  std::string first_skipped() const;

 private:
  std::unique_ptr<TreebankWords> treebank_;
  bool skip_;
  QuantityName scores_;
  std::vector<std::string> names_;  // of the tags; empty: no head
  std::string origin_;
  mutable std::mutex mutex_;                             // of the next
  mutable std::map<std::int64_t, std::string> skipped_;  // number of a sentence -> why
};

}  // namespace mog::app
