// A smaller vocabulary for a WordPiece tokenizer: the pieces that given texts need.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "model/tokenizer/tokenizer.h"
#include "model/tokenizer/wordpiece/wordpiece.h"

namespace mog::model {

// Counts how often each token of `file` occurs in texts. Not thread-safe.
class PieceCounter {
 public:
  explicit PieceCounter(const WordPieceFile& file);
  // Throws FormatError when `text` is not sound UTF-8.
  void add(std::string_view text);
  void add_words(std::span<const std::string> words);
  const std::vector<std::int64_t>& counts() const noexcept { return counts_; }  // [token]

 private:
  void add(const Sentence& sentence);
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::vector<std::int64_t> counts_;
};

// A tokenizer with part of another's tokens in their old order. old_ids[new id]: the row of the old
// embedding.
struct PrunedWordPiece {
  WordPieceFile file;
  std::vector<std::int64_t> old_ids;
};

// Keeps the special tokens, every single character of the vocabulary with and without the prefix, and the
// tokens that occur (counts above 0), the most frequent first (equal counts: smaller id) while there is room
// in `limit`; 0: no limit. counts: [token]. With all single characters kept, a word that could be cut before
// can still be cut. Throws UsageError when `limit` is below what is always kept.
PrunedWordPiece prune_wordpiece(const WordPieceFile& file, std::span<const std::int64_t> counts,
                                std::int64_t limit);
// The same for chosen tokens: keep[token].
PrunedWordPiece prune_wordpiece(const WordPieceFile& file, const std::vector<bool>& keep);

}  // namespace mog::model
