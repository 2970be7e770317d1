// A grammar is built once a sentence, and every measure asks it. All heads' maps are observed, as --capture
// attention records them, so that the numbers are those of such a recording.
//
// Series and choices of a grammar have to be known before the first sentence, and when parts are merged
// there is none. They depend on the header alone, so they are those of a sentence of one word.
#include "app/workflow/statistics/running_grammar.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/statistics/running_words.h"
#include "app/workflow/statistics/layers_needed.h"
#include "app/workflow/statistics/statistics_checks.h"
#include "app/workflow/statistics/word_grouping.h"
#include "app/workflow/statistics/word_measuring.h"
#include "app/workflow/syntax/syntax_blocks.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

using analysis::WordMeasure;

bool is_gate(Quantity quantity) {
  return quantity == Quantity::gate || quantity == Quantity::input_gate || quantity == Quantity::forget_gate;
}

// Whether the grammar may read it.
bool is_read(const QuantityName& name, const StatisticsOptions& options, const StackDescription& stack) {
  if (name.stack() != stack.stack || name.layer() < 1) {
    return false;
  }
  const analysis::WordGrammarOptions& grammar = options.grammar;
  const bool recurrent = !stack.directions().empty();
  switch (name.reduction()) {
    case Reduction::full:
      return name.quantity() == Quantity::attention || name.quantity() == Quantity::self_gate;
    case Reduction::mean:
      return is_gate(name.quantity());
    case Reduction::share:
      return name.quantity() == Quantity::output &&
             (recurrent || grammar.gate == analysis::GateSource::share ||
              grammar.pi == analysis::PartShares::share);
    case Reduction::norm:
      return name.quantity() == Quantity::attention &&
             grammar.head_reduction == analysis::HeadReduction::contribution;
    default:
      return false;
  }
}

// A sentence of one word whose attention is its own, with every gate open.
ChosenGrammar grammar_of_one_word(const StatisticsOptions& options, const RecordingHeader& header) {
  RecordingHeader own = header;
  std::erase_if(own.quantities,
                [&](const QuantitySchema& schema) { return !is_read(schema.name, options, header.stack()); });
  RecordingBatch batch;
  Sentence& sentence = batch.sentences.emplace_back();
  sentence.number = 1;
  sentence.words.push_back({"w", {}});
  sentence.tokens.push_back({"w", 0, 0, {}});
  for (const QuantitySchema& schema : own.quantities) {
    const std::int64_t size = schema.elements(1);
    const float value = schema.name.quantity() == Quantity::self_gate ? 0.25F : 1.0F;  // rows with sum 1
    batch.quantities.emplace_back(
        schema.name,
        HostTensor::of<float>({size}, std::vector<float>(static_cast<std::size_t>(size), value)));
  }
  MemoryRecording recording;
  recording.begin(own);
  recording.write(batch);
  recording.finish();
  return grammar_of(recording, 0, options.grammar);
}

// One measure on its way.
struct Counting {
  std::optional<analysis::Measure> recorded = {};  // by token
  WordMeasure measure = WordMeasure::leaves;
  std::vector<analysis::WordSeries> series = {};
  std::unique_ptr<analysis::RunningWords> table = {};
};

class RunningByWords final : public analysis::RunningTable {
 public:
  RunningByWords(const StatisticsOptions& options, const RecordingHeader& header, PassingTreebank* treebank)
      : options_(options),
        measures_(measure_options(options)),
        bins_(options.by_length || options.by_position ? options.bins : analysis::LengthBins({0})),
        grouping_(options_, true),
        treebank_(treebank) {
    if (options.by_upos) {
      for (const analysis::Measure measure : options.measures) {
        analysis::WordStatistics head =
            word_statistics_head(options, header.model, header.provenance.corpus_name);
        head.measure = analysis::name(measure);
        head.units = analysis::units(measure);
        head.series = analysis::recorded_series(header, measure, options.by_head, measures_.keeps_layer);
        open({.recorded = measure}, std::move(head));
      }
    }
    if (options.word_measures.empty()) {
      return;
    }
    const ChosenGrammar chosen = grammar_of_one_word(options, header);
    for (const WordMeasure measure : options.word_measures) {
      analysis::WordStatistics head =
          word_statistics_head(options, header.model, header.provenance.corpus_name);
      head.measure = analysis::name(measure);
      head.units = analysis::units(measure);
      head.grammar = chosen.text;
      head.series = series_in(chosen, measure, false, measures_);
      open({.measure = measure}, std::move(head));
    }
  }

  void expect(std::int64_t sentences) override {
    for (const Counting& counting : all_) {
      counting.table->expect(sentences);
    }
  }

  void add(const RecordingSource& block) override {
    for (std::int64_t index = 0; index < block.size(); ++index) {
      Sentence sentence = block.sentence(index);
      if (!has_words(sentence)) {
        continue;
      }
      if (!options_.by_upos) {
        add(block, index, sentence, nullptr);
      } else if (const io::TreebankSentence* const gold = treebank_->align(sentence)) {
        // The treebank's words in the place of those that were run.
        const SentenceBlock aligned(block, index, {GoldSentence()}, {sentence});
        add(aligned, 0, sentence, gold);
      }
    }
  }

  analysis::Table table() const override {
    analysis::Table all;
    for (const Counting& counting : all_) {
      append(all, counting.table->table());
    }
    return all;
  }

  std::vector<analysis::Additive*> sums() override {
    std::vector<analysis::Additive*> all;
    for (const Counting& counting : all_) {
      const std::vector<analysis::Additive*> sums = counting.table->sums();
      all.insert(all.end(), sums.begin(), sums.end());
    }
    return all;
  }

 private:
  void open(Counting counting, analysis::WordStatistics head) {
    counting.series = head.series;
    counting.table = options_.by_upos ? analysis::running_groups(std::move(head))
                     : options_.report == StatisticsReport::trends
                         ? analysis::running_word_trends(std::move(head), bins_,
                                                         {.minimum_sentences = options_.minimum_sentences})
                         : analysis::running_words(std::move(head), bins_);
    all_.push_back(std::move(counting));
  }

  void add(const RecordingSource& block, std::int64_t index, const Sentence& sentence,
           const io::TreebankSentence* gold) {
    const std::vector<std::int64_t> group_of = gold ? grouping_.of_words(sentence, gold) : bins_of(sentence);
    std::optional<ChosenGrammar> chosen;
    std::vector<std::int64_t> group_in_grammar;
    if (!options_.word_measures.empty()) {
      chosen.emplace(grammar_of(block, index, options_.grammar));
      group_in_grammar = of_grammar_words(*chosen, sentence, group_of);
    }
    const auto words = static_cast<std::int64_t>(sentence.words.size());
    for (const Counting& counting : all_) {
      if (!counting.recorded && counting.measure == WordMeasure::layers_needed) {
        const std::int64_t bin[] = {bins_.bin(words)};
        counting.table->add(layers_needed(nullptr, sentence.number, words, counting.series, &chosen->grammar,
                                          measures_.control),
                            bin, {});
        continue;
      }
      analysis::SentenceValues values =
          counting.recorded ? analysis::recorded_values(block, index, *counting.recorded, options_.by_head,
                                                        measures_.keeps_layer)
                            : analysis::values_of(counting.measure, chosen->grammar, counting.series,
                                                  sentence.number, measures_);
      values.length = words;
      counting.table->add(values, counting.recorded ? group_of : group_in_grammar, grouping_.groups());
    }
  }

  std::vector<std::int64_t> bins_of(const Sentence& sentence) const {
    const auto words = static_cast<std::int64_t>(sentence.words.size());
    std::vector<std::int64_t> result;
    for (std::int64_t word = 1; word <= words; ++word) {
      const std::int64_t bin = bins_.bin(options_.by_position ? word : words);
      result.push_back(options_.words.holds(word) ? bin : -1);
    }
    return result;
  }

  StatisticsOptions options_;
  analysis::WordMeasureOptions measures_;
  analysis::LengthBins bins_;
  WordGrouping grouping_;  // by parts of speech
  PassingTreebank* treebank_;
  std::vector<Counting> all_;
};

}  // namespace

std::vector<std::string> quantities_of_grammar(const StatisticsOptions& options,
                                               const RecordingHeader& offered) {
  std::vector<std::string> names;
  for (const QuantitySchema& schema : offered.quantities) {
    if (is_read(schema.name, options, offered.stack())) {
      names.push_back(schema.name.text());
    }
  }
  if (names.empty()) {
    throw UsageError(fmt::format("--quantity {}: the model {} has no attention maps to make a grammar of",
                                 analysis::name(options.word_measures.front()), offered.model.name));
  }
  grammar_of_one_word(options, offered);  // before hours of counting: choices that it has no place for
  return names;
}

std::unique_ptr<analysis::RunningTable> running_by_words(const StatisticsOptions& options,
                                                         const RecordingHeader& header,
                                                         PassingTreebank* treebank) {
  return std::make_unique<RunningByWords>(options, header, treebank);
}

}  // namespace mog::app
