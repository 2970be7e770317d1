// Word alignments against gold ones: precision, recall, F1 and alignment error rate (Och & Ney 2003, A
// Systematic Comparison of Various Statistical Alignment Models, §5), with bootstrap intervals over pairs.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/random/bootstrap.h"

namespace mog::analysis {

// Words of a sentence pair, from 0.
struct WordLink {
  std::int64_t source = 0;
  std::int64_t target = 0;
  friend auto operator<=>(const WordLink&, const WordLink&) = default;
};

struct GoldLink {
  WordLink link;
  bool possible = false;  // else sure
};

// Sums that the scores are made of, A the links found, S the sure and P the sure and possible ones; adding
// them over pairs gives the corpus score. A link given twice counts once, as sure where one of them is.
struct AlignmentCounts {
  std::int64_t found = 0;              // |A|
  std::int64_t sure = 0;               // |S|
  std::int64_t possible = 0;           // |P|, the sure ones among them
  std::int64_t found_sure = 0;         // |A ∩ S|
  std::int64_t found_possible = 0;     // |A ∩ P|
  double precision() const noexcept;   // |A ∩ P| / |A|; 0 when nothing was found
  double recall() const noexcept;      // |A ∩ S| / |S|; 0 when there is nothing to find
  double f1() const noexcept;          // harmonic mean of the two; 0 when both are 0
  double error_rate() const noexcept;  // 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|); 0 when both are empty
  AlignmentCounts& operator+=(const AlignmentCounts& other) noexcept;
  friend bool operator==(const AlignmentCounts&, const AlignmentCounts&) = default;
};
AlignmentCounts count_links(std::span<const GoldLink> gold, std::span<const WordLink> found);

struct AlignmentScore {
  AlignmentCounts counts;
  std::int64_t pairs = 0;
  Interval error_rate;
  Interval precision;
  Interval recall;
  Interval f1;
};
// counts: one a sentence pair.
AlignmentScore alignment_score(std::span<const AlignmentCounts> counts, const BootstrapOptions& options = {});

}  // namespace mog::analysis
