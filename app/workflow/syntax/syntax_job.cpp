// Blocks of sentences go to threads; each thread reads the block's maps, makes every tree of every sentence,
// counts it against the gold tree and forgets it. What stays is two counts a row and sentence, from which the
// scores, their intervals and the honest score of a chosen head follow.
#include "app/workflow/syntax/syntax_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "analysis/metrics/attachment.h"
#include "analysis/mog/grammar/from_recording.h"
#include "app/workflow/syntax/syntax_blocks.h"
#include "app/workflow/syntax/syntax_part.h"
#include "app/workflow/syntax/syntax_relations.h"
#include "app/workflow/syntax/syntax_scores.h"
#include "app/workflow/syntax/syntax_trees.h"
#include "app/workflow/trees/grammar_options.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

class Comparison {
 public:
  Comparison(const RecordingSource& source, SyntaxOptions options, const std::stop_token& stop)
      : source_(source),
        control_{.stop = stop},
        options_(possible_options(source, std::move(options), result_)),
        survey_(survey_treebank(options_.treebank, stop)),
        trees_(source.header(), options_),
        baselines_(trees_.rows().size()),
        counts_{.options = options_,
                .rows = trees_.rows(),
                .scores = {baselines_.rows, static_cast<std::size_t>(source.size())},
                .treebank_sentences = survey_.sentences,
                .recorded_sentences = source.size()},
        hits_(options_.relations ? baselines_.rows : 0,
              options_.relations ? static_cast<std::size_t>(source.size()) : 0),
        relations_(no_relations()) {
    counts_.options.bootstrap.stop = stop;
    counts_.scores.set_draws(baselines_.random, options_.draws);
  }

  void run(const ProgressCallback& progress);
  SyntaxResult finish();
  SyntaxPart part();

 private:
  RelationCounts no_relations() const {
    return {options_.relations ? baselines_.rows : 0, survey_.relations.size()};
  }
  void add(SentenceBlock& block, std::int64_t index, RelationCounts& relations);
  void add_baselines(const GoldSentence& gold, std::size_t sentence, RelationCounts& relations);
  void count(std::size_t row, const GoldSentence& gold, std::size_t sentence,
             std::span<const std::int32_t> heads, RelationCounts& relations);

  const RecordingSource& source_;
  analysis::SearchControl control_;
  SyntaxResult result_;
  SyntaxOptions options_;
  TreebankSurvey survey_;
  SentenceTreesMaker trees_;
  SyntaxBaselines baselines_;
  SyntaxCounts counts_;
  RelationHits hits_;  // of each sentence by the thread that has it
  std::mutex mutex_;   // of what follows
  RelationCounts relations_;
};

void Comparison::run(const ProgressCallback& progress) {
  result_.skipped = walk_aligned(source_, options_, survey_, trees_.maps(), control_, "best trees", progress,
                                 [this](SentenceBlock& block, std::span<const std::int64_t> aligned) {
                                   RelationCounts relations = no_relations();
                                   for (const std::int64_t index : aligned) {
                                     add(block, index, relations);
                                   }
                                   const std::lock_guard lock(mutex_);
                                   relations_ += relations;
                                 });
}

void Comparison::add(SentenceBlock& block, std::int64_t index, RelationCounts& relations) {
  const GoldSentence& gold = block.gold(index);
  const auto place = static_cast<std::size_t>(block.first() + index);
  trees_.find(block, index, block.aligned(index), gold, control_,
              [&](std::size_t row, std::span<const std::int32_t> heads) {
                count(row, gold, place, heads, relations);
              });
  add_baselines(gold, place, relations);
  if (options_.relations) {
    relations.add_words(place % 2, gold);
    hits_.finish(place, gold);
  }
}

void Comparison::count(std::size_t row, const GoldSentence& gold, std::size_t sentence,
                       std::span<const std::int32_t> heads, RelationCounts& relations) {
  counts_.scores.set(row, sentence, analysis::attachment(gold.heads, heads, gold.counts));
  if (options_.relations) {
    relations.add(row, sentence % 2, gold, heads);
    hits_.add(row, sentence, gold, heads);
  }
}

void Comparison::add_baselines(const GoldSentence& gold, std::size_t sentence, RelationCounts& relations) {
  const auto words = static_cast<std::int32_t>(gold.heads.size());
  std::vector<std::int32_t> heads(gold.heads.size());
  for (std::size_t place = 0; place < kOffsets; ++place) {
    const std::int32_t offset = SyntaxBaselines::offset(place);
    for (std::int32_t word = 1; word <= words; ++word) {
      // Where the neighbour is missing the chain of neighbours begins: the root. Other offsets give no head.
      const std::int32_t head = word + offset;
      const std::int32_t none = offset == -1 || offset == 1 ? 0 : -1;
      heads[static_cast<std::size_t>(word - 1)] = head < 1 || head > words ? none : head;
    }
    count(baselines_.first_offset + place, gold, sentence, heads, relations);
  }
  // Trees of random weights, the same for one seed wherever the sentence stands.
  analysis::Attachment sum;
  std::vector<double> map(gold.heads.size() * gold.heads.size());
  for (std::int32_t draw = 0; draw < options_.draws; ++draw) {
    control_.check();
    for (std::size_t i = 0; i < map.size(); ++i) {
      const std::uint64_t drawn =
          analysis::keyed_random(options_.bootstrap.seed, 0x72616E64U + static_cast<std::uint64_t>(draw),
                                 static_cast<std::uint64_t>(gold.number), static_cast<std::uint64_t>(i));
      map[i] = static_cast<double>(drawn >> 11U) * 0x1p-53;
    }
    const analysis::Attachment found =
        analysis::attachment(gold.heads, trees_.best_tree(map, gold, false), gold.counts);
    sum = {found.words, sum.heads + found.heads, found.edges, sum.pairs + found.pairs};
  }
  if (options_.draws > 0) {
    counts_.scores.set(baselines_.random, sentence, sum);
  }
}

SyntaxResult Comparison::finish() {
  result_.options = options_;
  result_.recording = source_.header().provenance.corpus_name;
  result_.model = source_.header().model.name;
  if (counts_.scores.sentences().empty()) {
    const SkippedSentence& first = result_.skipped.at(0);
    throw FormatError(
        fmt::format("{}: none of its sentences agrees with the recording; line {}: sentence {}: {}",
                    options_.treebank.string(), first.line, first.number, first.reason));
  }
  counts_.add_to(result_);
  if (options_.relations) {
    result_.relations = best_of_relations(
        relations_, hits_, counts_.options.bootstrap, survey_, trees_.rows(), counts_.head_rows(),
        counts_.offset_rows(),
        [&](std::size_t row) { return SyntaxBaselines::offset(row - baselines_.first_offset); });
  }
  return std::move(result_);
}

SyntaxPart Comparison::part() {
  std::vector<std::int64_t> numbers;
  for (std::int64_t index = 0; index < source_.size(); ++index) {
    numbers.push_back(source_.number(index));
  }
  return {.header = source_.header(),
          .counts = std::move(counts_),
          .numbers = std::move(numbers),
          .grammar = std::move(result_.grammar),
          .notes = std::move(result_.notes),
          .skipped = std::move(result_.skipped)};
}

}  // namespace

SyntaxOptions possible_options(const RecordingSource& source, SyntaxOptions options, SyntaxResult& result) {
  const auto needs_grammar = [](SyntaxSource wanted) { return wanted != SyntaxSource::attention; };
  if (std::none_of(options.sources.begin(), options.sources.end(), needs_grammar)) {
    analysis::WordGrammarOptions of_grammar = options.grammar;
    of_grammar.drop_sink = false;  // of maps, too
    if (!is_default(of_grammar)) {
      throw UsageError(fmt::format(
          "{}: maps of attention do not depend on it; name a source of the attention grammar (--sources "
          "joins, presence, k-best, …)",
          chosen_text(of_grammar)));
    }
    if (options.grammar.drop_sink && source.header().stack().recurrent()) {
      throw UsageError("--sink drop: this is a recurrent encoder, whose maps are no attention");
    }
    result.grammar = std::string(options.grammar.drop_sink ? kSinkDropped : "");
    return options;
  }
  const std::vector<std::int64_t> words = source.word_counts();
  const auto first = std::find_if(words.begin(), words.end(), [](std::int64_t count) { return count > 0; });
  if (first == words.end()) {
    return options;  // nothing will agree with the treebank
  }
  try {
    analysis::WordGrammar built =
        analysis::build_word_grammar(source, first - words.begin(), options.grammar);
    result.notes = std::move(built.notes);
    result.grammar = grammar_text(options.grammar, built.choices);
  } catch (const UsageError& error) {
    const bool all = std::all_of(options.sources.begin(), options.sources.end(), needs_grammar);
    if (all || !is_default(options.grammar)) {
      throw;
    }
    result.notes.push_back(fmt::format("attention maps alone: {}", error.what()));
    std::erase_if(options.sources, needs_grammar);
  }
  return options;
}

std::string syntax_grammar(const RecordingSource& source, SyntaxOptions options) {
  if (options.sources == std::vector{SyntaxSource::attention}) {
    return std::string(options.grammar.drop_sink ? kSinkDropped : "");
  }
  SyntaxResult result;
  possible_options(source, std::move(options), result);
  return result.grammar;
}

void check_syntax_options(const RecordingSource& source, const SyntaxOptions& options) {
  if (source.size() == 0) {
    throw UsageError("syntax: the recording holds no sentence");
  }
  if (options.sources.empty()) {
    throw UsageError("syntax: no source of trees is asked for");
  }
  if (options.top < 1 || options.draws < 0) {
    throw UsageError(fmt::format("syntax: {} graphs a word, {} random trees: at least 1 and 0 are needed",
                                 options.top, options.draws));
  }
}

SyntaxResult compare_syntax(const RecordingSource& source, const SyntaxOptions& options, std::stop_token stop,
                            const ProgressCallback& progress) {
  check_syntax_options(source, options);
  Comparison comparison(source, options, stop);
  comparison.run(progress);
  return comparison.finish();
}

SyntaxPart count_part(const RecordingSource& source, const SyntaxOptions& options, std::stop_token stop,
                      const ProgressCallback& progress) {
  if (options.relations) {
    throw UsageError(
        "--by deprel: the best head of a relation is chosen among all sentences, and parts do not add up; "
        "leave "
        "it out, or compare the whole recording at once");
  }
  Comparison comparison(source, options, stop);
  comparison.run(progress);
  return comparison.part();
}

void check_row(const RecordingSource& source, const SyntaxOptions& options, std::string_view text) {
  if (text == "best") {
    return;
  }
  SyntaxResult rows;
  const SentenceTreesMaker maker(source.header(), possible_options(source, options, rows));
  for (const SyntaxRow& row : maker.rows()) {
    rows.rows.push_back({.row = row});
  }
  find_row(rows, text);
}

}  // namespace mog::app
