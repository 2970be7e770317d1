#include "app/workflow/statistics/word_statistics_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "app/workflow/recordings/recording_groups.h"
#include "app/workflow/statistics/layers_needed.h"
#include "app/workflow/statistics/statistics_checks.h"
#include "app/workflow/statistics/word_grouping.h"
#include "app/workflow/statistics/word_measuring.h"
#include "app/workflow/syntax/syntax_blocks.h"
#include "app/workflow/syntax/treebank_words.h"
#include "app/workflow/trees/grammar_options.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

using analysis::Measure;
using analysis::WordMeasure;
using analysis::WordSeries;

bool is_recorded(const RecordingHeader& header, Measure measure) {
  return measure != Measure::leaves ||
         std::any_of(header.quantities.begin(), header.quantities.end(), [](const QuantitySchema& schema) {
           return schema.name.quantity() == Quantity::order && schema.name.reduction() == Reduction::mean;
         });
}

// ---- one group of recordings -------------------------------------------------------------------------

// One measure on its way.
struct Collected {
  std::optional<Measure> recorded;  // read as it is
  WordMeasure measure = WordMeasure::leaves;
  std::vector<WordSeries> series;
  std::string grammar;  // what was chosen for it; empty: it needs none
  std::unique_ptr<analysis::WordAccumulator> accumulator;
};

class Gatherer {
 public:
  Gatherer(const StatisticsOptions& options, const TreebankWords* treebank, std::stop_token stop,
           const ProgressCallback& progress)
      : options_(options),
        measures_(measure_options(options, stop)),
        treebank_(treebank),
        stop_(std::move(stop)),
        progress_(progress) {}

  std::vector<analysis::WordStatistics> of_recordings(const RecordingGroup& group) {
    WordGrouping grouping(options_, treebank_ != nullptr);
    std::vector<Collected> all;
    for (const RecordingSource* source : sources_of(group)) {
      for (std::int64_t index = 0; index < source->size(); ++index) {
        step();
        Sentence sentence = source->sentence(index);
        if (!has_words(sentence)) {
          continue;
        }
        if (treebank_ == nullptr) {
          add_sentence(*source, index, sentence, nullptr, grouping, all);
        } else if (const io::TreebankSentence* const gold = aligned(sentence)) {
          // The treebank's words in the place of the recorded ones.
          const SentenceBlock block(*source, index, {GoldSentence()}, {sentence});
          add_sentence(block, 0, sentence, gold, grouping, all);
        }
      }
    }
    if (all.empty()) {
      if (skipped_.empty()) {
        throw UsageError("statistics: the recording has no sentence with words");
      }
      throw FormatError(fmt::format("{}: none of its sentences agrees with the recording; the first: {}",
                                    options_.treebank.string(), skipped_.front()));
    }
    std::vector<analysis::WordStatistics> result;
    for (const Collected& collected : all) {
      result.push_back(collected.accumulator->finish());
      result.back().recording = group.label;
    }
    return result;
  }

  // Gold trees alone.
  analysis::WordStatistics of_treebank(const std::string& corpus) {
    WordGrouping grouping(options_, true);
    Collected collected;
    collected.measure = WordMeasure::layers_needed;
    collected.series = layers_needed_series(false, true);
    open(collected, {}, corpus);
    for (const io::TreebankSentence& gold : treebank_->sentences()) {
      step();
      add_tree(collected, gold.number, static_cast<std::int64_t>(gold.words.size()), &gold, grouping,
               nullptr);
    }
    return collected.accumulator->finish();
  }

  const std::vector<std::string>& skipped() const noexcept { return skipped_; }
  // Sentences that will come, for the progress.
  void expect(std::int64_t sentences) { total_ = sentences; }

 private:
  // Null: left out. Throws FormatError where that is not asked for.
  const io::TreebankSentence* aligned(Sentence& sentence) {
    std::string why;
    const io::TreebankSentence* const gold = treebank_->align(sentence, why);
    if (gold == nullptr && !options_.skip_mismatches) {
      throw FormatError(why + "; --mismatch skip leaves such sentences out");
    }
    if (gold == nullptr) {
      skipped_.push_back(why);
    }
    return gold;
  }

  void step() {
    if (stop_.stop_requested()) {
      throw Interrupted("statistics were stopped before all sentences were read");
    }
    if (progress_) {
      progress_({++done_, total_, "sentences", "counting by words"});
    }
  }

  void open(Collected& collected, const ModelCard& model, const std::string& corpus) {
    analysis::WordStatistics header = word_statistics_head(options_, model, corpus);
    header.measure =
        collected.recorded ? analysis::name(*collected.recorded) : analysis::name(collected.measure);
    header.units =
        collected.recorded ? analysis::units(*collected.recorded) : analysis::units(collected.measure);
    header.grammar = collected.grammar;
    header.bootstrap.stop = stop_;
    header.series = collected.series;
    collected.accumulator = std::make_unique<analysis::WordAccumulator>(std::move(header));
  }

  // What is to be collected from recordings like this one.
  std::vector<Collected> plan(const RecordingSource& source, const ChosenGrammar* chosen) {
    std::vector<Collected> all;
    const auto add = [&](Collected collected) {
      open(collected, source.header().model, source.header().provenance.corpus_name);
      all.push_back(std::move(collected));
    };
    const auto of_grammar = [&](WordMeasure measure) {
      Collected collected;
      collected.measure = measure;
      collected.grammar = chosen->text;
      collected.series = series_in(*chosen, measure, treebank_ != nullptr, measures_);
      add(std::move(collected));
    };
    for (const Measure measure : recorded_measures(source.header())) {
      Collected collected;
      collected.recorded = measure;
      collected.series =
          analysis::recorded_series(source.header(), measure, options_.by_head, measures_.keeps_layer);
      add(std::move(collected));
    }
    for (const WordMeasure measure : grammar_measures(source.header())) {
      of_grammar(measure);
    }
    return all;
  }

  // Old measures come here by parts of speech only; the order is computed where it was not recorded.
  std::vector<Measure> recorded_measures(const RecordingHeader& header) const {
    std::vector<Measure> result;
    for (const Measure measure : options_.measures) {
      if (options_.by_upos && reads(header, measure)) {
        result.push_back(measure);
      }
    }
    return result;
  }
  // A recorded order is that of the grammar that nothing was chosen for.
  bool reads(const RecordingHeader& header, Measure measure) const {
    return is_recorded(header, measure) && (measure != Measure::leaves || is_default(options_.grammar));
  }
  std::vector<WordMeasure> grammar_measures(const RecordingHeader& header) const {
    std::vector<WordMeasure> result;
    for (const Measure measure : options_.measures) {
      if (!reads(header, measure)) {
        result.push_back(WordMeasure::leaves);
      }
    }
    result.insert(result.end(), options_.word_measures.begin(), options_.word_measures.end());
    return result;
  }

  void add_sentence(const RecordingSource& source, std::int64_t index, const Sentence& sentence,
                    const io::TreebankSentence* gold, WordGrouping& grouping, std::vector<Collected>& all) {
    std::optional<ChosenGrammar> chosen;
    if (!grammar_measures(source.header()).empty()) {
      chosen.emplace(grammar_of(source, index, options_.grammar));
    }
    if (all.empty()) {
      all = plan(source, chosen ? &*chosen : nullptr);
    }
    const auto words = static_cast<std::int64_t>(sentence.words.size());
    const std::vector<std::int64_t> group_of = grouping.of_words(sentence, gold);
    const std::vector<std::int64_t> group_in_grammar =
        chosen ? of_grammar_words(*chosen, sentence, group_of) : std::vector<std::int64_t>();
    for (Collected& collected : all) {
      if (!collected.recorded && collected.measure == WordMeasure::layers_needed) {
        add_tree(collected, sentence.number, words, gold, grouping, &chosen->grammar);
        continue;
      }
      analysis::SentenceValues values =
          collected.recorded ? analysis::recorded_values(source, index, *collected.recorded, options_.by_head,
                                                         measures_.keeps_layer)
                             : analysis::values_of(collected.measure, chosen->grammar, collected.series,
                                                   sentence.number, measures_);
      values.length = words;
      collected.accumulator->add(values, collected.recorded ? group_of : group_in_grammar, grouping.groups());
    }
  }

  void add_tree(Collected& collected, std::int64_t number, std::int64_t words,
                const io::TreebankSentence* gold, WordGrouping& grouping,
                const analysis::AttentionGrammar* grammar) {
    const std::int64_t group[] = {grouping.of_sentence(words)};
    collected.accumulator->add(
        layers_needed(gold, number, words, collected.series, grammar, measures_.control), group,
        grouping.groups());
  }

  const StatisticsOptions& options_;
  analysis::WordMeasureOptions measures_;
  const TreebankWords* treebank_;
  std::stop_token stop_;
  const ProgressCallback& progress_;
  std::vector<std::string> skipped_;
  std::int64_t done_ = 0;
  std::int64_t total_ = 0;
};

}  // namespace

std::vector<analysis::WordStatistics> gather_word_statistics(const StatisticsOptions& options,
                                                             std::stop_token stop,
                                                             const ProgressCallback& progress,
                                                             std::vector<std::string>* notes) {
  check_word_request(options);
  analysis::check(measure_options(options));
  std::optional<TreebankWords> treebank;
  if (!options.treebank.empty()) {
    treebank.emplace(options.treebank, stop);
  }
  Gatherer gatherer(options, treebank ? &*treebank : nullptr, std::move(stop), progress);
  std::vector<analysis::WordStatistics> result;
  if (options.recordings.empty()) {
    gatherer.expect(static_cast<std::int64_t>(treebank->sentences().size()));
    result.push_back(gatherer.of_treebank(options.treebank.filename().string()));
    return result;
  }
  const std::vector<RecordingGroup> groups = open_recording_groups(options.recordings, notes);
  std::int64_t total = 0;
  for (const RecordingGroup& group : groups) {
    for (const RecordingSource* source : sources_of(group)) {
      total += source->size();
    }
  }
  gatherer.expect(total);
  for (const RecordingGroup& group : groups) {
    for (analysis::WordStatistics& statistics : gatherer.of_recordings(group)) {
      result.push_back(std::move(statistics));
    }
  }
  if (notes != nullptr) {
    for (const std::string& skipped : gatherer.skipped()) {
      notes->push_back("left out: " + skipped);
    }
  }
  return result;
}

}  // namespace mog::app
