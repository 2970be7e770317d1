#include "app/workflow/evaluate/evaluate_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/workflow/evaluate/evaluate_raw.h"
#include "app/workflow/evaluate/tag_lexicon.h"
#include "app/workflow/record/live_run.h"
#include "app/workflow/record/rounding_error.h"
#include "io/recording/errors.h"
#include "model/stored_model.h"
#include "model/tokenizer/words/words.h"

namespace mog::app {

namespace {

using nlohmann::ordered_json;

struct Aligned {
  std::vector<analysis::TagSequence> gold;
  std::vector<analysis::TagSequence> predicted;
};

// Words with a gold tag; sentences without any are left out.
Aligned align(std::span<const TaggedSentence> gold, std::span<const SentenceTags> predicted,
              const std::string& task) {
  Aligned aligned;
  for (std::size_t at = 0; at < gold.size(); ++at) {
    const auto wanted = gold[at].tags.find(task);
    const auto given = predicted[at].tags.find(task);
    if (wanted == gold[at].tags.end() || given == predicted[at].tags.end()) {
      continue;
    }
    if (wanted->second.size() != given->second.size()) {
      throw UsageError("Scoring task " + task + ": sentence " + std::to_string(at + 1) + " has " +
                       std::to_string(wanted->second.size()) + " gold and " +
                       std::to_string(given->second.size()) + " predicted tags.");
    }
    analysis::TagSequence gold_tags;
    analysis::TagSequence predicted_tags;
    for (std::size_t word = 0; word < wanted->second.size(); ++word) {
      if (!wanted->second[word].empty()) {
        gold_tags.push_back(wanted->second[word]);
        predicted_tags.push_back(given->second[word]);
      }
    }
    if (!gold_tags.empty()) {
      aligned.gold.push_back(std::move(gold_tags));
      aligned.predicted.push_back(std::move(predicted_tags));
    }
  }
  return aligned;
}

analysis::Score score_of(analysis::TaggingMetric metric, const Aligned& aligned,
                         const analysis::BootstrapOptions& bootstrap) {
  return metric == analysis::TaggingMetric::span_f1
             ? analysis::span_f1(aligned.gold, aligned.predicted, bootstrap)
             : analysis::accuracy(aligned.gold, aligned.predicted, bootstrap);
}

ordered_json to_json(const analysis::Score& score) {
  ordered_json document;
  document["value"] = score.value;
  document["low"] = score.interval.low;
  document["high"] = score.interval.high;
  document["sentences"] = score.sentences;
  document["items"] = score.items;
  return document;
}

}  // namespace

bool is_iob(const std::vector<std::string>& tags) {
  return std::any_of(tags.begin(), tags.end(),
                     [](const std::string& tag) { return tag.starts_with("B-"); }) &&
         std::all_of(tags.begin(), tags.end(), [](const std::string& tag) {
           return tag == "O" || tag.starts_with("B-") || tag.starts_with("I-");
         });
}

std::string_view metric_name(const TaskScore& score) {
  return score.metric == analysis::TaggingMetric::accuracy ? "accuracy"
         : score.of_words                                  ? "word_f1"
                                                           : "span_f1";
}

std::vector<TaskConfig> match_tasks(const std::map<std::string, std::vector<std::string>>& tasks,
                                    const DataSplit& gold) {
  std::vector<TaskConfig> matched;
  for (const auto& [name, tags] : tasks) {
    TaskConfig task;
    task.name = name;
    if (is_iob(tags)) {
      task.column = TaskColumn::iob2;
      for (const std::string& tag : tags) {
        if (tag.starts_with("B-")) {
          task.labels.push_back(tag.substr(2));
        }
      }
      if (!gold.iob2.empty()) {
        matched.push_back(task);
      }
    } else if ((name == "upos" || name == "xpos") && !gold.conllu.empty()) {
      task.column = name == "upos" ? TaskColumn::upos : TaskColumn::xpos;
      matched.push_back(task);
    }
  }
  return matched;
}

std::vector<TaskScore> score_tags(const std::vector<TaggedSentence>& gold,
                                  const std::vector<SentenceTags>& predicted,
                                  const std::map<std::string, std::vector<std::string>>& tasks,
                                  const analysis::BootstrapOptions& bootstrap) {
  if (gold.size() != predicted.size()) {
    throw UsageError("Scoring tags: " + std::to_string(gold.size()) + " gold sentences and " +
                     std::to_string(predicted.size()) + " predicted ones.");
  }
  std::vector<TaskScore> scores;
  for (const auto& [task, tags] : tasks) {
    const Aligned aligned = align(gold, predicted, task);
    if (aligned.gold.empty()) {
      continue;
    }
    TaskScore score;
    score.task = task;
    score.metric = is_iob(tags) ? analysis::TaggingMetric::span_f1 : analysis::TaggingMetric::accuracy;
    score.score = score_of(score.metric, aligned, bootstrap);
    scores.push_back(std::move(score));
  }
  return scores;
}

analysis::Comparison compare_tags(analysis::TaggingMetric metric, const std::string& task,
                                  const std::vector<TaggedSentence>& gold,
                                  const std::vector<SentenceTags>& first,
                                  const std::vector<SentenceTags>& second,
                                  const analysis::BootstrapOptions& bootstrap) {
  const Aligned left = align(gold, first, task);
  const Aligned right = align(gold, second, task);
  return analysis::compare(metric, left.gold, left.predicted, right.predicted, bootstrap);
}

std::optional<analysis::TagCounts> tag_counts(analysis::TaggingMetric metric, const std::string& task,
                                              const TaggedSentence& gold, const SentenceTags& predicted) {
  const Aligned one = align({&gold, 1}, {&predicted, 1}, task);
  if (one.gold.empty()) {
    return std::nullopt;
  }
  return analysis::tag_counts(metric, one.gold, one.predicted).front();
}

void add_lexicon(std::vector<TaskScore>& scores, const std::vector<TaggedSentence>& train,
                 const std::vector<TaggedSentence>& gold, const analysis::BootstrapOptions& bootstrap) {
  for (TaskScore& score : scores) {
    const TagLexicon lexicon(train, score.task);
    std::vector<SentenceTags> predicted(gold.size());
    std::int64_t words = 0;
    std::int64_t unknown = 0;
    for (std::size_t at = 0; at < gold.size(); ++at) {
      predicted[at].tags[score.task] = lexicon.tag(gold[at].words);
      for (const std::string& word : gold[at].words) {
        ++words;
        unknown += lexicon.knows(word) ? 0 : 1;
      }
    }
    score.lexicon = score_of(score.metric, align(gold, predicted, score.task), bootstrap);
    score.unknown_words = words > 0 ? static_cast<double>(unknown) / static_cast<double>(words) : 0.0;
  }
}

namespace {

// The sentences of one bin.
LengthScores scores_of_bin(const std::vector<TaggedSentence>& gold,
                           const std::vector<SentenceTags>& predicted,
                           const std::vector<TaggedSentence>& train,
                           const std::map<std::string, std::vector<std::string>>& tasks,
                           const EvaluateJobOptions& options, std::int64_t bin) {
  std::vector<TaggedSentence> some_gold;
  std::vector<SentenceTags> some_predicted;
  for (std::size_t at = 0; at < gold.size(); ++at) {
    if (options.bins->bin(static_cast<std::int64_t>(gold[at].words.size())) == bin) {
      some_gold.push_back(gold[at]);
      some_predicted.push_back(predicted[at]);
    }
  }
  LengthScores result;
  result.label = options.bins->label(bin);
  result.low = options.bins->low(bin);
  result.high = options.bins->high(bin);
  result.scores = score_tags(some_gold, some_predicted, tasks, options.bootstrap);
  if (!train.empty()) {
    add_lexicon(result.scores, train, some_gold, options.bootstrap);
  }
  return result;
}

ordered_json to_json(const std::vector<TaskScore>& scores) {
  ordered_json list = ordered_json::array();
  for (const TaskScore& score : scores) {
    ordered_json item;
    item["task"] = score.task;
    item["measure"] = metric_name(score);
    item.update(to_json(score.score));
    if (score.lexicon) {
      item["lexicon"] = to_json(*score.lexicon);
      item["unknown_words"] = score.unknown_words;
    }
    list.push_back(std::move(item));
  }
  return list;
}

}  // namespace

namespace {

std::vector<std::string> raw_texts(const EvaluateJobOptions& options,
                                   const std::vector<TaggedSentence>& gold) {
  if (!options.raw_words) {
    return {};
  }
  if (options.gold.conllu.empty() || !options.train.empty()) {
    throw UsageError(
        "evaluate --raw-text: the text is that of a treebank, give --conllu; the lexicon of "
        "--train-conllu and --train-iob2 is compared on the gold words alone");
  }
  std::vector<std::string> texts = texts_of(options.gold.conllu, options.data_root);
  texts.resize(gold.size());  // sentences of the entities alone come last and have no text: they are left out
  return texts;
}

}  // namespace

EvaluateResult run_evaluate_job(const EvaluateJobOptions& options) {
  model::StoredModel directory = model::open_stored_model(options.model);
  const std::vector<TaskConfig> tasks = match_tasks(directory.config.tasks, options.gold);
  if (tasks.empty()) {
    std::string names;
    for (const auto& [name, tags] : directory.config.tasks) {
      names += " " + name;
    }
    throw UsageError("Evaluating " + options.model.string() +
                     ": no gold file has one of the model's tasks (" + (names.empty() ? " none" : names) +
                     " ); give --conllu for upos or xpos and --iob2 for entities.");
  }
  const std::vector<TaggedSentence> gold = read_tagged(options.gold, options.data_root, tasks);
  if (gold.empty()) {
    throw UsageError("Evaluating " + options.model.string() + ": the gold files have no sentence.");
  }
  std::vector<Sentence> sentences;
  const std::vector<std::string> texts = raw_texts(options, gold);
  const auto tokenizer = model::with_words(
      directory.tokenizer, words_of(directory.config, options.raw_words.value_or(model::WordCut::automatic)));
  EvaluateResult result;
  result.model = directory.card.name;
  for (std::size_t at = 0; at < gold.size(); ++at) {
    const std::int64_t number = static_cast<std::int64_t>(at) + 1;
    sentences.push_back(options.raw_words ? tokenizer->encode(texts[at], number)
                                          : tokenizer->encode_words(gold[at].words, number));
  }
  const std::shared_ptr<const model::Model> model = load_measured(directory, options.device);
  directory.stored.reset();  // they are the engine's now
  const std::vector<SentenceTags> predicted =
      tag_sentences(*model, sentences, 2000, options.stop, [&](std::int64_t done) {
        if (options.progress) {
          options.progress({.done = done,
                            .total = static_cast<std::int64_t>(gold.size()),
                            .unit = "sentences",
                            .message = "tagging"});
        }
      });
  const RawTags raw = options.raw_words ? over_characters(gold, sentences, predicted, directory.config.tasks)
                                        : RawTags{gold, predicted, directory.config.tasks};
  result.raw_text = options.raw_words.has_value();
  result.left_out = raw.left_out;
  result.sentences = static_cast<std::int64_t>(raw.gold.size());
  for (const TaggedSentence& sentence : raw.gold) {
    result.words += static_cast<std::int64_t>(sentence.words.size());
  }
  if (raw.gold.empty()) {
    throw UsageError(
        fmt::format("evaluate --raw-text: the words of none of the {} sentences spell their text (a treebank "
                    "whose multiword "
                    "tokens are not their parts?); leave out --raw-text",
                    gold.size()));
  }
  const auto name_spans = [&](std::vector<TaskScore>& scores) {
    for (TaskScore& score : scores) {
      const auto task = directory.config.tasks.find(score.task);
      score.of_words = result.raw_text && (task == directory.config.tasks.end() || !is_iob(task->second));
    }
  };
  result.scores = score_tags(raw.gold, raw.predicted, raw.tasks, options.bootstrap);
  name_spans(result.scores);
  std::vector<TaggedSentence> train;
  if (!options.train.empty()) {
    train = read_tagged(options.train, options.data_root, tasks);
    add_lexicon(result.scores, train, gold, options.bootstrap);
  }
  for (std::int64_t bin = 0; options.bins && bin < options.bins->size(); ++bin) {
    LengthScores scores = scores_of_bin(raw.gold, raw.predicted, train, raw.tasks, options, bin);
    name_spans(scores.scores);
    if (!scores.scores.empty()) {
      result.by_length.push_back(std::move(scores));
    }
  }
  return result;
}

std::string to_json(const EvaluateResult& result) {
  ordered_json document;
  document["sentences"] = result.sentences;
  document["words"] = result.words;
  document["raw_text"] = result.raw_text;
  document["left_out"] = result.left_out;
  document["scores"] = to_json(result.scores);
  for (const LengthScores& bin : result.by_length) {
    document["by_length"].push_back({{"bin", bin.label},
                                     {"length_low", bin.low},
                                     {"length_high", bin.high < 0 ? ordered_json() : ordered_json(bin.high)},
                                     {"scores", to_json(bin.scores)}});
  }
  return document.dump();
}

analysis::Table score_table(const EvaluateResult& result) {
  analysis::Table table;
  table.columns = {"model", "task",  "measure", "bin",  "length_low", "length_high", "sentences",
                   "items", "value", "low",     "high", "lexicon",    "lexicon_low", "lexicon_high"};
  const auto add = [&](const std::string& bin, const analysis::Cell& low, const analysis::Cell& high,
                       const std::vector<TaskScore>& scores) {
    for (const TaskScore& score : scores) {
      std::vector<analysis::Cell> row = {result.model,
                                         score.task,
                                         std::string(metric_name(score)),
                                         bin,
                                         low,
                                         high,
                                         score.score.sentences,
                                         score.score.items,
                                         score.score.value,
                                         score.score.interval.low,
                                         score.score.interval.high};
      if (score.lexicon) {
        row.insert(row.end(),
                   {score.lexicon->value, score.lexicon->interval.low, score.lexicon->interval.high});
      }
      row.resize(table.columns.size());
      table.add(std::move(row));
    }
  };
  add("all", {}, {}, result.scores);
  for (const LengthScores& bin : result.by_length) {
    analysis::Cell high;
    if (bin.high >= 0) {
      high = bin.high;
    }
    add(bin.label, bin.low, high, bin.scores);
  }
  return table;
}

}  // namespace mog::app
