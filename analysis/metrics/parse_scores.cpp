#include "analysis/metrics/parse_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <tuple>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr std::array<std::string_view, kParseMeasures> kNames = {
    "Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags",
    "Lemmas", "UAS",       "LAS",   "CLAS", "MLAS", "BLEX"};

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

// Universal Dependencies' relations of content words and of function words.
bool is_content(std::string_view relation) {
  constexpr std::array<std::string_view, 29> kContent = {
      "acl",       "advcl", "advmod",     "amod",     "appos",  "ccomp",      "compound", "conj",
      "csubj",     "dep",   "discourse",  "expl",     "fixed",  "dislocated", "flat",     "goeswith",
      "iobj",      "list",  "nmod",       "nsubj",    "nummod", "obj",        "obl",      "orphan",
      "parataxis", "root",  "reparandum", "vocative", "xcomp"};
  return std::ranges::find(kContent, relation) != kContent.end();
}
bool is_function(std::string_view relation) {
  constexpr std::array<std::string_view, 7> kFunction = {"aux", "case", "cc", "clf", "cop", "det", "mark"};
  return std::ranges::find(kFunction, relation) != kFunction.end();
}

bool is_of_content(ParseMeasure measure) {
  return measure == ParseMeasure::clas || measure == ParseMeasure::mlas || measure == ParseMeasure::blex;
}

auto tags(const TextWord& word) {
  return std::tie(word.word.upos, word.word.xpos, word.word.feats);
}

bool same_lemma(const TextWord& reference, const TextWord& hypothesis) {
  return reference.word.lemma == "_" || reference.word.lemma == hypothesis.word.lemma;
}

std::vector<std::vector<std::int64_t>> function_words(const ParsedText& text) {
  std::vector<std::vector<std::int64_t>> of_head(text.words().size());
  for (std::size_t word = 0; word < of_head.size(); ++word) {
    const TextWord& one = text.words()[word];
    if (one.parent >= 0 && is_function(one.word.relation)) {
      of_head[at(one.parent)].push_back(static_cast<std::int64_t>(word));
    }
  }
  return of_head;
}

// The stretch that a character is in.
std::size_t stretch_of(std::span<const std::int64_t> ends, std::int64_t character) {
  const auto found = std::ranges::upper_bound(ends, character);
  return static_cast<std::size_t>(std::min(found - ends.begin(), std::ssize(ends) - 1));
}

// Rows of counts by stretch while they are counted.
struct Rows {
  explicit Rows(std::size_t stretches) : counts(stretches) {}
  SegmentStatistics statistics() const {
    SegmentStatistics result;
    result.sums.assign(kParseCounts, 0.0);
    for (const ParseCounts& one : counts) {
      result.add(one.row());
    }
    return result;
  }
  std::vector<ParseCounts> counts;
};

}  // namespace

std::string_view name(ParseMeasure measure) noexcept {
  return kNames[static_cast<std::size_t>(measure)];
}

std::optional<ParseMeasure> find_parse_measure(std::string_view name) {
  for (std::size_t measure = 0; measure < kParseMeasures; ++measure) {
    if (std::ranges::equal(kNames[measure], name, {}, lower, lower)) {
      return static_cast<ParseMeasure>(measure);
    }
  }
  return std::nullopt;
}

std::vector<std::string> parse_measure_names() {
  std::vector<std::string> names(kNames.begin(), kNames.end());
  for (std::string& name : names) {
    std::ranges::transform(name, name.begin(), lower);
  }
  return names;
}

double ParseCounts::precision() const noexcept {
  return hypothesis > 0 ? right / hypothesis : 0;
}

double ParseCounts::recall() const noexcept {
  return reference > 0 ? found / reference : 0;
}

// 2PR / (P + R), whole numbers up to the one division: with found = right exactly the script's quotient.
double ParseCounts::f1() const noexcept {
  const double below = found * hypothesis + right * reference;
  return below > 0 ? 2 * found * right / below : 0;
}

double ParseCounts::aligned_accuracy() const noexcept {
  return aligned > 0 ? found / aligned : 0;
}

ParseCounts ParseCounts::of(std::span<const double> row) {
  return {row[0], row[1], row[2], row[3], row[4]};
}

std::string ParseMetric::signature() const {
  return fmt::format("conll18|punct:{}{}", punctuation_ ? "yes" : "no",
                     value_ == ParseValue::recall ? "|value:recall" : "");
}

double ParseMetric::score(std::span<const double> sums) const {
  const ParseCounts counts = ParseCounts::of(sums);
  return 100 * (value_ == ParseValue::f1 ? counts.f1() : counts.recall());
}

std::string ParseMetric::details(std::span<const double> sums) const {
  const ParseCounts counts = ParseCounts::of(sums);
  return counts.reference == counts.hypothesis && counts.found == counts.right
             ? std::string()
             : fmt::format("P = {:.2f} R = {:.2f}", 100 * counts.precision(), 100 * counts.recall());
}

ParseComparison::ParseComparison(const ParsedText& reference, const ParsedText& hypothesis, bool punctuation)
    : reference_(reference),
      hypothesis_(hypothesis),
      aligned_(aligned_words(reference, hypothesis)),
      reference_functions_(function_words(reference)),
      hypothesis_functions_(function_words(hypothesis)) {
  const auto counted = [&](const TextWord& word) {
    return static_cast<char>(punctuation || word.word.upos != "PUNCT");
  };
  for (const TextWord& word : reference.words()) {
    reference_counts_.push_back(counted(word));
  }
  for (std::size_t word = 0; word < aligned_.size(); ++word) {
    const bool same = aligned_[word] >= 0;
    hypothesis_counts_.push_back(same ? reference_counts_[at(aligned_[word])]
                                      : counted(hypothesis.words()[word]));
  }
}

bool ParseComparison::counts(ParseMeasure measure, const TextWord& word) const {
  return !is_of_content(measure) || is_content(word.word.relation);
}

bool ParseComparison::same_head(std::size_t reference, std::size_t hypothesis) const {
  const std::int64_t gold = reference_.words()[reference].parent;
  const std::int64_t found = hypothesis_.words()[hypothesis].parent;
  return found < 0 ? gold < 0 : gold >= 0 && aligned_[at(found)] == gold;
}

bool ParseComparison::same_function_words(std::size_t reference, std::size_t hypothesis) const {
  return std::ranges::equal(reference_functions_[reference], hypothesis_functions_[hypothesis],
                            [&](std::int64_t one, std::int64_t other) {
                              const TextWord& gold = reference_.words()[at(one)];
                              const TextWord& found = hypothesis_.words()[at(other)];
                              return aligned_[at(other)] == one &&
                                     gold.word.relation == found.word.relation &&
                                     gold.word.upos == found.word.upos && gold.word.feats == found.word.feats;
                            });
}

bool ParseComparison::right(ParseMeasure measure, std::size_t reference, std::size_t hypothesis) const {
  const TextWord& gold = reference_.words()[reference];
  const TextWord& found = hypothesis_.words()[hypothesis];
  const auto attached = [&] {
    return gold.word.relation == found.word.relation && same_head(reference, hypothesis);
  };
  switch (measure) {
    case ParseMeasure::upos:
      return gold.word.upos == found.word.upos;
    case ParseMeasure::xpos:
      return gold.word.xpos == found.word.xpos;
    case ParseMeasure::ufeats:
      return gold.word.feats == found.word.feats;
    case ParseMeasure::all_tags:
      return tags(gold) == tags(found);
    case ParseMeasure::lemmas:
      return same_lemma(gold, found);
    case ParseMeasure::uas:
      return same_head(reference, hypothesis);
    case ParseMeasure::las:
    case ParseMeasure::clas:
      return attached();
    case ParseMeasure::mlas:
      return attached() && gold.word.upos == found.word.upos && gold.word.feats == found.word.feats &&
             same_function_words(reference, hypothesis);
    case ParseMeasure::blex:
      return attached() && same_lemma(gold, found);
    default:
      return true;
  }
}

SegmentStatistics ParseComparison::span_statistics(ParseMeasure measure,
                                                   std::span<const std::int64_t> ends) const {
  const bool of_tokens = measure == ParseMeasure::tokens;
  const std::vector<TextSpan>& gold = of_tokens ? reference_.tokens() : reference_.sentences();
  const std::vector<TextSpan>& found = of_tokens ? hypothesis_.tokens() : hypothesis_.sentences();
  Rows rows(ends.size());
  for (const TextSpan& span : gold) {
    rows.counts[stretch_of(ends, span.begin)].reference += 1;
  }
  for (const TextSpan& span : found) {
    ParseCounts& counts = rows.counts[stretch_of(ends, span.begin)];
    counts.hypothesis += 1;
    const auto same = std::ranges::lower_bound(gold, span.begin, {}, &TextSpan::begin);
    if (same != gold.end() && *same == span) {
      counts.found += 1;
      counts.right += 1;
    }
  }
  return rows.statistics();
}

SegmentStatistics ParseComparison::statistics(ParseMeasure measure,
                                              std::span<const std::int64_t> ends) const {
  if (!is_of_words(measure)) {
    return span_statistics(measure, ends);
  }
  const std::vector<std::int32_t> one_group(std::max(reference_.words().size(), aligned_.size()), 0);
  return statistics(measure, ends, std::span(one_group).first(reference_.words().size()),
                    std::span(one_group).first(aligned_.size()), 1)
      .front();
}

std::vector<SegmentStatistics> ParseComparison::statistics(ParseMeasure measure,
                                                           std::span<const std::int64_t> ends,
                                                           std::span<const std::int32_t> reference_group,
                                                           std::span<const std::int32_t> hypothesis_group,
                                                           std::int32_t groups) const {
  if (!is_of_words(measure)) {
    throw UsageError(fmt::format("{} is no score of words: it has no groups of them", name(measure)));
  }
  std::vector<Rows> rows(at(groups), Rows(ends.size()));
  // Of a group -1 and of words that do not count there is no row.
  const auto row = [&](bool counted, std::int32_t group, const TextWord& place) -> ParseCounts* {
    return counted && group >= 0 ? &rows[at(group)].counts[stretch_of(ends, place.span.begin)] : nullptr;
  };
  const std::vector<TextWord>& gold = reference_.words();
  const std::vector<TextWord>& found = hypothesis_.words();
  for (std::size_t word = 0; word < gold.size(); ++word) {
    if (ParseCounts* const counts_of = row(reference_counts_[word] != 0 && counts(measure, gold[word]),
                                           reference_group[word], gold[word])) {
      counts_of->reference += 1;
    }
  }
  for (std::size_t word = 0; word < found.size(); ++word) {
    if (ParseCounts* const counts_of = row(hypothesis_counts_[word] != 0 && counts(measure, found[word]),
                                           hypothesis_group[word], found[word])) {
      counts_of->hypothesis += 1;
    }
    if (aligned_[word] < 0) {
      continue;
    }
    const std::size_t same = at(aligned_[word]);
    const bool counted = reference_counts_[same] != 0 && counts(measure, gold[same]);
    const bool is_right = counted && right(measure, same, word);
    if (ParseCounts* const counts_of = row(counted, reference_group[same], gold[same])) {
      counts_of->aligned += 1;
      counts_of->found += is_right ? 1 : 0;
    }
    if (ParseCounts* const counts_of = row(is_right, hypothesis_group[word], gold[same])) {
      counts_of->right += 1;
    }
  }
  std::vector<SegmentStatistics> result;
  result.reserve(rows.size());
  for (const Rows& one : rows) {
    result.push_back(one.statistics());
  }
  return result;
}

double relative_error_reduction(double before, double after) {
  const auto inside = [](double score) { return score >= 0 && score <= 100; };
  if (!inside(before) || !inside(after) || before == 100) {
    throw UsageError(fmt::format(
        "relative error reduction from {} to {}: expected scores from 0 to 100, the first below 100", before,
        after));
  }
  return 100 * (after - before) / (100 - before);
}

}  // namespace mog::analysis
