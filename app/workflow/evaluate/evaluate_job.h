// `mog evaluate`: scores of a tagger against gold tags, with intervals, beside a lexicon.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/metrics/tagging.h"
#include "analysis/statistics/length_bins.h"
#include "analysis/statistics/table.h"
#include "app/workflow/evaluate/tag_job.h"
#include "app/workflow/experiment/train_data.h"
#include "model/model.h"

namespace mog::app {

// accuracy for tasks of single tags, span F1 for tasks whose tags are IOB.
struct TaskScore {
  std::string task;
  analysis::TaggingMetric metric = analysis::TaggingMetric::accuracy;
  bool of_words = false;  // of raw text: a span is a word, so its F1 is CoNLL 2018's of aligned words
  analysis::Score score;
  std::optional<analysis::Score> lexicon;  // the baseline on the same sentences
  double unknown_words = 0.0;              // share of test words the training part does not have
};

bool is_iob(const std::vector<std::string>& tags);
// "accuracy", "span_f1", "word_f1".
std::string_view metric_name(const TaskScore& score);

// The columns in which the gold files have the model's tasks: "upos", "xpos" from CoNLL-U, every IOB task
// from IOB2.
std::vector<TaskConfig> match_tasks(const std::map<std::string, std::vector<std::string>>& tasks,
                                    const DataSplit& gold);

// Scores predicted[i].tags[task] against gold[i].tags[task]; sentences without gold tags of a task are left
// out of its score.
std::vector<TaskScore> score_tags(const std::vector<TaggedSentence>& gold,
                                  const std::vector<SentenceTags>& predicted,
                                  const std::map<std::string, std::vector<std::string>>& tasks,
                                  const analysis::BootstrapOptions& bootstrap = {});

// `second` against `first` on the same resampled sentences.
analysis::Comparison compare_tags(analysis::TaggingMetric metric, const std::string& task,
                                  const std::vector<TaggedSentence>& gold,
                                  const std::vector<SentenceTags>& first,
                                  const std::vector<SentenceTags>& second,
                                  const analysis::BootstrapOptions& bootstrap = {});

// Of one sentence; nothing where it has no gold tags of the task.
std::optional<analysis::TagCounts> tag_counts(analysis::TaggingMetric metric, const std::string& task,
                                              const TaggedSentence& gold, const SentenceTags& predicted);

// Fills `lexicon` and `unknown_words` of every score.
void add_lexicon(std::vector<TaskScore>& scores, const std::vector<TaggedSentence>& train,
                 const std::vector<TaggedSentence>& gold, const analysis::BootstrapOptions& bootstrap = {});

struct EvaluateJobOptions {
  std::filesystem::path model;
  DataSplit gold;   // conllu and/or iob2
  DataSplit train;  // of the lexicon; may be empty
  std::filesystem::path data_root;
  model::DeviceOptions device;
  analysis::BootstrapOptions bootstrap;
  // Words are cut from the "# text = …" of the treebank instead, as the model has them or as this says, and
  // every score is an F1 over the characters (evaluate_raw.h); the task "words" scores the cut ("words (cut)"
  // where the model has a task of that name). Not with `train`.
  std::optional<model::WordCut> raw_words;
  std::optional<analysis::LengthBins> bins;  // of sentence length in words: scores in each of them too
  std::stop_token stop;
  ProgressCallback progress;
};

// Scores of the sentences whose length lies in one bin; tasks without a gold tag there are missing.
struct LengthScores {
  std::string label;
  std::int64_t low = 0;
  std::int64_t high = -1;  // first length beyond it; -1: open
  std::vector<TaskScore> scores;
};

struct EvaluateResult {
  std::string model;
  std::int64_t sentences = 0;  // that are scored, and their gold words
  std::int64_t words = 0;
  bool raw_text = false;
  std::int64_t left_out = 0;  // with raw_words: sentences whose gold words no text of the treebank spells
  std::vector<TaskScore> scores;
  std::vector<LengthScores> by_length;  // with bins; empty ones are left out
};

// Tasks of the model are matched with columns by name: "upos", "xpos" from CoNLL-U, every IOB task from
// IOB2. Throws UsageError when nothing can be scored.
EvaluateResult run_evaluate_job(const EvaluateJobOptions& options);

// {"sentences": …, "words": …, "raw_text": …, "left_out": …, "scores": [{"task": "upos", "metric":
// "accuracy", "value": …, "low": …, "high": …}]} With bins also "by_length": [{"bin": "1–9", "length_low": 0,
// "length_high": 10, "scores": […]}]; length_high is the first length beyond the bin, null without an end.
std::string to_json(const EvaluateResult& result);
// A row a task for all sentences (bin "all"), then one a task and bin. Columns: model, task, metric, bin,
// length_low, length_high, sentences, items, value, low, high, lexicon, lexicon_low, lexicon_high.
analysis::Table score_table(const EvaluateResult& result);

}  // namespace mog::app
