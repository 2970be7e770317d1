// Scores of taggers: accuracy and span F1, with bootstrap intervals over sentences, and the paired bootstrap
// that compares two taggers on the same sentences.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/random/bootstrap.h"

namespace mog::analysis {

using TagSequence = std::vector<std::string>;  // one tag a word

// A labelled run of words [begin, end), from 0.
struct Span {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::string label;
  friend auto operator<=>(const Span&, const Span&) = default;
};

// Spans of IOB tags as the conlleval script of CoNLL-2000 reads them: B- starts a span, I- continues one of
// the same label and *starts* one after O or after another label; E- and S- tags (IOBES) end and make spans.
// A tag without "-" other than O is a label of its own that behaves like I-.
std::vector<Span> spans(std::span<const std::string> tags);

// Sums that the scores are made of; adding them over sentences gives the corpus score.
struct SpanCounts {
  std::int64_t correct = 0;  // same begin, end and label
  std::int64_t predicted = 0;
  std::int64_t gold = 0;
  double precision() const noexcept;  // 0 when nothing was predicted
  double recall() const noexcept;     // 0 when there is nothing to find
  double f1() const noexcept;         // harmonic mean; 0 when both are 0
  SpanCounts& operator+=(const SpanCounts& other) noexcept;
  friend bool operator==(const SpanCounts&, const SpanCounts&) = default;
};
// Throws UsageError when the two have different lengths.
SpanCounts count_spans(std::span<const std::string> gold, std::span<const std::string> predicted);

struct Score {
  double value = 0;  // in [0, 1]
  Interval interval;
  std::int64_t sentences = 0;
  std::int64_t items = 0;  // words or gold spans
};
// Words with the right tag over all words. Throws UsageError when gold and predicted differ in shape.
Score accuracy(std::span<const TagSequence> gold, std::span<const TagSequence> predicted,
               const BootstrapOptions& options = {});
// Micro-averaged span F1 over the corpus.
Score span_f1(std::span<const TagSequence> gold, std::span<const TagSequence> predicted,
              const BootstrapOptions& options = {});

enum class TaggingMetric : std::uint8_t { accuracy, span_f1 };

// What one sentence adds to a score: right words, words and nothing, or the three of SpanCounts.
using TagCounts = std::array<std::int64_t, 3>;
// [sentence]. Throws UsageError when gold and predicted differ in shape.
std::vector<TagCounts> tag_counts(TaggingMetric metric, std::span<const TagSequence> gold,
                                  std::span<const TagSequence> predicted);

struct Comparison {
  double first = 0;
  double second = 0;
  double difference = 0;  // second - first
  Interval interval;      // of the difference, over resampled sentences
  double p_value = 1;  // two-sided: twice the smaller share of resamples on either side of 0; 1 without any
  std::int64_t sentences = 0;
};
// Both taggers are scored on the same resampled sentences; as many of each.
Comparison compare(TaggingMetric metric, std::span<const TagCounts> first, std::span<const TagCounts> second,
                   const BootstrapOptions& options = {});
Comparison compare(TaggingMetric metric, std::span<const TagSequence> gold,
                   std::span<const TagSequence> first, std::span<const TagSequence> second,
                   const BootstrapOptions& options = {});

}  // namespace mog::analysis
