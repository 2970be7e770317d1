// Which head finds which relation.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "app/workflow/syntax/syntax_gold.h"
#include "app/workflow/syntax/syntax_job.h"

namespace mog::app {

// Words of each relation with their gold head, by row and half of the sentences.
class RelationCounts {
 public:
  RelationCounts(std::size_t rows, std::size_t relations)
      : relations_(relations), words_(2 * relations, 0), found_(2 * rows * relations, 0) {}
  // Once a sentence.
  void add_words(std::size_t half, const GoldSentence& gold);
  void add(std::size_t row, std::size_t half, const GoldSentence& gold, std::span<const std::int32_t> heads);
  // Of the same size.
  RelationCounts& operator+=(const RelationCounts& other);

  std::int64_t words(std::size_t relation, std::size_t half) const {
    return words_[half * relations_ + relation];
  }
  std::int64_t found(std::size_t row, std::size_t relation, std::size_t half) const {
    return found_[(row * 2 + half) * relations_ + relation];
  }

 private:
  std::size_t relations_ = 0;
  std::vector<std::int64_t> words_;
  std::vector<std::int64_t> found_;
};

// Of every word which rows found its gold head, a bit each; each sentence is one thread's.
class RelationHits {
 public:
  RelationHits(std::size_t rows, std::size_t sentences) : words_((rows + 63) / 64), sentences_(sentences) {}
  void add(std::size_t row, std::size_t sentence, const GoldSentence& gold,
           std::span<const std::int32_t> heads);
  // Once a sentence, after its rows: the relations of its words; those that do not count have none.
  void finish(std::size_t sentence, const GoldSentence& gold);

  std::size_t sentences() const noexcept { return sentences_.size(); }
  // [word]: -1 does not count.
  std::span<const std::int32_t> relations(std::size_t sentence) const {
    return sentences_[sentence].relations;
  }
  bool found(std::size_t sentence, std::size_t word, std::size_t row) const {
    return (sentences_[sentence].bits[word * words_ + row / 64] >> (row % 64) & 1U) != 0;
  }

 private:
  struct Hits {
    std::vector<std::int32_t> relations;
    std::vector<std::uint64_t> bits;  // [word, row / 64]
  };
  std::size_t words_;
  std::vector<Hits> sentences_;
};

// `heads` and `offsets` are the rows to choose from; `offset_of` a row. Most frequent relation first.
std::vector<SyntaxRelation> best_of_relations(const RelationCounts& counts, const RelationHits& hits,
                                              const analysis::BootstrapOptions& bootstrap,
                                              const TreebankSurvey& survey, std::span<const SyntaxRow> rows,
                                              std::span<const std::size_t> heads,
                                              std::span<const std::size_t> offsets,
                                              const std::function<std::int64_t(std::size_t)>& offset_of);

}  // namespace mog::app
