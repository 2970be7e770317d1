// The treebank that a run reads, beside the run: the words and parts of speech of a sentence when its numbers
// are counted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "io/recording/sentence.h"
#include "io/text/conllu.h"

namespace mog::app {

// A run gives its sentences window by window (batch_queue.h), so no more than a window's are kept, whatever
// the size of the treebank. Not for several threads at once.
class PassingTreebank {
 public:
  // `range`: the part that is run; nothing: all of it.
  // skip: sentences that cannot be the treebank's are left out and noted, otherwise they are errors.
  explicit PassingTreebank(const std::filesystem::path& path, bool skip,
                           const std::optional<io::TextRange>& range = {});

  // Sentence `sentence.number`, of the window at hand or of a later one; its words become those of `sentence`
  // (align(), syntax_gold.h). It stays until the next call; null: left out. Throws FormatError naming
  // sentence, line and word.
  const io::TreebankSentence* align(Sentence& sentence);

  std::int64_t skipped() const noexcept { return skipped_; }
  const std::string& first_skipped() const noexcept { return first_skipped_; }  // why

 private:
  std::filesystem::path path_;
  bool skip_;
  io::ConlluReader reader_;
  std::map<std::int64_t, io::TreebankSentence> kept_;  // by number
  std::int64_t read_ = 0;                              // number of the last that was read
  std::int64_t skipped_ = 0;
  std::string first_skipped_;
};

}  // namespace mog::app
