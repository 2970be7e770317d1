// Every cut needs a run of its own over the corpus. Sentences go in blocks: the states before any cut are
// kept for one block only, and all cuts run on it before the next. What stays are a few numbers a sentence
// and cut, and the tags where there is gold to score them.
#include "app/workflow/effects/ablate_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "analysis/effects/output_change.h"
#include "app/workflow/effects/ablate_block.h"
#include "app/workflow/effects/ablate_cuts.h"
#include "app/workflow/effects/ablate_means.h"
#include "app/workflow/effects/ablate_trees.h"
#include "app/workflow/effects/run_part.h"
#include "app/workflow/graphs/read_graphs.h"
#include "app/workflow/record/record_job.h"
#include "app/workflow/record/sentence_stream.h"
#include "io/recording/errors.h"
#include "io/text/corpus.h"
#include "io/text/corpus_index.h"

namespace mog::app {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
// Blocks end at the same sentences in every part of a corpus, as long ones begin (io/text/corpus_index.h):
// what a model computes depends in its last digits on the batch.
constexpr std::int64_t kBlockSentences = 250;
static_assert(io::kSentencesPerMark % kBlockSentences == 0);

CutPlace place_of(const CutTarget& target) {
  return {.layer = target.layer,
          .last_layer = target.last_layer,
          .cut = target.cut,
          .head = target.head,
          .terms = target.terms,
          .graph_terms = target.graph_terms,
          .factor = target.factor,
          .mean = target.mean};
}

class Ablation {
 public:
  Ablation(const LoadedModel& loaded, const AblateOptions& options, std::stop_token stop,
           const ProgressCallback& progress)
      : loaded_(loaded),
        options_(options),
        stop_(std::move(stop)),
        progress_(progress),
        targets_(cut_targets(*loaded.model, options)) {
    if (!options.mean.empty()) {
      measured_.mean_text =
          scale_toward_means(loaded, options.mean, options.batch_tokens, targets_, stop_, progress);
    }
    for (const CutTarget& target : targets_) {
      measured_.cuts.emplace_back().place = place_of(target);
    }
    read();
  }

  AblateMeasured run() {
    std::int64_t done = 0;
    const auto total = static_cast<std::int64_t>(sentences_.size() * (targets_.size() + 1));
    for (std::size_t first = 0; first < sentences_.size();) {
      const std::span<const Sentence> block = block_from(first);
      const std::vector<std::vector<model::GraphArc>> graphs = read_graphs(*loaded_.model, block, stop_);
      const auto run = [&](const std::vector<model::Intervention>& interventions, bool whole) {
        return run_block(*loaded_.model, block, graphs, interventions, whole, options_.batch_tokens, stop_);
      };
      const BlockStates before = run({}, true);
      keep_said(before);
      add_surprisals(measured_.surprisal, before);
      for (std::size_t target = 0; target <= targets_.size(); ++target) {
        if (target < targets_.size()) {
          add(measured_.cuts[target], first, block, before, run(targets_[target].interventions, false));
        } else {
          score(measured_.before, first, before.tags);
        }
        done += static_cast<std::int64_t>(block.size());
        if (progress_) {
          progress_({done, total, "sentences", "cutting"});
        }
      }
      first += block.size();
    }
    name_tasks();
    measured_.next_token = loaded_.model->config().language_model.has_value() && options_.target.empty();
    for (const Sentence& sentence : sentences_) {
      measured_.numbers.push_back(sentence.number);
      measured_.words.push_back(static_cast<std::int64_t>(sentence.words.size()));
    }
    return std::move(measured_);
  }

 private:
  std::span<const Sentence> block_from(std::size_t first) const {
    const auto block_of = [](const Sentence& sentence) { return (sentence.number - 1) / kBlockSentences; };
    std::size_t end = first + 1;
    while (end < sentences_.size() && block_of(sentences_[end]) == block_of(sentences_[first])) {
      ++end;
    }
    return std::span(sentences_).subspan(first, end - first);
  }

  void read() {
    const bool of_gold = !options_.gold.conllu.empty() || !options_.gold.iob2.empty();
    if (!options_.target.empty() && (of_gold || options_.input == "-" || options_.target == "-")) {
      throw UsageError("--target: it holds the translations of a text, both in files (--input)");
    }
    if (of_gold == !options_.input.empty()) {
      throw UsageError("ablating: give either a text (--input) or gold tags (--conllu, --iob2)");
    }
    require_all_of_part(options_.sentences, options_.shard);
    if (of_gold) {
      read_gold();
    } else {
      const CorpusPart part = part_of_corpus(options_.shard, options_.input, options_.target, stop_);
      measured_.part_numbers = numbers_of(part);
      if (options_.target.empty()) {
        read_lines(part);
      } else {
        read_translated(part);
      }
      measured_.header = run_header(loaded_, options_.precision, {&options_.input, 1}, part, options_.target);
    }
    if (sentences_.empty() && options_.shard.whole()) {
      throw FormatError(fmt::format("ablating {}: there are no sentences with a word in it",
                                    measured_.header.provenance.corpus_name));
    }
  }

  bool enough() const {
    return options_.sentences > 0 && static_cast<std::int64_t>(sentences_.size()) >= options_.sentences;
  }

  void read_lines(const CorpusPart& part) {
    io::CorpusReader lines(options_.input, {.range = part.source});
    io::CorpusLine line;
    while (!enough() && lines.next(line)) {
      Sentence sentence = loaded_.tokenizer->encode(line.text, line.number);
      if (!sentence.words.empty()) {
        keep(std::move(sentence));
      }
    }
  }

  // Gold data are small beside the runs of the model: all of it is read, and a part is some of its sentences.
  void read_gold() {
    const std::vector<TaskConfig> tasks = match_tasks(loaded_.model->config().tasks, options_.gold);
    const std::vector<std::string> of_trees = tree_tasks(loaded_.model->config());
    std::vector<TaggedSentence> all = read_tagged(options_.gold, options_.data_root, tasks);
    std::erase_if(all, [](const TaggedSentence& sentence) { return sentence.words.empty(); });
    const bool trees = !all.empty() && !all.front().heads.empty();  // files of entities alone have none
    const auto count = static_cast<std::int64_t>(all.size());
    const io::NumberRange own = share_of_numbers(options_.shard, count);
    for (std::int64_t number = own.first; number <= own.last && !enough(); ++number) {
      TaggedSentence& sentence = all[static_cast<std::size_t>(number - 1)];
      keep(loaded_.tokenizer->encode_words(sentence.words, number));
      if (!of_trees.empty()) {
        add_gold_tree(sentence);
      }
      gold_.push_back(std::move(sentence));
    }
    if (!options_.shard.whole() && own.first <= own.last) {
      measured_.part_numbers = io::NumberRanges({own});
    }
    for (const TaskConfig& task : tasks) {
      measured_.scored[task.name] = task.column == TaskColumn::iob2 ? analysis::TaggingMetric::span_f1
                                                                    : analysis::TaggingMetric::accuracy;
    }
    if (trees) {
      for (const std::string& task : of_trees) {
        measured_.scored[task] = analysis::TaggingMetric::accuracy;
      }
    }
    std::vector<std::filesystem::path> files;
    for (const auto* const paths : {&options_.gold.conllu, &options_.gold.iob2}) {
      for (const std::filesystem::path& path : *paths) {
        files.push_back(options_.data_root / path);
      }
    }
    measured_.header = run_header(loaded_, options_.precision, files, {}, {});
  }

  // Sentences with the decoder's inputs.
  void read_translated(const CorpusPart& part) {
    if (loaded_.target_vocabulary == nullptr) {
      throw UsageError(fmt::format("--target: the model {} has no decoder", loaded_.model->card().name));
    }
    RecordOptions options;
    options.input = options_.input;
    options.target = options_.target;
    options.long_can_be_chosen = false;
    options.shard = options_.shard;
    SentenceStream stream(loaded_, options, options.input, part);
    while (!enough()) {
      std::optional<Sentence> sentence = stream.next();
      if (!sentence) {
        break;
      }
      // Without a word on either side nothing can differ.
      const std::vector<Token>& targets = sentence->target_tokens;
      if (!sentence->words.empty() &&
          std::any_of(targets.begin(), targets.end(), [](const Token& token) { return token.word >= 0; })) {
        sentences_.push_back(std::move(*sentence));
      }
    }
  }

  void keep(Sentence sentence) {
    const auto tokens = static_cast<std::int64_t>(sentence.tokens.size());
    if (loaded_.longest > 0 && tokens > loaded_.longest) {
      throw ModelError(
          fmt::format("ablating: sentence {} has {} tokens, the model's positions end at {}; shorten it or "
                      "leave it out",
                      sentence.number, tokens, loaded_.longest));
    }
    sentences_.push_back(std::move(sentence));
  }

  // Gate and share of each target, before the cut.
  void keep_said(const BlockStates& before) {
    const SystemDescription system = loaded_.model->system();
    for (std::size_t target = 0; target < targets_.size(); ++target) {
      const std::int64_t layer = targets_[target].layer;
      const std::vector<Part> parts = parts_of(targets_[target].cut, system.main(), layer);
      for (std::size_t i = 0; i < before.gates.size(); ++i) {
        const auto gate = before.gates[i].find(layer);
        measured_.cuts[target].gate.push_back(gate == before.gates[i].end() ? kNone : gate->second);
        const bool whole = targets_[target].terms.empty() && targets_[target].graph_terms.empty() &&
                           targets_[target].head == 0;
        double share = parts.empty() || !whole ? kNone : 0;
        for (const Part part : parts) {
          const auto found = before.shares[i].find({layer, part});
          share += found == before.shares[i].end() ? kNone : found->second;
        }
        measured_.cuts[target].share.push_back(share);
      }
    }
  }

  // A part without sentences has the same columns as the others.
  void name_tasks() {
    std::set<std::string> tasks;
    if (sentences_.empty()) {
      for (const auto& [task, tags] : loaded_.model->config().tasks) {
        tasks.insert(task);
      }
      for (const std::string& task : tree_tasks(loaded_.model->config())) {
        tasks.insert(task);
      }
    } else if (!measured_.cuts.empty()) {
      for (const auto& [task, changed] : measured_.cuts.front().changed) {
        tasks.insert(task);
      }
    }
    measured_.tasks.assign(tasks.begin(), tasks.end());
    for (CutSeries& series : measured_.cuts) {
      for (const std::string& task : tasks) {
        series.changed[task];
        series.divergence[task];
      }
      for (const auto& [task, metric] : measured_.scored) {
        series.scored[task];
        measured_.before[task];
      }
    }
  }

  // `first`: of the block's sentences.
  void add(CutSeries& series, std::size_t first, std::span<const Sentence> block, const BlockStates& before,
           const BlockStates& after) const {
    for (std::size_t i = 0; i < block.size(); ++i) {
      const analysis::StateDifference difference =
          analysis::state_difference(compared(block[i]), before.states[i], after.states[i]);
      series.change.push_back(difference.change);
      series.cosine.push_back(difference.cosine);
      series.pooled.push_back(difference.pooled);
      for (const auto& [task, tags] : before.tags[i].tags) {
        series.changed[task].push_back(analysis::share_of_changed_tags(tags, after.tags[i].tags.at(task)));
        series.divergence[task].push_back(
            analysis::tag_divergence(block[i], before.scores[i].at(task), after.scores[i].at(task)));
      }
    }
    add_surprisals(series.surprisal, after);
    score(series.scored, first, after.tags);
  }

  static void add_surprisals(std::vector<double>& surprisals, const BlockStates& states) {
    surprisals.insert(surprisals.end(), states.surprisals.begin(), states.surprisals.end());
  }

  // Counts of a block's tags against gold ones.
  void score(std::map<std::string, std::vector<std::optional<analysis::TagCounts>>>& counts,
             std::size_t first, const std::vector<SentenceTags>& tags) const {
    for (const auto& [task, metric] : measured_.scored) {
      for (std::size_t i = 0; i < tags.size(); ++i) {
        counts[task].push_back(tag_counts(metric, task, gold_[first + i], tags[i]));
      }
    }
  }

  // The sentence whose tokens the compared states are of: its translation, where there is one.
  static Sentence compared(const Sentence& sentence) {
    Sentence result = sentence;
    if (!sentence.target_tokens.empty()) {
      result.tokens = sentence.target_tokens;
    }
    return result;
  }

  const LoadedModel& loaded_;
  const AblateOptions& options_;
  std::stop_token stop_;
  const ProgressCallback& progress_;
  std::vector<CutTarget> targets_;
  AblateMeasured measured_;
  std::vector<Sentence> sentences_;
  std::vector<TaggedSentence> gold_;
};

// The counts of the sentences that have some in both.
analysis::Comparison compared_scores(analysis::TaggingMetric metric,
                                     const std::vector<std::optional<analysis::TagCounts>>& before,
                                     const std::vector<std::optional<analysis::TagCounts>>& after,
                                     const analysis::BootstrapOptions& bootstrap) {
  std::vector<analysis::TagCounts> first;
  std::vector<analysis::TagCounts> second;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] && after[i]) {
      first.push_back(*before[i]);
      second.push_back(*after[i]);
    }
  }
  return analysis::compare(metric, first, second, bootstrap);
}

CutEffect effect_of(const AblateMeasured& measured, const CutSeries& series,
                    const analysis::BootstrapOptions& bootstrap) {
  CutEffect effect;
  static_cast<CutPlace&>(effect) = series.place;
  effect.gate = analysis::mean_over_sentences(series.gate);
  effect.share = analysis::mean_over_sentences(series.share);
  effect.change = analysis::mean_effect(series.change, bootstrap);
  effect.cosine = analysis::mean_effect(series.cosine, bootstrap);
  effect.pooled = analysis::mean_effect(series.pooled, bootstrap);
  effect.gate_rank = analysis::rank_against_change(series.gate, series.change, bootstrap);
  effect.share_rank = analysis::rank_against_change(series.share, series.change, bootstrap);
  if (measured.next_token) {
    effect.surprisal_before = analysis::mean_where_defined(measured.surprisal, {.resamples = 0}).mean;
    effect.surprisal_after = analysis::mean_where_defined(series.surprisal, {.resamples = 0}).mean;
    effect.surprisal = analysis::paired_mean_difference(series.surprisal, measured.surprisal, bootstrap);
  }
  for (const auto& [task, changed] : series.changed) {
    effect.tags_changed[task] = analysis::mean_effect(changed, bootstrap);
    effect.tags_divergence[task] = analysis::mean_effect(series.divergence.at(task), bootstrap);
  }
  for (const auto& [task, metric] : measured.scored) {
    effect.scores[task] =
        compared_scores(metric, measured.before.at(task), series.scored.at(task), bootstrap);
  }
  return effect;
}

void add_effect(std::vector<analysis::Cell>& row, const analysis::MeanEffect& effect) {
  row.insert(row.end(), {effect.mean, effect.interval.low, effect.interval.high});
}
void add_rank(std::vector<analysis::Cell>& row, const analysis::RankCorrelation& rank) {
  row.insert(row.end(), {rank.rho, rank.interval.low, rank.interval.high});
}

}  // namespace

AblateResult AblateMeasured::result(const analysis::BootstrapOptions& bootstrap) const {
  AblateResult result;
  result.model = header.model.name;
  result.corpus = header.provenance.corpus_name;
  result.sentences = static_cast<std::int64_t>(numbers.size());
  result.words = std::accumulate(words.begin(), words.end(), std::int64_t{0});
  result.bootstrap = bootstrap;
  result.next_token = next_token;
  for (const CutSeries& series : cuts) {
    result.effects.push_back(effect_of(*this, series, bootstrap));
  }
  return result;
}

analysis::Table AblateResult::table() const {
  analysis::Table table;
  table.columns = {"model",          "corpus",       "layer",         "part",       "factor",
                   "sentences",      "words",        "gate",          "share",      "change",
                   "change_low",     "change_high",  "cosine",        "cosine_low", "cosine_high",
                   "rho_gate",       "rho_gate_low", "rho_gate_high", "rho_share",  "rho_share_low",
                   "rho_share_high", "last_layer",   "head",          "pooled",     "pooled_low",
                   "pooled_high"};
  if (!effects.empty()) {
    for (const auto& [task, changed] : effects.front().tags_changed) {
      for (const char* const end :
           {"_changed", "_changed_low", "_changed_high", "_kl", "_kl_low", "_kl_high"}) {
        table.columns.push_back(task + end);
      }
    }
    for (const auto& [task, score] : effects.front().scores) {
      for (const char* const end :
           {"_before", "_after", "_difference", "_difference_low", "_difference_high"}) {
        table.columns.push_back(task + end);
      }
    }
  }
  table.columns.emplace_back("toward");
  if (next_token) {
    table.columns.insert(table.columns.end(), {"surprisal_before", "surprisal_after", "surprisal_difference",
                                               "surprisal_difference_low", "surprisal_difference_high"});
  }
  for (const CutEffect& effect : effects) {
    std::vector<analysis::Cell> row;
    row.emplace_back(model);
    row.emplace_back(corpus);
    row.emplace_back(effect.layer);
    row.emplace_back(!effect.terms.empty()         ? text(effect.terms)
                     : !effect.graph_terms.empty() ? text(effect.graph_terms)
                                                   : std::string(name(effect.cut)));
    row.emplace_back(effect.factor);
    row.emplace_back(sentences);
    row.emplace_back(words);
    row.emplace_back(effect.gate);
    row.emplace_back(effect.share);
    add_effect(row, effect.change);
    add_effect(row, effect.cosine);
    add_rank(row, effect.gate_rank);
    add_rank(row, effect.share_rank);
    row.emplace_back(effect.last_layer);
    row.emplace_back(effect.head > 0 ? static_cast<double>(effect.head) : kNone);
    add_effect(row, effect.pooled);
    for (const auto& [task, changed] : effect.tags_changed) {
      add_effect(row, changed);
      add_effect(row, effect.tags_divergence.at(task));
    }
    for (const auto& [task, score] : effect.scores) {
      row.insert(row.end(),
                 {score.first, score.second, score.difference, score.interval.low, score.interval.high});
    }
    const bool scaled =
        effect.terms.empty() && effect.graph_terms.empty() && effect.cut.kind != Cut::Kind::gate;
    row.emplace_back(std::string(!scaled ? "" : effect.mean ? "mean" : "zero"));
    if (next_token) {
      row.emplace_back(effect.surprisal_before);
      row.emplace_back(effect.surprisal_after);
      add_effect(row, effect.surprisal);
    }
    table.add(std::move(row));
  }
  return table;
}

AblateMeasured measure_ablation(const LoadedModel& loaded, const AblateOptions& options, std::stop_token stop,
                                const ProgressCallback& progress) {
  if (!std::isfinite(options.factor)) {
    throw UsageError("--factor: it must be a finite number");
  }
  if (!(options.gate >= 0 && options.gate <= 1)) {
    throw UsageError("--gate: a gate lies in [0, 1]");
  }
  return Ablation(loaded, options, std::move(stop), progress).run();
}

AblateResult run_ablation(const LoadedModel& loaded, const AblateOptions& options, std::stop_token stop,
                          const ProgressCallback& progress) {
  return measure_ablation(loaded, options, std::move(stop), progress).result(options.bootstrap);
}

}  // namespace mog::app
