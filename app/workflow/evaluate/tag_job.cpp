#include "app/workflow/evaluate/tag_job.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "app/workflow/common/best_tags.h"
#include "app/workflow/evaluate/word_files.h"
#include "app/workflow/graphs/read_graphs.h"
#include "app/workflow/record/live_run.h"
#include "app/workflow/record/rounding_error.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"
#include "io/text/conllu.h"
#include "model/stored_model.h"
#include "model/tokenizer/words/words.h"

namespace mog::app {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t kBlockSentences = 1000;

// Takes the best tag of each word's first token out of the logits of every head.
class BestTags final : public model::Observer {
 public:
  BestTags(std::span<const Sentence> sentences, const std::map<std::string, std::vector<std::string>>& tasks,
           std::vector<SentenceTags>& tags, std::stop_token stop)
      : sentences_(sentences), tasks_(tasks), tags_(tags), stop_(std::move(stop)) {}

  void start(const std::vector<std::int64_t>& batch) { batch_ = &batch; }

  std::optional<DType> wants(const QuantityName& name) const override {
    const bool wanted =
        name.of_task() && name.quantity() == Quantity::logits && name.reduction() == Reduction::full;
    return wanted ? std::optional<DType>(DType::float32) : std::nullopt;
  }

  bool observe(const QuantityName& name, const model::PackedValues& values) override {
    const std::vector<std::string>& names = tasks_.at(name.task());
    const std::span<const float> logits = values.values.values<float>();
    for (std::size_t at = 0; at < batch_->size(); ++at) {
      const auto index = static_cast<std::size_t>((*batch_)[at]);
      const auto begin = static_cast<std::size_t>(values.offsets[at]);
      const auto end = static_cast<std::size_t>(values.offsets[at + 1]);
      tags_[index].tags[name.task()] =
          best_tags(sentences_[index], logits.subspan(begin, end - begin), names);
    }
    return !stop_.stop_requested();
  }

 private:
  std::span<const Sentence> sentences_;
  const std::map<std::string, std::vector<std::string>>& tasks_;
  std::vector<SentenceTags>& tags_;
  std::stop_token stop_;
  const std::vector<std::int64_t>* batch_ = nullptr;
};

std::string tsv_text(const Sentence& sentence, const SentenceTags& tags) {
  std::string text;
  for (std::size_t word = 0; word < sentence.words.size(); ++word) {
    text += sentence.words[word].text;
    for (const auto& [task, values] : tags.tags) {
      text += "\t" + values[word];
    }
    text += "\n";
  }
  return text + "\n";
}

std::string json_text(const Sentence& sentence, const SentenceTags& tags) {
  ordered_json document;
  document["sentence"] = sentence.number;
  document["text"] = sentence.text;
  document["words"] = ordered_json::array();
  for (const Word& word : sentence.words) {
    document["words"].push_back(word.text);
  }
  document["tags"] = ordered_json::object();
  for (const auto& [task, values] : tags.tags) {
    document["tags"][task] = values;
  }
  return document.dump() + "\n";
}

// "ner" → "Ner": keys of MISC start with a capital.
std::string misc_key(std::string task) {
  if (task[0] >= 'a' && task[0] <= 'z') {
    task[0] = static_cast<char>(task[0] - 'a' + 'A');
  }
  return task;
}

// MISC with `key`=`value`, in the place of what it said of that key.
std::string with_pair(const std::string& misc, const std::string& key, const std::string& value) {
  std::string pairs;
  std::istringstream rest(misc == "_" ? "" : misc);
  for (std::string pair; std::getline(rest, pair, '|');) {
    if (!pair.starts_with(key + "=")) {
      pairs += pair + "|";
    }
  }
  return pairs + key + "=" + value;
}

std::string conllu_text(const Sentence& sentence, const SentenceTags& tags,
                        const io::TreebankSentence* tree) {
  std::string text;
  if (tree != nullptr) {
    for (const std::string& comment : tree->comments) {
      text += comment + "\n";
    }
  } else {
    text += "# sent_id = " + std::to_string(sentence.number) + "\n# text = " + sentence.text + "\n";
  }
  for (std::size_t word = 0; word < sentence.words.size(); ++word) {
    io::TreebankWord row;
    row.lemma = row.upos = row.xpos = row.feats = row.deprel = row.misc = "_";
    if (tree != nullptr) {
      row = tree->words[word];
    }
    for (const auto& [task, values] : tags.tags) {
      if (task == "upos") {
        row.upos = values[word].empty() ? "_" : values[word];
      } else if (task == "xpos") {
        row.xpos = values[word].empty() ? "_" : values[word];
      } else if (!values[word].empty()) {  // a word of no token has no tag
        row.misc = with_pair(row.misc, misc_key(task), values[word]);
      }
    }
    text += std::to_string(word + 1) + "\t" + sentence.words[word].text + "\t" + row.lemma + "\t" + row.upos +
            "\t" + row.xpos + "\t" + row.feats + "\t" +
            (tree != nullptr && tree->has_heads ? std::to_string(row.head) : "_") + "\t" + row.deprel +
            "\t_\t" + row.misc + "\n";
  }
  return text + "\n";
}

}  // namespace

std::vector<SentenceTags> tag_sentences(const model::Model& model, std::span<const Sentence> sentences,
                                        std::int64_t batch_tokens, std::stop_token stop,
                                        const std::function<void(std::int64_t done)>& progress) {
  const auto& tasks = model.config().tasks;
  if (tasks.empty()) {
    throw UsageError("Tagging with model " + model.card().name +
                     ": it has no tagging heads (key tasks of config.json); choose a tagger.");
  }
  std::vector<std::int64_t> lengths;
  lengths.reserve(sentences.size());
  for (const Sentence& sentence : sentences) {
    lengths.push_back(static_cast<std::int64_t>(sentence.tokens.size()));
  }
  std::vector<SentenceTags> tags(sentences.size());
  BestTags observer(sentences, tasks, tags, stop);
  model::Observer* const observers[] = {&observer};
  std::int64_t done = 0;
  for (const std::vector<std::int64_t>& chosen : model::pack_by_length(lengths, batch_tokens)) {
    if (stop.stop_requested()) {
      throw Interrupted("Tagging was stopped after " + std::to_string(done) + " sentences.");
    }
    std::vector<Sentence> own;
    own.reserve(chosen.size());
    for (const std::int64_t index : chosen) {
      own.push_back(sentences[static_cast<std::size_t>(index)]);
    }
    const model::PackedBatch batch = packed_with_graphs(model, own, stop);
    observer.start(chosen);
    model.run(batch, {}, observers);
    done += static_cast<std::int64_t>(chosen.size());
    if (progress) {
      progress(done);
    }
  }
  return tags;
}

TagFormat parse_tag_format(std::string_view text) {
  if (text == "tsv") {
    return TagFormat::tsv;
  }
  if (text == "jsonl") {
    return TagFormat::jsonl;
  }
  if (text == "conllu") {
    return TagFormat::conllu;
  }
  throw unknown_choice("--format", text, {"tsv", "jsonl", "conllu"});
}

std::string tagged_text(TagFormat format, const Sentence& sentence, const SentenceTags& tags,
                        const io::TreebankSentence* tree) {
  switch (format) {
    case TagFormat::tsv:
      return tsv_text(sentence, tags);
    case TagFormat::jsonl:
      return json_text(sentence, tags);
    case TagFormat::conllu:
      break;
  }
  return conllu_text(sentence, tags, tree);
}

TagResult run_tag_job(const TagJobOptions& options) {
  model::StoredModel directory = model::open_stored_model(options.model);
  if (directory.config.tasks.empty()) {
    throw UsageError("Tagging with model " + options.model.string() +
                     ": it has no tagging heads (key tasks of config.json); choose a tagger.");
  }
  const auto tokenizer = model::with_words(directory.tokenizer, words_of(directory.config, options.words));
  WordInput input(options.input, *tokenizer);
  const std::shared_ptr<const model::Model> model = load_measured(directory, options.device);
  directory.stored.reset();  // they are the engine's now
  TextOutput output(options.output, options.print);
  TagResult result;
  if (options.format == TagFormat::tsv) {
    std::string header = "word";
    for (const auto& [task, tags] : directory.config.tasks) {
      header += "\t" + task;
    }
    output.write(header + "\n");
  }
  bool more = true;
  while (more) {
    std::vector<Sentence> sentences;
    std::vector<io::TreebankSentence> trees;
    while (sentences.size() < kBlockSentences) {
      const bool enough =
          options.max_sentences > 0 &&
          result.sentences + static_cast<std::int64_t>(sentences.size()) >= options.max_sentences;
      Sentence sentence;
      io::TreebankSentence tree;
      if (enough || !input.next(sentence, tree)) {
        more = false;
        break;
      }
      sentences.push_back(std::move(sentence));
      trees.push_back(std::move(tree));
    }
    const std::vector<SentenceTags> tags =
        tag_sentences(*model, sentences, options.batch_tokens, options.stop, {});
    for (std::size_t at = 0; at < sentences.size(); ++at) {
      output.write(
          tagged_text(options.format, sentences[at], tags[at], input.has_trees() ? &trees[at] : nullptr));
      result.words += static_cast<std::int64_t>(sentences[at].words.size());
    }
    result.sentences += static_cast<std::int64_t>(sentences.size());
    if (options.progress) {
      options.progress({.done = result.sentences, .total = 0, .unit = "sentences", .message = "tagging"});
    }
  }
  if (result.sentences == 0) {
    throw UsageError("Tagging " + options.input.string() + ": the file has no sentence.");
  }
  output.commit();
  return result;
}

}  // namespace mog::app
