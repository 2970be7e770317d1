// How often a word with one tag hangs on a word with another one, on which side, by which relation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/ensembles/head_ensembles.h"

namespace mog::analysis {

class RelationTable {
 public:
  RelationTable() = default;
  // Throws UsageError for negative numbers.
  RelationTable(std::int32_t tags, std::int32_t relations);

  std::int32_t tags() const noexcept { return tags_; }
  std::int32_t relations() const noexcept { return relations_; }

  // Counts a sentence, or takes one away that was counted. Its tags are known ones. Throws ShapeError.
  void add(const AnnotatedTree& tree) { count(tree, 1); }
  void remove(const AnnotatedTree& tree) { count(tree, -1); }

  // log P(the pair is an edge of the relation | both tags, side), for every relation; -1 is a tag that was
  // not learnt. out: [relation].
  void log_probabilities(std::int32_t head_tag, std::int32_t dependent_tag, bool head_before,
                         std::span<float> out) const;
  // log P(the word is the root | its tag).
  double log_root(std::int32_t tag) const;

  // Pairs of words and their edges, as they are kept in a file: [dependent tag, head tag, head before,
  // relation], the last entry of the relations are all pairs; [tag, all or root] of words.
  std::span<const std::int64_t> pairs() const noexcept { return pairs_; }
  std::span<const std::int64_t> words() const noexcept { return words_; }
  // The same again. Throws UsageError when sizes do not fit or a count is more than its whole.
  static RelationTable of(std::int32_t tags, std::int32_t relations, std::vector<std::int64_t> pairs,
                          std::vector<std::int64_t> words);

  friend bool operator==(const RelationTable&, const RelationTable&) = default;

 private:
  void count(const AnnotatedTree& tree, std::int64_t times);
  void add_pair(std::int32_t dependent_tag, std::int32_t head_tag, bool head_before, std::int32_t entry,
                std::int64_t times);
  std::size_t row(std::int32_t dependent_tag, std::int32_t head_tag, bool head_before) const;

  std::int32_t tags_ = 0;
  std::int32_t relations_ = 0;
  std::vector<std::int64_t> pairs_;
  std::vector<std::int64_t> words_;
  // Sums of pairs_: over head tags [dependent tag, head before, relation], and over all [relation].
  std::vector<std::int64_t> of_dependent_;
  std::vector<std::int64_t> of_all_;
};

}  // namespace mog::analysis
