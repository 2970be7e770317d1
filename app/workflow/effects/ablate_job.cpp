// Every cut needs a run of its own over the corpus. Sentences go in blocks: the states before any cut are
// kept for one block only, and all cuts run on it before the next. What stays are a few numbers a sentence
// and cut, and the tags where there is gold to score them.
#include "app/workflow/effects/ablate_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "analysis/effects/output_change.h"
#include "app/workflow/effects/ablate_block.h"
#include "app/workflow/effects/ablate_cuts.h"
#include "app/workflow/effects/ablate_trees.h"
#include "app/workflow/graphs/read_graphs.h"
#include "app/workflow/record/record_job.h"
#include "app/workflow/record/sentence_stream.h"
#include "io/recording/errors.h"
#include "io/text/corpus.h"

namespace mog::app {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kBlockSentences = 256;

// What is kept of one cut, a number a sentence.
struct Series {
  std::vector<double> change;
  std::vector<double> cosine;
  std::vector<double> pooled;
  std::vector<double> gate;
  std::vector<double> share;
  std::map<std::string, std::vector<double>> changed;  // [task]
  std::map<std::string, std::vector<double>> divergence;
  std::vector<SentenceTags> tags;  // with gold
};

class Ablation {
 public:
  Ablation(const LoadedModel& loaded, const AblateOptions& options, std::stop_token stop,
           const ProgressCallback& progress)
      : loaded_(loaded),
        options_(options),
        stop_(std::move(stop)),
        progress_(progress),
        targets_(cut_targets(*loaded.model, options)),
        series_(targets_.size()) {
    read();
  }

  AblateResult run() {
    std::int64_t done = 0;
    const auto total = static_cast<std::int64_t>(sentences_.size() * (targets_.size() + 1));
    for (std::size_t first = 0; first < sentences_.size(); first += kBlockSentences) {
      const std::span<const Sentence> block =
          std::span<const Sentence>(sentences_)
              .subspan(first, std::min(kBlockSentences, sentences_.size() - first));
      const std::vector<std::vector<model::GraphArc>> graphs = read_graphs(*loaded_.model, block, stop_);
      const auto run = [&](const std::vector<model::Intervention>& interventions, bool whole) {
        return run_block(*loaded_.model, block, graphs, interventions, whole, options_.batch_tokens, stop_);
      };
      const BlockStates before = run({}, true);
      keep_said(before);
      for (std::size_t target = 0; target <= targets_.size(); ++target) {
        if (target < targets_.size()) {
          add(series_[target], block, before, run(targets_[target].interventions, false));
        } else if (has_gold()) {
          before_.insert(before_.end(), before.tags.begin(), before.tags.end());
        }
        done += static_cast<std::int64_t>(block.size());
        if (progress_) {
          progress_({done, total, "sentences", "cutting"});
        }
      }
    }
    return result();
  }

 private:
  bool has_gold() const { return !gold_.empty(); }

  void read() {
    const bool of_gold = !options_.gold.conllu.empty() || !options_.gold.iob2.empty();
    if (!options_.target.empty() && (of_gold || options_.input == "-" || options_.target == "-")) {
      throw UsageError("--target: it holds the translations of a text, both in files (--input)");
    }
    if (of_gold == !options_.input.empty()) {
      throw UsageError("ablating: give either a text (--input) or gold tags (--conllu, --iob2)");
    }
    const auto enough = [&] {
      return options_.sentences > 0 && static_cast<std::int64_t>(sentences_.size()) >= options_.sentences;
    };
    if (of_gold) {
      tasks_ = match_tasks(loaded_.model->config().tasks, options_.gold);
      for (TaggedSentence& sentence : read_tagged(options_.gold, options_.data_root, tasks_)) {
        if (!enough() && !sentence.words.empty()) {
          keep(loaded_.tokenizer->encode_words(sentence.words,
                                               static_cast<std::int64_t>(sentences_.size()) + 1));
          if (!tree_tasks(loaded_.model->config()).empty()) {
            add_gold_tree(sentence);
          }
          gold_.push_back(std::move(sentence));
        }
      }
      corpus_ = (options_.gold.conllu.empty() ? options_.gold.iob2 : options_.gold.conllu)
                    .front()
                    .filename()
                    .string();
    } else if (!options_.target.empty()) {
      read_translated(enough);
    } else {
      io::CorpusReader lines(options_.input);
      io::CorpusLine line;
      while (!enough() && lines.next(line)) {
        Sentence sentence = loaded_.tokenizer->encode(line.text, line.number);
        if (!sentence.words.empty()) {
          keep(std::move(sentence));
        }
      }
      corpus_ = options_.input == "-" ? "standard input" : options_.input.filename().string();
    }
    if (sentences_.empty()) {
      throw FormatError(fmt::format("ablating {}: there are no sentences with a word in it", corpus_));
    }
  }

  // Sentences with the decoder's inputs.
  template <class Enough>
  void read_translated(const Enough& enough) {
    if (loaded_.target_vocabulary == nullptr) {
      throw UsageError(fmt::format("--target: the model {} has no decoder", loaded_.model->card().name));
    }
    RecordOptions options;
    options.input = options_.input;
    options.target = options_.target;
    options.long_can_be_chosen = false;
    SentenceStream stream(loaded_, options, options.input);
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
    corpus_ = options_.input.filename().string();
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
        series_[target].gate.push_back(gate == before.gates[i].end() ? kNone : gate->second);
        const bool whole = targets_[target].terms.empty() && targets_[target].graph_terms.empty() &&
                           targets_[target].head == 0;
        double share = parts.empty() || !whole ? kNone : 0;
        for (const Part part : parts) {
          const auto found = before.shares[i].find({layer, part});
          share += found == before.shares[i].end() ? kNone : found->second;
        }
        series_[target].share.push_back(share);
      }
    }
  }

  void add(Series& series, std::span<const Sentence> block, const BlockStates& before,
           BlockStates after) const {
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
      if (has_gold()) {
        series.tags.push_back(std::move(after.tags[i]));
      }
    }
  }

  AblateResult result() const {
    AblateResult result;
    result.model = loaded_.model->card().name;
    result.corpus = corpus_;
    result.sentences = static_cast<std::int64_t>(sentences_.size());
    for (const Sentence& sentence : sentences_) {
      result.words += static_cast<std::int64_t>(sentence.words.size());
    }
    result.bootstrap = options_.bootstrap;
    for (std::size_t target = 0; target < targets_.size(); ++target) {
      result.effects.push_back(effect_of(targets_[target], series_[target]));
    }
    return result;
  }

  CutEffect effect_of(const CutTarget& target, const Series& series) const {
    CutEffect effect;
    effect.layer = target.layer;
    effect.cut = target.cut;
    effect.factor = target.factor;
    effect.last_layer = target.last_layer;
    effect.head = target.head;
    effect.terms = target.terms;
    effect.graph_terms = target.graph_terms;
    effect.gate = analysis::mean_over_sentences(series.gate);
    effect.share = analysis::mean_over_sentences(series.share);
    effect.change = analysis::mean_effect(series.change, options_.bootstrap);
    effect.cosine = analysis::mean_effect(series.cosine, options_.bootstrap);
    effect.pooled = analysis::mean_effect(series.pooled, options_.bootstrap);
    effect.gate_rank = analysis::rank_against_change(series.gate, series.change, options_.bootstrap);
    effect.share_rank = analysis::rank_against_change(series.share, series.change, options_.bootstrap);
    for (const auto& [task, changed] : series.changed) {
      effect.tags_changed[task] = analysis::mean_effect(changed, options_.bootstrap);
      effect.tags_divergence[task] = analysis::mean_effect(series.divergence.at(task), options_.bootstrap);
    }
    for (const TaskConfig& task : tasks_) {
      const auto metric = task.column == TaskColumn::iob2 ? analysis::TaggingMetric::span_f1
                                                          : analysis::TaggingMetric::accuracy;
      effect.scores[task.name] =
          compare_tags(metric, task.name, gold_, before_, series.tags, options_.bootstrap);
    }
    // Treebanks have trees, files of entities alone have none.
    const bool gold_trees = has_gold() && !gold_.front().heads.empty();
    for (const std::string& task : tree_tasks(loaded_.model->config())) {
      if (gold_trees) {
        effect.scores[task] = compare_tags(analysis::TaggingMetric::accuracy, task, gold_, before_,
                                           series.tags, options_.bootstrap);
      }
    }
    return effect;
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
  std::vector<Series> series_;
  std::vector<Sentence> sentences_;
  std::vector<TaskConfig> tasks_;
  std::vector<TaggedSentence> gold_;
  std::vector<SentenceTags> before_;
  std::string corpus_;
};

void add_effect(std::vector<analysis::Cell>& row, const analysis::MeanEffect& effect) {
  row.insert(row.end(), {effect.mean, effect.interval.low, effect.interval.high});
}
void add_rank(std::vector<analysis::Cell>& row, const analysis::RankCorrelation& rank) {
  row.insert(row.end(), {rank.rho, rank.interval.low, rank.interval.high});
}

}  // namespace

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
    table.add(std::move(row));
  }
  return table;
}

AblateResult run_ablation(const LoadedModel& loaded, const AblateOptions& options, std::stop_token stop,
                          const ProgressCallback& progress) {
  if (!std::isfinite(options.factor)) {
    throw UsageError("--factor: it must be a finite number");
  }
  if (!(options.gate >= 0 && options.gate <= 1)) {
    throw UsageError("--gate: a gate lies in [0, 1]");
  }
  return Ablation(loaded, options, std::move(stop), progress).run();
}

}  // namespace mog::app
