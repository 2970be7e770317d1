// ROUGE (Lin 2004) as Google's rouge-score 0.1.2 computes it: how many words, pairs of words or words in the
// same order a summary shares with a reference.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mog::analysis {

enum class RougeMeasure : std::uint8_t {
  rouge_1,  // words, with their repeats
  rouge_2,  // pairs of neighbouring words
  rouge_l,  // the longest common subsequence of words
};

struct RougeOptions {
  RougeMeasure measure = RougeMeasure::rouge_1;
  bool stem = false;  // porter_stem() of words of more than three characters
};

// 0 … 1 each; 0 where there is nothing to divide by.
struct RougeScore {
  double precision = 0;  // share of the summary that the reference has
  double recall = 0;     // share of the reference that the summary has
  double f1 = 0;         // harmonic mean
};

// Lower-cased runs of a to z and 0 to 9; every other character is a gap, letters of other scripts too.
std::vector<std::string> rouge_words(std::string_view utf8, bool stem);

// O(words of one + words of the other), rouge_l: O(product). Of several references the one with the greatest
// F1, of two the first. Throws UsageError without a reference.
RougeScore rouge_of(std::string_view summary, std::span<const std::string> references,
                    const RougeOptions& options = {});

// "ROUGE-1", "ROUGE-2", "ROUGE-L"
std::string_view name(RougeMeasure measure) noexcept;
// "type:rouge1|case:lc|tok:rouge-score|stem:no|score:f1", in the form of sacreBLEU's signatures.
std::string signature(const RougeOptions& options);

}  // namespace mog::analysis
