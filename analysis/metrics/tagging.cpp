// Accuracy and F1 are both quotients of sums, so a sentence leaves three counts and a resample adds them up:
// O(resamples · sentences), the same draws for two taggers that are compared.
//
// Spans are read as conlleval reads them, one pass with one open span: what would be an error in strict IOB2
// (I- after O, I- of another label) begins a span. Scores of systems that write such tags agree with the
// literature only in this way. Two lists of spans are compared by one merge, since those of one list never
// overlap.
//
// Trap: p is twice the share of resamples on the rarer side of 0, without the one that is added elsewhere
// (paired_difference.cpp, resampling.cpp). It can be 0, and says "less than one in so many resamples" then.
#include "analysis/metrics/tagging.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

// A tag taken apart: what it does, and its label.
struct IobTag {
  char prefix = 'O';  // O, B, I, E or S
  std::string_view label;
};

IobTag parse_tag(std::string_view tag) {
  constexpr std::string_view kPrefixes = "BIES";
  if (tag == "O" || tag.empty()) {
    return {};
  }
  if (tag.size() >= 2 && tag[1] == '-' && kPrefixes.find(tag[0]) != std::string_view::npos) {
    return {tag[0], tag.substr(2)};
  }
  return {'I', tag};
}

void check_shapes(std::span<const TagSequence> gold, std::span<const TagSequence> predicted) {
  if (gold.size() != predicted.size()) {
    throw UsageError(
        fmt::format("scoring tags: {} gold sentences but {} predicted ones; expected the same sentences",
                    gold.size(), predicted.size()));
  }
  for (std::size_t i = 0; i < gold.size(); ++i) {
    if (gold[i].size() != predicted[i].size()) {
      throw UsageError(fmt::format("scoring tags: sentence {} has {} gold tags but {} predicted ones", i + 1,
                                   gold[i].size(), predicted[i].size()));
    }
  }
}

using Sums = TagCounts;

Sums sums_of(TaggingMetric metric, const TagSequence& gold, const TagSequence& predicted) {
  if (metric == TaggingMetric::accuracy) {
    std::int64_t right = 0;
    for (std::size_t i = 0; i < gold.size(); ++i) {
      right += gold[i] == predicted[i] ? 1 : 0;
    }
    return {right, static_cast<std::int64_t>(gold.size()), 0};
  }
  const SpanCounts counts = count_spans(gold, predicted);
  return {counts.correct, counts.predicted, counts.gold};
}

double score_of(TaggingMetric metric, const Sums& sums) {
  if (metric == TaggingMetric::accuracy) {
    return sums[1] == 0 ? 0.0 : static_cast<double>(sums[0]) / static_cast<double>(sums[1]);
  }
  return SpanCounts{sums[0], sums[1], sums[2]}.f1();
}

Sums add(Sums sums, const Sums& more) {
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums[i] += more[i];
  }
  return sums;
}

Sums total(std::span<const Sums> sums) {
  Sums result{};
  for (const Sums& one : sums) {
    result = add(result, one);
  }
  return result;
}

double resampled_score(TaggingMetric metric, std::span<const Sums> sums,
                       std::span<const std::int64_t> indices) {
  Sums result{};
  for (const std::int64_t index : indices) {
    result = add(result, sums[static_cast<std::size_t>(index)]);
  }
  return score_of(metric, result);
}

Score score(TaggingMetric metric, std::span<const TagSequence> gold, std::span<const TagSequence> predicted,
            const BootstrapOptions& options) {
  const std::vector<Sums> sums = tag_counts(metric, gold, predicted);
  const Sums all = total(sums);
  Score result;
  result.value = score_of(metric, all);
  result.sentences = static_cast<std::int64_t>(gold.size());
  result.items = metric == TaggingMetric::accuracy ? all[1] : all[2];
  result.interval = bootstrap_interval(
      result.sentences, [&](auto indices) { return resampled_score(metric, sums, indices); }, options);
  return result;
}

}  // namespace

std::vector<TagCounts> tag_counts(TaggingMetric metric, std::span<const TagSequence> gold,
                                  std::span<const TagSequence> predicted) {
  check_shapes(gold, predicted);
  std::vector<TagCounts> result;
  for (std::size_t i = 0; i < gold.size(); ++i) {
    result.push_back(sums_of(metric, gold[i], predicted[i]));
  }
  return result;
}

std::vector<Span> spans(std::span<const std::string> tags) {
  std::vector<Span> result;
  bool open = false;  // whether the last span of the result still goes on
  char before = 'O';
  for (std::size_t i = 0; i < tags.size(); ++i) {
    const IobTag tag = parse_tag(tags[i]);
    const bool goes_on = open && tag.prefix != 'O' && tag.prefix != 'B' && tag.prefix != 'S' &&
                         before != 'E' && before != 'S' && result.back().label == tag.label;
    if (goes_on) {
      result.back().end = static_cast<std::int64_t>(i + 1);
    } else {
      open = tag.prefix != 'O';
      if (open) {
        result.push_back(
            {static_cast<std::int64_t>(i), static_cast<std::int64_t>(i + 1), std::string(tag.label)});
      }
    }
    before = tag.prefix;
  }
  return result;
}

double SpanCounts::precision() const noexcept {
  return predicted == 0 ? 0.0 : static_cast<double>(correct) / static_cast<double>(predicted);
}
double SpanCounts::recall() const noexcept {
  return gold == 0 ? 0.0 : static_cast<double>(correct) / static_cast<double>(gold);
}
double SpanCounts::f1() const noexcept {
  return predicted + gold == 0 ? 0.0
                               : 2 * static_cast<double>(correct) / static_cast<double>(predicted + gold);
}
SpanCounts& SpanCounts::operator+=(const SpanCounts& other) noexcept {
  correct += other.correct;
  predicted += other.predicted;
  gold += other.gold;
  return *this;
}

SpanCounts count_spans(std::span<const std::string> gold, std::span<const std::string> predicted) {
  if (gold.size() != predicted.size()) {
    throw UsageError(
        fmt::format("comparing spans: {} gold tags but {} predicted ones", gold.size(), predicted.size()));
  }
  const std::vector<Span> right = spans(gold);
  const std::vector<Span> guessed = spans(predicted);
  SpanCounts result{0, static_cast<std::int64_t>(guessed.size()), static_cast<std::int64_t>(right.size())};
  // Both lists ascend by their begin, and no two spans of a list overlap.
  std::size_t at = 0;
  for (const Span& span : guessed) {
    while (at < right.size() && right[at].begin < span.begin) {
      ++at;
    }
    result.correct += at < right.size() && right[at] == span ? 1 : 0;
  }
  return result;
}

Score accuracy(std::span<const TagSequence> gold, std::span<const TagSequence> predicted,
               const BootstrapOptions& options) {
  return score(TaggingMetric::accuracy, gold, predicted, options);
}

Score span_f1(std::span<const TagSequence> gold, std::span<const TagSequence> predicted,
              const BootstrapOptions& options) {
  return score(TaggingMetric::span_f1, gold, predicted, options);
}

Comparison compare(TaggingMetric metric, std::span<const TagSequence> gold,
                   std::span<const TagSequence> first, std::span<const TagSequence> second,
                   const BootstrapOptions& options) {
  return compare(metric, tag_counts(metric, gold, first), tag_counts(metric, gold, second), options);
}

Comparison compare(TaggingMetric metric, std::span<const TagCounts> of_first,
                   std::span<const TagCounts> of_second, const BootstrapOptions& options) {
  if (of_first.size() != of_second.size()) {
    throw UsageError(fmt::format("comparing taggers: counts of {} sentences and of {}", of_first.size(),
                                 of_second.size()));
  }
  Comparison result;
  result.first = score_of(metric, total(of_first));
  result.second = score_of(metric, total(of_second));
  result.difference = result.second - result.first;
  result.sentences = static_cast<std::int64_t>(of_first.size());
  std::int64_t at_most_zero = 0;
  std::int64_t at_least_zero = 0;
  result.interval = bootstrap_interval(
      result.sentences,
      [&](auto indices) {
        const double difference =
            resampled_score(metric, of_second, indices) - resampled_score(metric, of_first, indices);
        at_most_zero += difference <= 0 ? 1 : 0;
        at_least_zero += difference >= 0 ? 1 : 0;
        return difference;
      },
      options);
  if (options.resamples > 0 && result.sentences > 1) {  // one sentence cannot be resampled
    const double smaller = static_cast<double>(std::min(at_most_zero, at_least_zero));
    result.p_value = std::min(1.0, 2 * smaller / static_cast<double>(options.resamples));
  }
  return result;
}

}  // namespace mog::analysis
