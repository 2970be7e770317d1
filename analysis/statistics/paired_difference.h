// Whether two models, or two runs of one, differ over sentences that both have recorded: differences of a
// measure by layer, part and head, paired by sentence.
//
// A pair is the same text (sentence_key), whatever its number and however a tokenizer cuts it; a text that
// occurs several times is paired in order. Sentences that only stand at the same place of two corpora (a
// translation, a text that was changed on purpose) are paired by their numbers where that is asked for.
// Either way at least kLeastPaired of the smaller corpus must find its pair, unless less is allowed by name.
//
//   d(s, c) = mean of the second over the words of sentence s − the same of the first, c a layer and part.
//   difference(c) = mean of d(·, c) over the sentences, every sentence counting the same; in the units of the
//   measure. Interval: percentile bootstrap over sentences, the same draws for all cells.
//
// What sentences have in common falls out of d, so the interval is much narrower than those of two means.
//
// p says how often chance alone would give a difference at least as great somewhere among the cells: the
// max-T permutation test in a single step (Westfall and Young 1993, chapter 2; of signs: Nichols and
// Holmes 2002). If there is no difference, d(s, ·) and −d(s, ·) are equally likely; each draw flips the signs
// of whole sentences, the same for all cells, so what cells have in common stays in. The statistic is
// T(c) = Σ d(s, c) / √Σ d(s, c)², whose denominator no flip changes, and
//   p(c) = (1 + number of draws whose greatest |T| over the cells is ≥ |T(c)|) / (draws + 1)
// (Phipson and Smyth 2010: never 0). It is adjusted for all cells of the table at once (family-wise error).
// It asks that sentences are independent of each other; other seeds of a model are covered by no such test.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/random/bootstrap.h"
#include "analysis/statistics/table.h"
#include "analysis/statistics/weight_by_length.h"

namespace mog::analysis {

// Which sentences of two recordings belong together.
enum class PairBy : std::uint8_t { text, number };
std::string_view name(PairBy by) noexcept;  // "text", "number"
// Throws UsageError naming the text and what is allowed.
PairBy parse_pair_by(std::string_view text);

// Share of the smaller corpus that must be in pairs.
inline constexpr double kLeastPaired = 0.9;

struct PairedOptions {
  PairBy pair_by = PairBy::text;
  bool allow_partial = false;        // fewer pairs than kLeastPaired
  BootstrapOptions bootstrap;        // resamples 0: no intervals; `seed` is that of the flips, too
  std::int64_t permutations = 1999;  // draws of signs; from 1
  std::function<void(std::int64_t done, std::int64_t total)> progress;  // draws and resamples together
  std::string first_name = "the first recording";                       // in notes
  std::string second_name = "the second recording";
};

struct PairedCell {
  MeasuredSeries series;
  double first_mean = 0;  // over the shared sentences, as all below; NaN where a value is no number
  double second_mean = 0;
  double difference = 0;  // second less first
  double low = 0;         // bootstrap interval of the difference; NaN without one
  double high = 0;
  double p = 1;  // adjusted for all cells; 1 where every sentence has the same value in both
};

struct PairedDifference {
  Measure measure = Measure::gate;
  WordRange words;
  BootstrapOptions bootstrap;
  std::int64_t permutations = 0;
  ModelCard first;
  ModelCard second;
  GateKind gate = GateKind::none;  // of the second
  std::string first_recording;     // names of the two; where nothing names them, their models
  std::string second_recording;
  std::string first_corpus;
  std::string second_corpus;
  PairBy paired_by = PairBy::text;
  std::int64_t sentences = 0;         // pairs, on which everything here stands
  std::int64_t first_sentences = 0;   // that the first has
  std::int64_t second_sentences = 0;  // that the second has
  std::int64_t other_text = 0;        // pairs by number whose texts differ
  std::vector<PairedCell> cells;      // by layer, part and head; those that both have
  std::vector<std::string> notes;     // what a reader must know: sentences and layers left out, few sentences

  // "1,000 sentences of both", "120 sentences of both (of 300 and 977)", "300 sentences paired by number, 297
  // with another text".
  std::string pairs_text() const;
  // Columns: recording, model, corpus, measure, units, layer, part, head, sentences, mean (of the second),
  // against (the first recording), against_mean, difference, difference_low, difference_high, p,
  // permutations, confidence, resamples, seed, words, paired_by, sentences_second, sentences_first (that each
  // corpus has), other_text.
  Table table() const;
};

// Both with all sentences in one bin and their means (LengthOptions::keep_means), of one measure. Throws
// UsageError where they share no layer, too few sentences (see above) or fewer than two, or for options that
// cannot be, naming what was found; Interrupted. O((resamples + permutations) · sentences · cells).
PairedDifference paired_difference(const LengthStatistics& first, const LengthStatistics& second,
                                   const PairedOptions& options);

// The test alone. differences: [sentence, cell]. One p a cell; NaN where a difference is no number.
// Throws UsageError for no permutations, Interrupted.
std::vector<double> max_t_p_values(std::span<const double> differences, std::size_t cells,
                                   const PairedOptions& options);

// Differences with p below this are marked as such in figures.
inline constexpr double kSignificant = 0.05;

}  // namespace mog::analysis
