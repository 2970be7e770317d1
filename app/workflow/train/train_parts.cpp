// From configuration and files to examples. The training data come first: the tags of the tasks, the
// tokenizer and the vocabularies are learnt from them, and development and test data are read by what they
// gave.
#include "app/workflow/train/train_parts.h"

#include <algorithm>
#include <utility>

#include "app/workflow/common/text_format.h"
#include "app/workflow/train/train_inputs.h"
#include "io/recording/errors.h"
#include "model/model_directory.h"

namespace mog::app {
namespace {

class PartsReader {
 public:
  PartsReader(TrainConfig& config, const TrainJobOptions& options, const std::filesystem::path& folder)
      : config_(config), options_(options), folder_(folder), root_(data_root(config, options)) {}

  TrainParts read();

 private:
  std::vector<TaggedSentence> read_part(const DataSplit& split) const;
  std::vector<SentencePair> read_pair_part(const DataSplit& split) const;
  // Tags that a head cannot say: refused where task.tags closes the set or where there are many.
  void check_tags(const std::vector<TaggedSentence>& sentences, const std::string& part) const;
  PreparedData prepare(std::vector<TaggedSentence> tagged, const std::vector<SentencePair>& pairs,
                       const std::vector<TextLine>& texts) const;
  // What a parser learns from the tree of a sentence.
  void add_gold(Example& example, const Sentence& encoded, const TaggedSentence& sentence) const;
  // The labels of the trees, and with them the relations that an encoder reads.
  void set_labels(const std::vector<TaggedSentence>& sentences) const;
  void leave_out_long();
  void check_parts();
  // The examples are windows of documents.
  bool of_documents() const {
    return config_.model.graph && config_.model.graph->kind == model::GraphKind::coreference;
  }
  PreparedData windows(const DataSplit& split) const;
  // For a tokenizer to learn from, a sentence a document.
  std::vector<TaggedSentence> words_of_documents() const;

  TrainConfig& config_;
  const TrainJobOptions& options_;
  const std::filesystem::path& folder_;
  std::filesystem::path root_;
  TrainParts parts_;
  std::shared_ptr<const model::Tokenizer> teacher_tokenizer_;  // with own pieces
};

std::vector<TaggedSentence> PartsReader::read_part(const DataSplit& split) const {
  std::int64_t differing = 0;
  std::vector<TaggedSentence> sentences;
  if (!config_.translation()) {
    sentences = read_tagged(split, root_, config_.tasks, &differing);
  }
  if (differing > 0) {
    note(options_, std::to_string(differing) +
                       " sentences have other words in the IOB2 file than in the treebank and are kept "
                       "twice, each with its "
                       "own tags.");
  }
  return sentences;
}

std::vector<SentencePair> PartsReader::read_pair_part(const DataSplit& split) const {
  std::int64_t half_blank = 0;
  std::vector<SentencePair> pairs;
  if (config_.translation()) {
    pairs = read_pairs(split, root_, &half_blank);
  }
  if (half_blank > 0) {
    note(options_, std::to_string(half_blank) + " pairs of lines with one blank side are left out.");
  }
  return pairs;
}

void PartsReader::check_tags(const std::vector<TaggedSentence>& sentences, const std::string& part) const {
  constexpr double kMost = 0.01;
  for (const TaskConfig& task : config_.tasks) {
    const bool closed = !task.tags.empty();
    const std::vector<std::string>& set = closed ? task.tags : config_.model.tasks.at(task.name);
    const OutsideTags outside = tags_outside(sentences, task, set);
    if (outside.words == 0) {
      continue;
    }
    const std::string count =
        std::to_string(outside.words) + " of " + std::to_string(outside.of) + " words of " + part;
    if (closed || static_cast<double>(outside.words) > kMost * static_cast<double>(outside.of)) {
      throw FormatError("Reading " + outside.first + ", which is none of " + joined(set, " ") +
                        (closed ? " (tasks." + task.name + ".tags)"
                                : ", the tags of task " + task.name + " in the training data") +
                        "; " + count + " have such tags.");
    }
    note(options_,
         count + " have tags of task " + task.name +
             " that the training data do not have; they count as errors. The first: " + outside.first + ".");
  }
}

void PartsReader::add_gold(Example& example, const Sentence& encoded, const TaggedSentence& sentence) const {
  const model::GraphConfig& graph = *config_.model.graph;
  const model::DependencyTree tree = tree_of(sentence, graph.labels, config_.graph.subtypes);
  if (graph.reads_states()) {
    add_derivation(example, config_.model, encoded, tree);
  } else {
    add_tree(example, graph, encoded, tree, config_.model.encoder.graph_input.has_value());
  }
}

PreparedData PartsReader::prepare(std::vector<TaggedSentence> tagged, const std::vector<SentencePair>& pairs,
                                  const std::vector<TextLine>& texts) const {
  PreparedData data;
  std::int64_t number = 0;
  for (const TaggedSentence& sentence : tagged) {
    data.sentences.push_back(parts_.tokenizer.source->encode_words(sentence.words, ++number));
    data.examples.push_back(make_example(sentence, data.sentences.back(), config_.model.tasks));
    if (config_.model.graph) {
      add_gold(data.examples.back(), data.sentences.back(), sentence);
    }
    if (teacher_tokenizer_) {
      add_teacher_reading(data.examples.back(), data.sentences.back(),
                          teacher_tokenizer_->encode_words(sentence.words, number));
    }
  }
  data.tagged = std::move(tagged);
  for (const SentencePair& pair : pairs) {
    data.sentences.push_back(parts_.tokenizer.source->encode(pair.source, ++number));
    data.examples.push_back(make_example(data.sentences.back(), parts_.tokenizer.target->encode(pair.target),
                                         config_.model.bos_id));
    data.references.push_back(pair.target);
  }
  // Plain text of the development part must fit too: it runs through both encoders.
  for (const auto& [text, share] : texts) {
    const Sentence encoded = parts_.tokenizer.source->encode(text, ++number);
    Example example = make_example(encoded, config_.model.tasks);
    example.share = share;
    if (teacher_tokenizer_) {
      add_teacher_reading(example, encoded, teacher_tokenizer_->encode(text, number));
    }
    if (example.cost() <= config_.training.max_tokens) {
      data.examples.push_back(std::move(example));
    } else {
      ++data.left_out;
    }
  }
  return data;
}

std::vector<TaggedSentence> PartsReader::words_of_documents() const {
  std::vector<TaggedSentence> sentences;
  for (CorefText& text : read_coref(config_.train, root_)) {
    sentences.emplace_back().words = std::move(text.words);
  }
  return sentences;
}

PreparedData PartsReader::windows(const DataSplit& split) const {
  PreparedData data;
  data.documents = read_coref(split, root_);
  for (const CorefText& text : data.documents) {
    CorefWindows windows = coref_windows(*parts_.tokenizer.source, text, config_.model.graph->window,
                                         config_.model.graph->overlap);
    for (std::size_t at = 0; at < windows.sentences.size(); ++at) {
      data.examples.push_back(
          coref_example(windows.sentences[at], analysis::chains_inside(text.chains, windows.places[at])));
      data.sentences.push_back(std::move(windows.sentences[at]));
    }
  }
  return data;
}

void PartsReader::set_labels(const std::vector<TaggedSentence>& sentences) const {
  model::GraphConfig& graph = *config_.model.graph;
  graph.labels = relation_set(sentences, config_.graph.subtypes);
  if (config_.model.encoder.graph_input) {
    config_.model.encoder.graph_input->relations = graph.relations();
  }
}

void PartsReader::leave_out_long() {
  // Windows are as long as they were made.
  const std::int64_t longest = of_documents()
                                   ? std::max(config_.model.graph->window, config_.training.max_tokens)
                                   : config_.training.max_tokens;
  PreparedData kept;
  parts_.left_out += parts_.train.left_out;
  for (std::size_t at = 0; at < parts_.train.examples.size(); ++at) {
    if (parts_.train.examples[at].cost() > longest) {
      ++parts_.left_out;
      continue;
    }
    kept.examples.push_back(std::move(parts_.train.examples[at]));
    if (at < parts_.train.tagged.size()) {
      kept.tagged.push_back(std::move(parts_.train.tagged[at]));
    }
    if (at < parts_.train.sentences.size()) {
      kept.sentences.push_back(std::move(parts_.train.sentences[at]));
    }
  }
  parts_.train = std::move(kept);
  if (parts_.left_out > 0) {
    note(options_, std::to_string(parts_.left_out) + " training sentences of more than " +
                       std::to_string(config_.training.max_tokens) + " tokens are left out.");
  }
  if (parts_.train.examples.empty()) {
    throw UsageError("Training " + config_.name + ": no training sentence is left (training.max_tokens = " +
                     std::to_string(config_.training.max_tokens) + ").");
  }
}

TrainParts PartsReader::read() {
  note(options_, "Reading the data from " + root_.string() + ".");
  std::vector<TaggedSentence> train_tagged = read_part(config_.train);
  const std::vector<SentencePair> train_pairs = read_pair_part(config_.train);
  for (const TaskConfig& task : config_.tasks) {
    std::vector<std::string> tags = tag_set(train_tagged, task);
    if (tags.empty()) {
      throw UsageError("Training " + config_.name + ": the training data have no tag of task " + task.name +
                       ".");
    }
    config_.model.tasks[task.name] = std::move(tags);
  }
  if (config_.model.graph && !of_documents()) {
    set_labels(train_tagged);
  }
  check_tags(train_tagged, "data.train");
  if (!config_.tokenizer.model.empty()) {
    take_tokenizer(config_, folder_);
  }
  if (of_documents()) {
    train_tagged = words_of_documents();
  }
  parts_.tokenizer = new_tokenizer(config_, root_, folder_, train_tagged, train_pairs);
  config_.model.vocab_size = parts_.tokenizer.source->vocabulary().size();
  if (parts_.tokenizer.target) {
    config_.model.target_vocab_size = parts_.tokenizer.target->vocabulary().size();
  }
  if (config_.distill.own_pieces) {
    teacher_tokenizer_ = model::open_model_directory(config_.distill.teacher).tokenizer;
  }
  if (of_documents()) {
    parts_.train = windows(config_.train);
    parts_.dev = windows(config_.dev);
    parts_.test = windows(config_.test);
    check_parts();
    return std::move(parts_);
  }
  parts_.train = prepare(std::move(train_tagged), train_pairs, read_texts(config_.train, root_));
  std::vector<TaggedSentence> dev = read_part(config_.dev);
  check_tags(dev, "data.dev");
  parts_.dev = prepare(std::move(dev), read_pair_part(config_.dev), read_texts(config_.dev, root_));
  if (!config_.test.empty()) {
    std::vector<TaggedSentence> test = read_part(config_.test);
    check_tags(test, "data.test");
    parts_.test = prepare(std::move(test), read_pair_part(config_.test), {});
  }
  check_parts();
  return std::move(parts_);
}

void PartsReader::check_parts() {
  if (parts_.dev.examples.empty()) {
    throw UsageError("Training " + config_.name + ": the development data have no sentence.");
  }
  leave_out_long();
  note(options_, std::to_string(parts_.train.examples.size()) + " training, " +
                     std::to_string(parts_.dev.examples.size()) + " development and " +
                     std::to_string(parts_.test.examples.size()) + " test " +
                     (of_documents() ? "windows" : "sentences") + "; vocabulary of " +
                     std::to_string(config_.model.vocab_size) + ".");
}

}  // namespace

TrainParts read_train_parts(TrainConfig& config, const TrainJobOptions& options,
                            const std::filesystem::path& folder) {
  return PartsReader(config, options, folder).read();
}

}  // namespace mog::app
