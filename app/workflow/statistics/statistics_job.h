// Tables by layer and length from recordings: the work behind `mog stats`, and the numbers of its figures.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/mog/grammar/from_recording.h"
#include "analysis/statistics/entry_means.h"
#include "analysis/statistics/gate_dimensions.h"
#include "analysis/statistics/paired_difference.h"
#include "analysis/statistics/relation_effects.h"
#include "analysis/statistics/table.h"
#include "analysis/statistics/weight_by_length.h"
#include "analysis/statistics/word_measures.h"
#include "app/workflow/common/progress.h"
#include "app/workflow/record/capture.h"
#include "io/recording/recording_label.h"
#include "io/recording/sentence_recording.h"

namespace mog::app {

enum class StatisticsReport : std::uint8_t {
  means,       // W by layer and bin (LengthStatistics::table)
  trends,      // whether it rises with layer and length (analysis/statistics/trends.h)
  dimensions,  // the gate dimension by dimension (analysis/statistics/gate_dimensions.h)
};

struct StatisticsOptions {
  // Parts of one corpus (`mog record --shard i/n`) join; anything else stays apart, with rows of its own.
  std::vector<std::filesystem::path> recordings;
  // A recording of the same sentences, or its parts: instead of means the differences to it, with a test
  // (app/workflow/statistics/paired_job.h).
  std::vector<std::filesystem::path> against = {};
  std::int64_t permutations = 1999;  // draws of that test
  analysis::PairBy pair_by = analysis::PairBy::text;
  bool allow_partial = false;  // pairs of less than analysis::kLeastPaired of the smaller corpus
  std::vector<analysis::Measure> measures = {analysis::Measure::gate};
  // Recorded quantities by name, * for any piece ("encoder.*.split.norm"): every entry has rows of its own
  // (analysis/statistics/entry_means.h); then nothing else is counted.
  std::vector<std::string> names = {};
  // What the relations of a graph that attention reads do (analysis/statistics/relation_effects.h); alone.
  bool relations = false;
  analysis::LengthBins bins;
  analysis::Averaging averaging = analysis::Averaging::micro;
  bool by_length = true;     // false: all lengths in one bin
  bool by_position = false;  // bins of the word's place in its sentence instead
  analysis::WordRange words;
  std::vector<LayerRange> layers;  // empty: all
  StatisticsReport report = StatisticsReport::means;
  std::int64_t minimum_sentences = 10;  // trends, dimensions: of a bin that may be an end
  bool by_head = false;
  bool by_upos = false;                 // parts of speech of the treebank in the place of bins
  std::filesystem::path treebank = {};  // CoNLL-U of the recorded sentences; gold trees, parts of speech
  // Of the attention grammar, by words (analysis/statistics/word_measures.h); beside `measures`.
  std::vector<analysis::WordMeasure> word_measures = {};
  // Behind every number of the attention grammar. Anything chosen: the order is computed even where it was
  // recorded.
  analysis::WordGrammarOptions grammar = {};
  bool skip_mismatches = false;  // sentences that are not the treebank's are left out and noted
  std::int64_t orders = 64;      // the greatest k of P(order = k)
  std::int64_t samples = 200;    // derivations a word where distinct words are sampled
  bool relative = false;         // differences to the shortest bin instead of means
  analysis::BootstrapOptions bootstrap;
  bool quantiles = false;  // quartiles beside means (analysis/statistics/quantile_sketch.h)
};

// What a measure, and quantities by name, are counted with.
analysis::LengthOptions length_options(const StatisticsOptions& options, analysis::Measure measure);
analysis::EntryOptions entry_options(const StatisticsOptions& options);
analysis::DimensionOptions dimension_options(const StatisticsOptions& options);
analysis::RelationOptions relation_options(const StatisticsOptions& options);

// Adds the rows of another table. The longer one's columns begin with those of the shorter; what a row lacks
// is nothing.
void append(analysis::Table& all, analysis::Table table);

// The table with differences in the place of means.
analysis::Table relative_table(const analysis::Table& table);

// The relations of the model that made a recording. Throws UsageError for one that reads no graph.
std::vector<analysis::RelationName> relation_names(const RecordingHeader& header);

// Whether a layer has nothing to share with: shares are 1 then.
bool has_one_part(const RecordingHeader& header);
// What it lets count.
std::vector<analysis::Measure> measures_of(const RecordingHeader& header);

// What is counted as one: a recording, or the parts of one run.
struct CountedRecording {
  std::vector<const RecordingSource*> parts;
  RecordingLabel label;  // empty: its model's name
};

// One measure of one recording, as `options` say (its recordings and measures are not read). progress: of its
// sentences. Throws UsageError (a recording without the measure), FormatError (damaged file), Interrupted.
analysis::LengthStatistics count_measure(const CountedRecording& recording, analysis::Measure measure,
                                         const StatisticsOptions& options, const std::stop_token& stop = {},
                                         const ProgressCallback& progress = {});

// One entry a measure and group of recordings, measures first. Throws UsageError (nothing to read, a
// recording without the measure), FormatError (damaged file), Interrupted.
std::vector<analysis::LengthStatistics> gather_statistics(const StatisticsOptions& options,
                                                          std::stop_token stop = {},
                                                          const ProgressCallback& progress = {},
                                                          std::vector<std::string>* notes = nullptr);

class StatisticsJob {
 public:
  explicit StatisticsJob(StatisticsOptions options) : options_(std::move(options)) {}
  // Tidy rows (LengthStatistics::table, WordStatistics::table; a row of the first lacks the last columns of
  // the second), after the column `recording` where there are several. `order` is computed from attention
  // maps where it was not recorded. With `relative` the columns mean, low and high are replaced by
  // difference, difference_low and difference_high. Other reports have tables of their own, and so have
  // differences to another recording. `notes`: what a reader must know (sentences left out). Throws
  // UsageError for a report that bins by position, heads, averaging or `relative` do not go with, and for
  // choices of the grammar that nothing asked for depends on.
  analysis::Table run(std::stop_token stop = {}, const ProgressCallback& progress = {},
                      std::vector<std::string>* notes = nullptr) const;

 private:
  StatisticsOptions options_;
};

}  // namespace mog::app
