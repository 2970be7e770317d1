#include "app/workflow/word_statistics_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "analysis/mog/best_by_order.h"
#include "analysis/mog/dependency_trees.h"
#include "analysis/mog/from_recording.h"
#include "app/workflow/statistics_groups.h"
#include "app/workflow/treebank_words.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

using analysis::Measure;
using analysis::WordGroup;
using analysis::WordMeasure;
using analysis::WordSeries;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

analysis::WordMeasureOptions measure_options(const StatisticsOptions& options) {
  return {.orders = options.orders,
          .samples = options.samples,
          .seed = options.bootstrap.seed,
          .keeps_layer = layer_filter(options)};
}

// Which group each word of a sentence belongs to.
class Grouping {
 public:
  Grouping(const StatisticsOptions& options, const TreebankWords* treebank)
      : options_(options), treebank_(treebank) {
    if (options.by_upos && treebank == nullptr) {
      throw UsageError("--by upos: the parts of speech come from a treebank; give --treebank FILE.conllu");
    }
  }
  std::string by() const { return options_.by_upos ? "upos" : options_.by_position ? "position" : "length"; }
  const std::vector<WordGroup>& groups() const { return groups_; }

  std::vector<std::int64_t> of_words(const Sentence& sentence) {
    const auto words = static_cast<std::int64_t>(sentence.words.size());
    const io::TreebankSentence* const gold = treebank_ == nullptr ? nullptr : &treebank_->of(sentence);
    std::vector<std::int64_t> result;
    for (std::int64_t word = 0; word < words; ++word) {
      if (!options_.words.holds(word + 1)) {
        result.push_back(-1);
      } else if (options_.by_upos) {
        result.push_back(place({.label = gold->words[static_cast<std::size_t>(word)].upos}));
      } else {
        result.push_back(bin(options_.by_position ? word + 1 : words));
      }
    }
    return result;
  }
  // The group of a whole sentence of so many words.
  std::int64_t of_sentence(std::int64_t words) { return bin(words); }

 private:
  std::int64_t bin(std::int64_t value) {
    const bool binned = options_.by_length || options_.by_position;
    const analysis::LengthBins bins = binned ? options_.bins : analysis::LengthBins({0});
    const std::int64_t index = bins.bin(value);
    return index < 0 ? -1
                     : place({.low = bins.low(index), .high = bins.high(index), .label = bins.label(index)});
  }
  std::int64_t place(const WordGroup& group) {
    const auto [found, added] = places_.emplace(group, static_cast<std::int64_t>(groups_.size()));
    if (added) {
      groups_.push_back(group);
    }
    return found->second;
  }

  const StatisticsOptions& options_;
  const TreebankWords* treebank_;
  std::map<WordGroup, std::int64_t> places_;
  std::vector<WordGroup> groups_;
};

// Attention grammars of sentences, and the series that depend on what kind they are.
analysis::AttentionGrammar grammar_of(const RecordingSource& source, std::int64_t index) {
  return analysis::AttentionGrammar(analysis::build_word_grammar(source, index).input);
}

bool has_words(const Sentence& sentence) {
  return std::any_of(sentence.tokens.begin(), sentence.tokens.end(),
                     [](const Token& token) { return token.word >= 0; });
}

bool is_recorded(const RecordingHeader& header, Measure measure) {
  return measure != Measure::order ||
         std::any_of(header.quantities.begin(), header.quantities.end(), [](const QuantitySchema& schema) {
           return schema.name.quantity() == Quantity::order && schema.name.reduction() == Reduction::mean;
         });
}

// ---- layers needed -----------------------------------------------------------------------------------

constexpr std::string_view kGoldOwner = "gold, head owns";
constexpr std::string_view kGoldFree = "gold, free anchors";
constexpr std::string_view kFits = "share that fits";
constexpr std::string_view kFound = "found tree";
constexpr std::string_view kModel = "model";

std::vector<WordSeries> layers_needed_series(bool with_recording, bool with_gold) {
  std::vector<WordSeries> series;
  const auto add = [&](bool wanted, std::string_view kind) {
    if (wanted) {
      series.push_back({.kind = std::string(kind)});
    }
  };
  add(with_gold, kGoldOwner);
  add(with_gold, kGoldFree);
  add(with_recording, kFound);
  add(with_recording, kModel);
  add(with_recording && with_gold, kFits);
  std::sort(series.begin(), series.end());
  return series;
}

// Of the gold tree and of the best derivation with as many leaves as the sentence has words; either may be
// missing, as the series say.
analysis::SentenceValues layers_needed(const io::TreebankSentence* gold, std::int64_t number,
                                       const std::vector<WordSeries>& series,
                                       const analysis::AttentionGrammar* grammar) {
  double needed = kNone;
  double free = kNone;
  if (gold != nullptr && !gold->words.empty()) {
    const DependencyTree tree = dependency_tree(*gold);
    const std::vector<std::int32_t> owner = analysis::layers_owner_head(tree);
    needed = *std::max_element(owner.begin(), owner.end());
    free = 0;
    for (const std::optional<std::int32_t>& layers : analysis::layers_free(tree)) {
      // Not a number where it takes more layers than are searched.
      free = layers && free >= 0 ? std::max(free, static_cast<double>(*layers)) : kNone;
    }
  }
  analysis::SentenceValues result{.number = number, .words = 1};
  for (const WordSeries& one : series) {
    double value = kNone;
    if (one.kind == kGoldOwner) {
      value = needed;
    } else if (one.kind == kGoldFree) {
      value = free;
    } else if (one.kind == kModel) {
      value = static_cast<double>(grammar->layers());
    } else if (one.kind == kFits) {
      value = needed <= static_cast<double>(grammar->layers()) ? 1 : 0;
    } else {
      const auto best = analysis::BestByOrder(*grammar, grammar->word_count())
                            .best(analysis::Goal::top(), grammar->word_count());
      value = best ? best->entry.depth : kNone;
    }
    result.values.push_back(value);
  }
  return result;
}

// ---- one group of recordings -------------------------------------------------------------------------

// One measure on its way.
struct Collected {
  std::optional<Measure> recorded;  // read as it is
  WordMeasure measure = WordMeasure::order;
  std::vector<WordSeries> series;
  std::unique_ptr<analysis::WordAccumulator> accumulator;
};

class Gatherer {
 public:
  Gatherer(const StatisticsOptions& options, const TreebankWords* treebank, std::stop_token stop,
           const ProgressCallback& progress)
      : options_(options),
        measures_(measure_options(options)),
        treebank_(treebank),
        stop_(std::move(stop)),
        progress_(progress) {}

  std::vector<analysis::WordStatistics> of_recordings(std::span<const RecordingReaderPointer> group) {
    Grouping grouping(options_, options_.by_upos ? treebank_ : nullptr);
    std::vector<Collected> all;
    std::int64_t total = 0;
    for (const RecordingReaderPointer& reader : group) {
      total += reader->size();
    }
    for (const RecordingReaderPointer& reader : group) {
      for (std::int64_t index = 0; index < reader->size(); ++index) {
        step(total);
        const Sentence sentence = reader->sentence(index);
        if (has_words(sentence)) {
          add_sentence(*reader, index, sentence, grouping, all);
        }
      }
    }
    if (all.empty()) {
      throw UsageError("statistics: the recording has no sentence with words");
    }
    std::vector<analysis::WordStatistics> result;
    for (const Collected& collected : all) {
      result.push_back(collected.accumulator->finish());
    }
    return result;
  }

  // Gold trees alone.
  analysis::WordStatistics of_treebank(const std::string& corpus) {
    Grouping grouping(options_, treebank_);
    Collected collected;
    collected.measure = WordMeasure::layers_needed;
    collected.series = layers_needed_series(false, true);
    open(collected, {}, corpus, grouping);
    for (const io::TreebankSentence& gold : treebank_->sentences()) {
      step(static_cast<std::int64_t>(treebank_->sentences().size()));
      add_tree(collected, gold.number, static_cast<std::int64_t>(gold.words.size()), &gold, grouping,
               nullptr);
    }
    return collected.accumulator->finish();
  }

 private:
  void step(std::int64_t total) {
    if (stop_.stop_requested()) {
      throw Interrupted("statistics were stopped before all sentences were read");
    }
    if (progress_) {
      progress_({++done_, total, "sentences", "counting by words"});
    }
  }

  void open(Collected& collected, const ModelCard& model, const std::string& corpus,
            const Grouping& grouping) {
    analysis::WordStatistics header;
    header.measure =
        collected.recorded ? analysis::name(*collected.recorded) : analysis::name(collected.measure);
    header.units =
        collected.recorded ? analysis::units(*collected.recorded) : analysis::units(collected.measure);
    header.averaging = options_.averaging;
    header.by = grouping.by();
    header.words = options_.words;
    header.bootstrap = options_.bootstrap;
    header.samples = options_.samples;
    header.model = model;
    header.corpus_name = corpus;
    header.series = collected.series;
    collected.accumulator = std::make_unique<analysis::WordAccumulator>(std::move(header));
  }

  // What is to be collected from recordings like this one.
  std::vector<Collected> plan(const RecordingSource& source, const analysis::AttentionGrammar* grammar,
                              const Grouping& grouping) {
    std::vector<Collected> all;
    const auto add = [&](Collected collected) {
      open(collected, source.header().model, source.header().provenance.corpus_name, grouping);
      all.push_back(std::move(collected));
    };
    const auto of_grammar = [&](WordMeasure measure) {
      Collected collected;
      collected.measure = measure;
      collected.series = measure == WordMeasure::layers_needed
                             ? layers_needed_series(true, treebank_ != nullptr)
                             : analysis::series_of(measure, grammar->kind(), grammar->layers(), measures_);
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
      if (options_.by_upos && is_recorded(header, measure)) {
        result.push_back(measure);
      }
    }
    return result;
  }
  std::vector<WordMeasure> grammar_measures(const RecordingHeader& header) const {
    std::vector<WordMeasure> result;
    for (const Measure measure : options_.measures) {
      if (!is_recorded(header, measure)) {
        result.push_back(WordMeasure::order);
      }
    }
    result.insert(result.end(), options_.word_measures.begin(), options_.word_measures.end());
    return result;
  }

  void add_sentence(const io::RecordingReader& source, std::int64_t index, const Sentence& sentence,
                    Grouping& grouping, std::vector<Collected>& all) {
    std::optional<analysis::AttentionGrammar> grammar;
    if (!grammar_measures(source.header()).empty()) {
      grammar.emplace(grammar_of(source, index));
    }
    if (all.empty()) {
      all = plan(source, grammar ? &*grammar : nullptr, grouping);
    }
    const std::vector<std::int64_t> group_of = grouping.of_words(sentence);
    for (Collected& collected : all) {
      if (!collected.recorded && collected.measure == WordMeasure::layers_needed) {
        add_tree(collected, sentence.number, static_cast<std::int64_t>(sentence.words.size()),
                 treebank_ == nullptr ? nullptr : &treebank_->of(sentence), grouping, &*grammar);
        continue;
      }
      const analysis::SentenceValues values =
          collected.recorded ? analysis::recorded_values(source, index, *collected.recorded, options_.by_head,
                                                         measures_.keeps_layer)
                             : analysis::values_of(collected.measure, *grammar, collected.series,
                                                   sentence.number, measures_);
      collected.accumulator->add(values, group_of, grouping.groups());
    }
  }

  void add_tree(Collected& collected, std::int64_t number, std::int64_t words,
                const io::TreebankSentence* gold, Grouping& grouping,
                const analysis::AttentionGrammar* grammar) {
    const std::int64_t group[] = {grouping.of_sentence(words)};
    collected.accumulator->add(layers_needed(gold, number, collected.series, grammar), group,
                               grouping.groups());
  }

  const StatisticsOptions& options_;
  analysis::WordMeasureOptions measures_;
  const TreebankWords* treebank_;
  std::stop_token stop_;
  const ProgressCallback& progress_;
  std::int64_t done_ = 0;
};

void check_request(const StatisticsOptions& options) {
  const bool layers = std::find(options.word_measures.begin(), options.word_measures.end(),
                                WordMeasure::layers_needed) != options.word_measures.end();
  if (layers && (options.by_upos || options.by_position)) {
    throw UsageError("--quantity layers-needed: a tree has one length; leave --by as layer,length");
  }
  if (options.recordings.empty() && (options.word_measures.size() != 1 || !layers)) {
    throw UsageError(
        "statistics: no recording was named; without one there is --quantity layers-needed alone");
  }
}

}  // namespace

bool wants_word_statistics(const StatisticsOptions& options) {
  return options.by_upos || !options.word_measures.empty();
}

std::vector<analysis::WordStatistics> gather_word_statistics(const StatisticsOptions& options,
                                                             std::stop_token stop,
                                                             const ProgressCallback& progress) {
  check_request(options);
  analysis::check(measure_options(options));
  std::optional<TreebankWords> treebank;
  if (!options.treebank.empty()) {
    treebank.emplace(options.treebank);
  }
  Gatherer gatherer(options, treebank ? &*treebank : nullptr, std::move(stop), progress);
  std::vector<analysis::WordStatistics> result;
  if (options.recordings.empty()) {
    result.push_back(gatherer.of_treebank(options.treebank.filename().string()));
    return result;
  }
  for (const auto& group : open_recording_groups(options.recordings)) {
    for (analysis::WordStatistics& statistics : gatherer.of_recordings(group)) {
      result.push_back(std::move(statistics));
    }
  }
  return result;
}

}  // namespace mog::app
