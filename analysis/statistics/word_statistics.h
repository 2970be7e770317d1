// Statistics of values that belong to words, not to tokens: means by layer, part, order and group of words
// (sentence length, place, part of speech), with bootstrap intervals over sentences.
//
//   micro: every word counts the same, whatever its pieces;  macro: every sentence counts the same.
// A resample draws the sentences of a group anew, the same for all series of the group.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/statistics/weight_by_length.h"

namespace mog::analysis {

// What one value of the statistic belongs to.
struct WordSeries {
  std::int64_t layer = 0;  // from 1; 0: of no layer
  Part part = Part::none;
  std::int64_t head = 0;    // from 1; 0: mean over heads, or of no head
  std::int64_t leaves = 0;  // k of P(leaves = k); 0: of none
  std::int64_t order = 0;   // k of P(order = k), distinct words; 0: of none
  std::string kind{};       // "exact", "nominal" (bands), "more" (what is above k), "head owner" …
  std::int64_t k() const { return std::max(leaves, order); }
  friend auto operator<=>(const WordSeries&, const WordSeries&) = default;
};

// Words that are averaged together; groups are sorted by `low`, then by label.
struct WordGroup {
  std::int64_t low = -1;   // of a bin of length or place; -1: no bin
  std::int64_t high = -1;  // first length beyond it; -1: open or no bin
  std::string label{};     // "1–9", "NOUN"
  friend auto operator<=>(const WordGroup&, const WordGroup&) = default;
};

// Values of the words of one sentence.
struct SentenceValues {
  std::int64_t number = 0;       // in the corpus
  std::int64_t words = 0;        // columns
  std::vector<double> values{};  // [series, word]; NaN: the word has none
  std::vector<double> errors{};  // squared standard errors of sampled values, [series, word]; empty: exact
  std::int64_t length = 0;       // words of the whole sentence, where that is not `words`
};

// One sentence in one group, for trends.
struct WordSentenceMeans {
  std::int64_t number = 0;
  std::int64_t length = 0;    // words of the whole sentence
  std::vector<double> means;  // [series]; NaN: no value
};

struct WordCell {
  WordSeries series{};
  WordGroup group{};
  std::int64_t sentences = 0;
  std::int64_t words = 0;
  double mean = 0;
  double variance = 0;  // over words (micro) or sentence means (macro)
  double low = 0;       // bootstrap interval; NaN without one
  double high = 0;
  double sampling_error = 0;  // standard error from sampling derivations; NaN: nothing was sampled
  // Mean minus that of the first group, where groups are bins; NaN elsewhere, or without a value there.
  double difference = 0;
  double difference_low = 0;
  double difference_high = 0;
  Quartiles quartiles{};  // of words (micro) or sentence means (macro), with WordStatistics::quantiles
};

struct WordStatistics {
  std::string measure;
  std::string units;
  Averaging averaging = Averaging::micro;
  std::string by;  // "length", "position", "upos"
  WordRange words;
  BootstrapOptions bootstrap;
  bool quantiles = false;    // cells have quartiles
  std::int64_t samples = 0;  // derivations a word where it was sampled; 0: nothing was
  bool keep_means = false;   // group_means
  std::string grammar{};     // the choices behind the attention grammar; empty: not of a grammar
  ModelCard model;
  std::string corpus_name;
  RecordingLabel recording{};  // among others that it stands with; empty: it stands alone
  std::int64_t sentences = 0;
  std::vector<WordGroup> groups;
  std::vector<WordSeries> series;
  std::vector<WordCell> cells;  // [series, group]; pairs without words are left out
  std::vector<std::vector<WordSentenceMeans>> group_means;  // [group], by number, with keep_means

  // The columns of LengthStatistics::table (with or without quantiles), then leaves, order, kind, samples,
  // sampling_error, grammar; `tokens` counts words.
  Table table() const;
  const WordCell* find(const WordSeries& wanted, const WordGroup& group) const;  // null: none
};

// The words of one sentence in one group.
struct WordRow {
  std::int64_t number = 0;
  std::int64_t length = 0;
  std::vector<double> count;  // [series]: words with a value
  std::vector<double> sum;
  std::vector<double> squares;
  std::vector<double> errors;  // sums; empty: exact
  // With WordStatistics::quantiles series and values: of the words (micro), their mean (macro).
  std::vector<std::pair<std::size_t, double>> values;
};

class WordAccumulator {
 public:
  // `header`: everything but groups, cells and counts. Throws UsageError for options that are not allowed.
  explicit WordAccumulator(WordStatistics header);
  // Word w belongs to group_of[w]; -1 or a word beyond the list: to none. Throws UsageError when the number
  // of a sentence comes twice.
  void add(const SentenceValues& sentence, std::span<const std::int64_t> group_of,
           std::span<const WordGroup> groups);
  WordStatistics finish() const;

 private:
  std::vector<double> resample(const std::vector<const WordRow*>& rows, std::uint64_t stream) const;
  WordCell cell_of(const std::vector<const WordRow*>& rows, std::size_t series) const;

  WordStatistics header_;
  std::map<WordGroup, std::vector<WordRow>> rows_;
  std::map<WordGroup, QuantileSketches> sketches_;  // [series], with quantiles
  std::map<std::int64_t, bool> seen_;               // sentence numbers
};

}  // namespace mog::analysis
