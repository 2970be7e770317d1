// How much weight a model gives, by layer and by sentence length: W(ℓ, b) of the MoG paper's Figures 4(b)
// and 5, and its difference to the shortest bin (Figure 5 of the paper's earlier version).
//
// W(ℓ, b) = mean of a quantity of layer ℓ over the words of the sentences whose length lies in bin b.
//   micro (default): every token counts the same;  macro: every sentence counts the same.
// Special tokens (</s> …) are left out. Bins may be of the word's position instead of the length; a sentence
// then counts in every bin that one of its words lies in, and bins are resampled one by one as if they held
// different sentences (intervals of differences come out too wide rather than too narrow). For the weight
// gate the quantity is w averaged over d_model. Intervals: percentile bootstrap over the sentences of a bin;
// a resample draws the same sentences for all layers, and each bin by itself, so that the interval of a
// difference comes from the same draws.
//
// An accumulator keeps mean and squared deviations for each sentence and adds them up in the order of the
// sentence numbers: shards read in any order, resumed runs and one run give the same bits.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/random/bootstrap.h"
#include "analysis/statistics/length_bins.h"
#include "analysis/statistics/quantile_sketch.h"
#include "analysis/statistics/table.h"
#include "analysis/statistics/word_range.h"
#include "io/recording/recording_label.h"
#include "io/recording/sentence_recording.h"

namespace mog::analysis {

enum class Measure : std::uint8_t {
  gate,     // encoder.ℓ.gate(.mean): w averaged over d_model, "weight of high and middle order"
  share,    // encoder.ℓ.part.output.share: a part's norm over the sum of the norms, one series a part
  entropy,  // encoder.ℓ.part.attention(.row_entropy), nats
  maximum,  // encoder.ℓ.part.attention(.row_max)
  leaves,   // encoder.ℓ.order.mean: expected number of leaves under the attention grammar
  sink,     // encoder.ℓ.part.attention(.sink), its first column: what other words give to the first token
};
std::string_view name(Measure measure) noexcept;   // "gate", "share", "entropy", "max", "leaves", "sink"
std::string_view units(Measure measure) noexcept;  // "1", "1", "nats", "1", "leaves", "1"
// Throws UsageError naming the text and what is allowed.
std::vector<std::string> measure_names();
Measure parse_measure(std::string_view text);

enum class Averaging : std::uint8_t { micro, macro };

// What the bins are of: the words of a sentence, or the place of a word in its sentence.
enum class BinnedBy : std::uint8_t { length, position };
std::string_view name(BinnedBy by) noexcept;

struct LengthOptions {
  Measure measure = Measure::gate;
  LengthBins bins;
  BinnedBy by = BinnedBy::length;
  WordRange words;                                      // the sentence's length stays that of all its words
  std::function<bool(std::int64_t layer)> keeps_layer;  // empty: all layers
  bool keep_means = false;                              // LengthStatistics::bin_means
  bool quantiles = false;                               // LengthCell::quartiles
  Averaging averaging = Averaging::micro;
  bool by_head = false;  // attention measures: one series a head instead of the mean over heads
  BootstrapOptions bootstrap;
  std::int64_t block_sentences = 512;  // read at a time
  std::stop_token stop;                // asked between blocks; then Interrupted is thrown
  std::function<void(std::int64_t done, std::int64_t total)> progress;
};

// What one value of the statistic belongs to.
struct MeasuredSeries {
  std::int64_t layer = 0;  // from 1
  Part part = Part::none;
  std::int64_t head = 0;  // from 1; 0: mean over heads
  friend auto operator<=>(const MeasuredSeries&, const MeasuredSeries&) = default;
};

struct LengthCell {
  MeasuredSeries series;
  std::int64_t bin = 0;
  std::int64_t sentences = 0;
  std::int64_t tokens = 0;  // words' tokens, special ones not counted
  double mean = 0;          // W; NaN in an empty bin
  double variance = 0;      // over tokens (micro) or sentence means (macro); NaN in an empty bin
  double low = 0;           // bootstrap interval of the mean; NaN without one
  double high = 0;
  double difference = 0;  // mean minus the mean of the first bin that has sentences
  double difference_low = 0;
  double difference_high = 0;
  Quartiles quartiles{};  // of tokens (micro) or sentence means (macro), with LengthOptions::quantiles
};

// A sentence of a bin: `index` of the source number `source` (both from 0), `number` in the corpus.
struct BinnedSentence {
  std::int64_t number = 0;
  std::int64_t index = 0;
  std::int64_t source = 0;
  std::int64_t words = 0;  // of the whole sentence
  std::uint64_t text = 0;  // sentence_key()
  friend auto operator<=>(const BinnedSentence&, const BinnedSentence&) = default;
};

struct LengthStatistics {
  Measure measure = Measure::gate;
  Averaging averaging = Averaging::micro;
  LengthBins bins;
  BinnedBy by = BinnedBy::length;
  WordRange words;
  BootstrapOptions bootstrap;
  bool quantiles = false;              // cells have quartiles
  ModelCard model;                     // of the first source
  GateKind gate = GateKind::none;      // likewise: what `gate` is a measure of
  std::string corpus_name;             // of the first source
  RecordingLabel recording{};          // among others that it stands with; empty: it stands alone
  std::int64_t sentences = 0;          // all that were counted
  std::int64_t first_bin = -1;         // the first bin that has sentences, to which differences are taken
  std::vector<MeasuredSeries> series;  // sorted
  std::vector<LengthCell> cells;       // [series, bin]
  std::vector<std::vector<BinnedSentence>> bin_sentences;  // [bin], by number
  std::vector<std::vector<double>> bin_means;  // [bin]: [sentence, series], with LengthOptions::keep_means

  const LengthCell& cell(std::int64_t series_index, std::int64_t bin) const;
  // Columns: model, corpus, measure, units, average, layer, part, head, bin, length_low, length_high,
  // sentences, tokens, mean, variance, low, high, difference, difference_low, difference_high, confidence,
  // resamples, seed, by, words; with quantiles q25, q50, q75, quantile_bound (quantile_sketch.h).
  Table table() const;
};

struct MeasuredQuantity;

// Collects shards of one recording, or one recording after the other.
class LengthAccumulator {
 public:
  explicit LengthAccumulator(LengthOptions options);
  // What recordings of this header have of the measure; the first add() does it otherwise. Throws UsageError.
  void begin(const RecordingHeader& header);
  // Streams packed blocks. Throws UsageError when the recording holds nothing of the measure (naming what it
  // holds) or when its series differ from what was added before; FormatError from a damaged file. Sentences
  // without words are not counted.
  void add(const RecordingSource& source);
  // What `other` collected with the same options joins in; its sources count on from ours.
  void merge(const LengthAccumulator& other);
  // Throws UsageError when a sentence number came twice.
  LengthStatistics finish() const;

  // What one sentence (or those of its words that lie in one bin of position) left: mean and squared
  // deviations of its `tokens`, [series].
  struct Row {
    std::int64_t number = 0;
    std::int64_t words = 0;  // of the whole sentence
    std::int64_t bin = 0;
    std::int64_t tokens = 0;
    std::span<const double> means;
    std::span<const double> m2s;
  };
  // Hands over the rows of what was added since, those of a sentence one after another, and forgets them;
  // sketches() stay.
  void take(const std::function<void(const Row&)>& use);
  // Everything but cells and sentences.
  LengthStatistics facts() const;
  // [bin, series], with LengthOptions::quantiles.
  QuantileSketches& sketches() noexcept { return sketches_; }
  const QuantileSketches& sketches() const noexcept { return sketches_; }

 private:
  // One sentence, or with bins of position those of its words that lie in one bin.
  struct SentenceRow {
    BinnedSentence sentence;
    std::int64_t bin = 0;
    std::int64_t tokens = 0;
    std::size_t first_moment = 0;  // index into means_ and m2s_
  };
  struct Block {
    std::int64_t first = 0;
    std::int64_t count = 0;
  };
  struct RowTokens;
  std::vector<RowTokens> add_rows(const Sentence& sentence, std::int64_t index, std::int64_t words);
  // The values of one series, [token], as moments of a row and in its sketch.
  void reduce(const RowTokens& row, std::span<const double> values, std::size_t series);
  void add_block(const RecordingSource& source, std::span<const MeasuredQuantity> quantities, Block block,
                 std::span<const std::int64_t> tokens, std::span<const std::int64_t> words);
  void fill_bin(LengthStatistics& result, std::span<const SentenceRow* const> rows, std::size_t bin,
                std::vector<std::vector<double>>& resampled) const;

  LengthOptions options_;
  ModelCard model_;
  GateKind gate_ = GateKind::none;
  std::string corpus_name_;
  std::int64_t sources_ = 0;
  std::vector<MeasuredSeries> series_;
  std::vector<SentenceRow> rows_;
  std::vector<double> means_;  // [sentence, series]
  std::vector<double> m2s_;
  QuantileSketches sketches_;  // [bin, series]; none without quantiles
};

}  // namespace mog::analysis
