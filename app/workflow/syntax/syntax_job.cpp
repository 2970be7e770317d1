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
#include "app/workflow/syntax/syntax_relations.h"
#include "app/workflow/syntax/syntax_trees.h"
#include "app/workflow/trees/grammar_options.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

using analysis::AttachmentScore;

constexpr std::int32_t kFarthest = 10;  // of the fixed offsets

// Rows that every run has, after those of the recording.
struct Baselines {
  std::size_t random = 0;
  std::size_t first_offset = 0;  // -kFarthest … -1, 1 … kFarthest
  std::size_t chosen_head = 0;
  std::size_t chosen_offset = 0;
  std::size_t rows = 0;

  explicit Baselines(std::size_t first)
      : random(first),
        first_offset(first + 1),
        chosen_head(first_offset + 2 * kFarthest),
        chosen_offset(chosen_head + 1),
        rows(chosen_offset + 1) {}
  static std::int32_t offset(std::size_t place) {
    const auto offset = static_cast<std::int32_t>(place) - kFarthest;
    return offset < 0 ? offset : offset + 1;
  }
  std::size_t row_of(std::int32_t offset) const {
    return first_offset + static_cast<std::size_t>(offset + kFarthest - (offset > 0 ? 1 : 0));
  }
};

class Comparison {
 public:
  Comparison(const RecordingSource& source, SyntaxOptions options, const std::stop_token& stop)
      : source_(source),
        control_{.stop = stop},
        options_(possible_options(source, std::move(options), result_)),
        survey_(survey_treebank(options_.treebank, stop)),
        trees_(source.header(), options_),
        baselines_(trees_.rows().size()),
        scores_(baselines_.rows, static_cast<std::size_t>(source.size())),
        hits_(options_.relations ? baselines_.rows : 0,
              options_.relations ? static_cast<std::size_t>(source.size()) : 0),
        relations_(no_relations()) {
    options_.bootstrap.stop = stop;
    scores_.set_draws(baselines_.random, options_.draws);
  }

  void run(const ProgressCallback& progress);
  SyntaxResult finish();

 private:
  RelationCounts no_relations() const {
    return {options_.relations ? baselines_.rows : 0, survey_.relations.size()};
  }
  void add(SentenceBlock& block, std::int64_t index, RelationCounts& relations);
  void add_baselines(const GoldSentence& gold, std::size_t sentence, RelationCounts& relations);
  void count(std::size_t row, const GoldSentence& gold, std::size_t sentence,
             std::span<const std::int32_t> heads, RelationCounts& relations);
  std::vector<std::size_t> head_rows() const;
  std::vector<std::size_t> offset_rows() const;
  void note_chosen(const std::vector<std::vector<std::size_t>>& chosen);
  void add_rows();

  const RecordingSource& source_;
  analysis::SearchControl control_;
  SyntaxResult result_;
  SyntaxOptions options_;
  TreebankSurvey survey_;
  SentenceTreesMaker trees_;
  Baselines baselines_;
  analysis::AttachmentScores scores_;
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
  scores_.set(row, sentence, analysis::attachment(gold.heads, heads, gold.counts));
  if (options_.relations) {
    relations.add(row, sentence % 2, gold, heads);
    hits_.add(row, sentence, gold, heads);
  }
}

void Comparison::add_baselines(const GoldSentence& gold, std::size_t sentence, RelationCounts& relations) {
  const auto words = static_cast<std::int32_t>(gold.heads.size());
  std::vector<std::int32_t> heads(gold.heads.size());
  for (std::size_t place = 0; place < 2 * kFarthest; ++place) {
    const std::int32_t offset = Baselines::offset(place);
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
    scores_.set(baselines_.random, sentence, sum);
  }
}

// Single heads where they were recorded, else what there is of attention.
std::vector<std::size_t> Comparison::head_rows() const {
  std::vector<std::size_t> heads;
  std::vector<std::size_t> means;
  for (std::size_t row = 0; row < trees_.rows().size(); ++row) {
    if (trees_.rows()[row].source == SyntaxSource::attention) {
      (trees_.rows()[row].head > 0 ? heads : means).push_back(row);
    }
  }
  return heads.empty() ? means : heads;
}

std::vector<std::size_t> Comparison::offset_rows() const {
  std::vector<std::size_t> rows;
  for (std::size_t place = 0; place < 2 * kFarthest; ++place) {
    rows.push_back(baselines_.first_offset + place);
  }
  return rows;
}

void Comparison::note_chosen(const std::vector<std::vector<std::size_t>>& chosen) {
  for (const AttachmentScore score : {AttachmentScore::directed, AttachmentScore::undirected}) {
    const std::vector<std::size_t>& rows = chosen[static_cast<std::size_t>(score)];
    if (rows.size() == 2) {
      result_.notes.push_back(
          fmt::format("chosen-head by {}: the first half of the sentences (1, 3, 5 …) "
                      "chooses {}, the second {}",
                      score == AttachmentScore::directed ? "UAS" : "UUAS", trees_.rows()[rows[0]].name(),
                      trees_.rows()[rows[1]].name()));
    }
  }
}

void Comparison::add_rows() {
  const std::vector<analysis::Interval> uas =
      scores_.intervals(AttachmentScore::directed, options_.bootstrap);
  const std::vector<analysis::Interval> uuas =
      scores_.intervals(AttachmentScore::undirected, options_.bootstrap);
  const auto add = [&](SyntaxRow row, std::size_t directed, std::size_t undirected) {
    result_.rows.push_back({row,
                            scores_.counted(directed),
                            {scores_.value(directed, AttachmentScore::directed), uas[directed]},
                            {scores_.value(undirected, AttachmentScore::undirected), uuas[undirected]}});
  };
  for (std::size_t row = 0; row < trees_.rows().size(); ++row) {
    add(trees_.rows()[row], row, row);
  }
  if (scores_.counted(baselines_.chosen_head) > 0) {
    add({.source = SyntaxSource::chosen_head}, baselines_.chosen_head, baselines_.chosen_head);
  }
  if (options_.draws > 0) {
    add({.source = SyntaxSource::random_tree}, baselines_.random, baselines_.random);
  }
  add({.source = SyntaxSource::left_neighbour, .offset = -1}, baselines_.row_of(-1), baselines_.row_of(-1));
  add({.source = SyntaxSource::right_neighbour, .offset = 1}, baselines_.row_of(1), baselines_.row_of(1));
  if (const auto best = scores_.best(offset_rows(), AttachmentScore::directed)) {
    const auto add_offset = [&](std::size_t row) {
      add({.source = SyntaxSource::best_offset, .offset = Baselines::offset(row - baselines_.first_offset)},
          row, row);
    };
    add_offset(*best);
    // Another offset may be best when directions do not count.
    const auto undirected = scores_.best(offset_rows(), AttachmentScore::undirected);
    if (undirected && scores_.value(*undirected, AttachmentScore::undirected) >
                          scores_.value(*best, AttachmentScore::undirected)) {
      add_offset(*undirected);
      result_.notes.push_back(fmt::format("best-offset: {:+} by UAS, {:+} by UUAS",
                                          Baselines::offset(*best - baselines_.first_offset),
                                          Baselines::offset(*undirected - baselines_.first_offset)));
    }
    add({.source = SyntaxSource::chosen_offset}, baselines_.chosen_offset, baselines_.chosen_offset);
  }
}

SyntaxResult Comparison::finish() {
  result_.options = options_;
  result_.recording = source_.header().provenance.corpus_name;
  result_.model = source_.header().model.name;
  const std::vector<std::size_t> counted = scores_.sentences();
  result_.sentences = static_cast<std::int64_t>(counted.size());
  if (counted.empty()) {
    const SkippedSentence& first = result_.skipped.at(0);
    throw FormatError(
        fmt::format("{}: none of its sentences agrees with the recording; line {}: sentence {}: {}",
                    options_.treebank.string(), first.line, first.number, first.reason));
  }
  result_.words = scores_.words();
  note_chosen(scores_.set_cross_chosen(baselines_.chosen_head, head_rows()));
  scores_.set_cross_chosen(baselines_.chosen_offset, offset_rows());
  add_rows();
  if (options_.relations) {
    result_.relations = best_of_relations(
        relations_, hits_, options_.bootstrap, survey_, trees_.rows(), head_rows(), offset_rows(),
        [&](std::size_t row) { return Baselines::offset(row - baselines_.first_offset); });
  }
  if (survey_.sentences > source_.size()) {
    result_.notes.push_back(
        fmt::format("the treebank has {} sentences, the recording {}", survey_.sentences, source_.size()));
  }
  return std::move(result_);
}

}  // namespace

SyntaxOptions possible_options(const RecordingSource& source, SyntaxOptions options, SyntaxResult& result) {
  const auto needs_grammar = [](SyntaxSource wanted) { return wanted != SyntaxSource::attention; };
  if (std::none_of(options.sources.begin(), options.sources.end(), needs_grammar)) {
    if (!is_default(options.grammar)) {
      throw UsageError(fmt::format(
          "{}: maps of attention do not depend on it; name a source of the attention grammar (--sources "
          "joins, presence, k-best, …)",
          chosen_text(options.grammar)));
    }
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
    return "";
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
