// Scores of parsers as the CoNLL 2018 shared task counts them (Zeman et al. 2018; conll18_ud_eval.py 1.2):
// words are those of the text, so that parses of other words and sentences than the reference's have a score
// too.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/metrics/parsed_text.h"
#include "analysis/metrics/summed_metric.h"

namespace mog::analysis {

enum class ParseMeasure : std::uint8_t {
  tokens,     // spans of tokens
  sentences,  // spans of sentences
  words,      // aligned words
  upos,
  xpos,
  ufeats,    // universal features
  all_tags,  // the three
  lemmas,    // where the reference has one
  uas,       // heads
  las,       // heads and relations, without subtypes
  clas,      // the same of words with a content relation
  mlas,      // and their tags, features and function words
  blex,      // heads, relations and lemmas of such words
};
inline constexpr std::size_t kParseMeasures = 13;
std::string_view name(ParseMeasure measure) noexcept;  // "LAS", as the script prints it
// By that name in any case; nothing where there is none.
std::optional<ParseMeasure> find_parse_measure(std::string_view name);
std::vector<std::string> parse_measure_names();  // "las", in the order of the measures
// Of words, not of spans: what groups of words can be scored by.
inline bool is_of_words(ParseMeasure measure) noexcept {
  return measure != ParseMeasure::tokens && measure != ParseMeasure::sentences;
}

// Counts of a segment, of a group of words, or sums of them. Where words are grouped by what the file itself
// says of them, a right word may be in different groups of the two files: hence `found` and `right`.
struct ParseCounts {
  double reference = 0;   // words (spans) of the reference
  double found = 0;       // of them those that the hypothesis has right
  double hypothesis = 0;  // words (spans) of the hypothesis
  double right = 0;       // of them those that are right
  double aligned = 0;     // of the reference's words those that the hypothesis has

  // Shares in [0, 1]; of nothing 0, as the script has it.
  double precision() const noexcept;
  double recall() const noexcept;
  double f1() const noexcept;
  double aligned_accuracy() const noexcept;  // right among aligned words

  static ParseCounts of(std::span<const double> row);  // in the order of the members
  std::vector<double> row() const { return {reference, found, hypothesis, right, aligned}; }
};
inline constexpr std::size_t kParseCounts = 5;

enum class ParseValue : std::uint8_t { f1, recall };

// A measure as a function of sums of ParseCounts rows, in per cent.
class ParseMetric final : public SummedMetric {
 public:
  ParseMetric(ParseMeasure measure, bool punctuation, ParseValue value = ParseValue::f1)
      : measure_(measure), punctuation_(punctuation), value_(value) {}
  std::string name() const override { return std::string(analysis::name(measure_)); }
  std::string signature() const override;
  double score(std::span<const double> sums) const override;
  std::string details(std::span<const double> sums) const override;  // where precision and recall differ

 private:
  ParseMeasure measure_;
  bool punctuation_;
  ParseValue value_;
};

// A parse beside the reference. Both texts must live as long.
class ParseComparison {
 public:
  // Without `punctuation` words that the reference tags PUNCT do not count, nor do words of the hypothesis
  // that are none of the reference's and that it tags so itself. Throws as aligned_words.
  ParseComparison(const ParsedText& reference, const ParsedText& hypothesis, bool punctuation = true);

  // ParseCounts rows of the stretches that end at `ends` (common_ends); a word or span belongs to the stretch
  // that it begins in, a right one to its reference's. Their sums are the script's counts. O(words), of mlas
  // times the greatest number of function words of a word.
  SegmentStatistics statistics(ParseMeasure measure, std::span<const std::int64_t> ends) const;

  // The same by groups: [group] the statistics of words in it, where reference_group and hypothesis_group
  // [word] say which of `groups` a word is in, -1 none. Throws UsageError for a measure of spans.
  std::vector<SegmentStatistics> statistics(ParseMeasure measure, std::span<const std::int64_t> ends,
                                            std::span<const std::int32_t> reference_group,
                                            std::span<const std::int32_t> hypothesis_group,
                                            std::int32_t groups) const;

 private:
  bool counts(ParseMeasure measure, const TextWord& word) const;
  bool right(ParseMeasure measure, std::size_t reference, std::size_t hypothesis) const;
  bool same_head(std::size_t reference, std::size_t hypothesis) const;
  bool same_function_words(std::size_t reference, std::size_t hypothesis) const;
  SegmentStatistics span_statistics(ParseMeasure measure, std::span<const std::int64_t> ends) const;

  const ParsedText& reference_;
  const ParsedText& hypothesis_;
  std::vector<std::int64_t> aligned_;                            // [word of the hypothesis], -1: none
  std::vector<char> reference_counts_;                           // [word]: no punctuation, or it counts
  std::vector<char> hypothesis_counts_;                          // [word]
  std::vector<std::vector<std::int64_t>> reference_functions_;   // [word]: its function words, by place
  std::vector<std::vector<std::int64_t>> hypothesis_functions_;  // [word]
};

// By how much of the errors of `before` the score `after` has fewer, in per cent of them; both scores are in
// per cent. Negative where there are more. Throws UsageError when `before` has no errors or a score is
// outside [0, 100].
double relative_error_reduction(double before, double after);

}  // namespace mog::analysis
