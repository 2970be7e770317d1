#include "app/workflow/statistics/passing_treebank.h"

#include <fmt/format.h>

#include <utility>

#include "app/workflow/record/batch_queue.h"
#include "app/workflow/syntax/treebank_words.h"
#include "io/recording/errors.h"

namespace mog::app {

PassingTreebank::PassingTreebank(const std::filesystem::path& path, bool skip,
                                 const std::optional<io::TextRange>& range)
    : path_(path), skip_(skip), reader_(path, io::TreebankHeads::checked, range) {}

const io::TreebankSentence* PassingTreebank::align(Sentence& sentence) {
  const std::int64_t first =
      (sentence.number - 1) / kBatchWindow * kBatchWindow + 1;  // that may still be asked for
  kept_.erase(kept_.begin(), kept_.lower_bound(first));
  while (read_ < sentence.number) {
    io::TreebankSentence gold;
    if (!reader_.next(gold)) {
      throw FormatError(fmt::format("the treebank {} ends before sentence {}: it was changed meanwhile",
                                    path_.string(), sentence.number));
    }
    read_ = gold.number;
    if (read_ >= first) {  // a run that goes on passes those that were counted
      kept_.emplace(read_, std::move(gold));
    }
  }
  const auto found = kept_.find(sentence.number);
  if (found == kept_.end()) {
    throw FormatError(fmt::format("the treebank {} has no sentence {}", path_.string(), sentence.number));
  }
  std::string why = align_words(sentence, found->second, path_);
  if (why.empty()) {
    return &found->second;
  }
  if (!skip_) {
    throw FormatError(why + "; --mismatch skip leaves such sentences out");
  }
  if (skipped_++ == 0) {
    first_skipped_ = std::move(why);
  }
  return nullptr;
}

}  // namespace mog::app
