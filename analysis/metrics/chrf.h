// chrF (Popović 2015) and chrF++ (Popović 2017) as sacreBLEU computes them: F score of character n-grams, and
// for chrF++ of word n-grams too, averaged over their orders.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mog::analysis {

struct ChrfOptions {
  int char_order = 6;
  int word_order = 0;       // 2: chrF++
  int beta = 2;             // recall counts beta² times as much as precision
  bool whitespace = false;  // keep white space as characters
  bool eps_smoothing =
      false;  // mean of the F scores of all orders instead of F of the mean over those that occur
};

// Sums over segments of one order of n-grams.
struct ChrfCounts {
  std::int64_t hypothesis = 0;  // 0 as well where the reference has none
  std::int64_t reference = 0;
  std::int64_t match = 0;
  friend bool operator==(const ChrfCounts&, const ChrfCounts&) = default;
};

// [order] character orders first. Of several references the one with the best score, of two the first.
// Throws UsageError without a reference.
std::vector<ChrfCounts> count_chrf(std::string_view hypothesis, std::span<const std::string> references,
                                   const ChrfOptions& options = {});
// 0 … 100.
double chrf_of(std::span<const ChrfCounts> counts, const ChrfOptions& options = {});

// references[r][i] translates what hypotheses[i] translates; throws UsageError when the numbers of lines
// differ.
double corpus_chrf(std::span<const std::string> hypotheses,
                   std::span<const std::vector<std::string>> references, const ChrfOptions& options = {});

// "chrF2", "chrF2++"
std::string name(const ChrfOptions& options);
// "case:mixed|eff:yes|nc:6|nw:0|space:no"
std::string signature(const ChrfOptions& options, bool lowercase = false);

}  // namespace mog::analysis
