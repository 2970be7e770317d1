// From configuration and files to examples.

#include <algorithm>
#include <cmath>

#include "app/workflow/common/text_format.h"
#include "app/workflow/train/train_inputs.h"
#include "app/workflow/train/train_run.h"
#include "io/recording/errors.h"
#include "io/text/sha256.h"

namespace mog::app {

TrainRun::TrainRun(TrainConfig config, TrainJobOptions options, TrainerFactory factory)
    : config_(std::move(config)),
      options_(std::move(options)),
      factory_(std::move(factory)),
      folder_(options_.output.empty() ? config_.output : options_.output) {
  require_output(config_.output, options_.output, config_.file);
  if (!options_.output.empty()) {
    config_.output = options_.output;
  }
  if (!factory_) {
    factory_ = [](const model::ModelConfig& model, const model::TrainerOptions& trainer,
                  const model::DeviceOptions& device, const std::map<std::string, HostTensor>* initial) {
      return model::create_trainer(model, trainer, device, initial);
    };
  }
}

void TrainRun::note(const std::string& text) const {
  if (options_.note) {
    options_.note(text);
  }
}

void TrainRun::check_folders() const {
  const bool checkpoint = folder_.has_checkpoint();
  if (options_.resume && !checkpoint) {
    throw UsageError("Resuming the training of " + config_.name + ": there is no checkpoint in " +
                     folder_.path().string() + ". Leave out --resume to start.");
  }
  if (options_.resume || options_.overwrite) {
    return;
  }
  if (checkpoint) {
    throw UsageError("Training " + config_.name + ": " + folder_.path().string() +
                     " holds the checkpoint of an earlier run. Go on with --resume, or start anew with "
                     "--overwrite.");
  }
  if (std::filesystem::exists(config_.output / "config.json")) {
    throw UsageError("Training " + config_.name + ": " + config_.output.string() +
                     " holds a model already. Choose another --output, or replace it with --overwrite.");
  }
}

std::filesystem::path TrainRun::data_root() const {
  return app::data_root(config_, options_);
}

PreparedData TrainRun::prepare(std::vector<TaggedSentence> tagged, const std::vector<SentencePair>& pairs,
                               const std::vector<TextLine>& texts) const {
  PreparedData data;
  std::int64_t number = 0;
  for (const TaggedSentence& sentence : tagged) {
    data.sentences.push_back(tokenizer_.source->encode_words(sentence.words, ++number));
    data.examples.push_back(make_example(sentence, data.sentences.back(), config_.model.tasks));
    if (teacher_tokenizer_) {
      add_teacher_reading(data.examples.back(), data.sentences.back(),
                          teacher_tokenizer_->encode_words(sentence.words, number));
    }
  }
  data.tagged = std::move(tagged);
  for (const SentencePair& pair : pairs) {
    data.sentences.push_back(tokenizer_.source->encode(pair.source, ++number));
    data.examples.push_back(
        make_example(data.sentences.back(), tokenizer_.target->encode(pair.target), config_.model.bos_id));
    data.references.push_back(pair.target);
  }
  // Plain text of the development part must fit too: it runs through both encoders.
  for (const auto& [text, share] : texts) {
    const Sentence encoded = tokenizer_.source->encode(text, ++number);
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

void TrainRun::leave_out_long() {
  PreparedData kept;
  left_out_ += train_.left_out;
  for (std::size_t at = 0; at < train_.examples.size(); ++at) {
    if (train_.examples[at].cost() > config_.training.max_tokens) {
      ++left_out_;
      continue;
    }
    kept.examples.push_back(std::move(train_.examples[at]));
    if (at < train_.tagged.size()) {
      kept.tagged.push_back(std::move(train_.tagged[at]));
    }
  }
  train_ = std::move(kept);
  if (left_out_ > 0) {
    note(std::to_string(left_out_) + " training sentences of more than " +
         std::to_string(config_.training.max_tokens) + " tokens are left out.");
  }
  if (train_.examples.empty()) {
    throw UsageError("Training " + config_.name + ": no training sentence is left (training.max_tokens = " +
                     std::to_string(config_.training.max_tokens) + ").");
  }
}

std::vector<TaggedSentence> TrainRun::read_part(const DataSplit& split) const {
  std::int64_t differing = 0;
  std::vector<TaggedSentence> sentences;
  if (!config_.translation()) {
    sentences = read_tagged(split, data_root(), config_.tasks, &differing);
  }
  if (differing > 0) {
    note(
        std::to_string(differing) +
        " sentences have other words in the IOB2 file than in the treebank and are kept twice, each with its "
        "own tags.");
  }
  return sentences;
}

std::vector<SentencePair> TrainRun::read_pair_part(const DataSplit& split) const {
  std::int64_t half_blank = 0;
  std::vector<SentencePair> pairs;
  if (config_.translation()) {
    pairs = read_pairs(split, data_root(), &half_blank);
  }
  if (half_blank > 0) {
    note(std::to_string(half_blank) + " pairs of lines with one blank side are left out.");
  }
  return pairs;
}

void TrainRun::check_tags(const std::vector<TaggedSentence>& sentences, const std::string& part) const {
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
    note(count + " have tags of task " + task.name +
         " that the training data do not have; they count as errors. The first: " + outside.first + ".");
  }
}

void TrainRun::read_data() {
  const std::filesystem::path root = data_root();
  note("Reading the data from " + root.string() + ".");
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
  check_tags(train_tagged, "data.train");
  if (!config_.tokenizer.model.empty()) {
    take_tokenizer(config_, folder_.path());
  }
  tokenizer_ = new_tokenizer(config_, root, folder_.path(), train_tagged, train_pairs);
  config_.model.vocab_size = tokenizer_.source->vocabulary().size();
  if (tokenizer_.target) {
    config_.model.target_vocab_size = tokenizer_.target->vocabulary().size();
  }
  if (config_.distill.own_pieces) {
    teacher_tokenizer_ = model::open_model_directory(config_.distill.teacher).tokenizer;
  }
  train_ = prepare(std::move(train_tagged), train_pairs, read_texts(config_.train, root));
  std::vector<TaggedSentence> dev = read_part(config_.dev);
  check_tags(dev, "data.dev");
  dev_ = prepare(std::move(dev), read_pair_part(config_.dev), read_texts(config_.dev, root));
  if (!config_.test.empty()) {
    std::vector<TaggedSentence> test = read_part(config_.test);
    check_tags(test, "data.test");
    test_ = prepare(std::move(test), read_pair_part(config_.test), {});
  }
  if (dev_.examples.empty()) {
    throw UsageError("Training " + config_.name + ": the development data have no sentence.");
  }
  leave_out_long();
  note(std::to_string(train_.examples.size()) + " training, " + std::to_string(dev_.examples.size()) +
       " development and " + std::to_string(test_.examples.size()) + " test sentences; vocabulary of " +
       std::to_string(config_.model.vocab_size) + ".");
}

void TrainRun::open_others() {
  if (!config_.start.model.empty()) {
    note("Starting from " + config_.start.model.string() + ".");
    start_ = load_start(config_, tokenizer_.source->vocabulary(), train_.examples);
    config_.training.trainer.positions = std::max(config_.training.trainer.positions, start_->positions);
  }
  if (config_.distills()) {
    note("Learning from " + config_.distill.teacher.string() + ".");
    teacher_ = load_teacher(config_.distill.teacher, tokenizer_.source->vocabulary(), config_.model,
                            options_.device);
  }
}

void TrainRun::create_trainer() {
  model::TrainerOptions& options = config_.training.trainer;
  if (options.bfloat16_products && !options_.resume) {
    const model::ProductSpeed speed = options_.product_speed(config_.model, options_.device);
    const auto rounded = [](double value) { return std::to_string(std::llround(value)); };
    if (!speed.bfloat16_gains()) {
      throw UsageError(
          "Training " + config_.name +
          ": training.precision = \"bfloat16\" gains nothing here: products of this size run at " +
          rounded(speed.bfloat16) + " billion multiply-adds a second, in float32 at " +
          rounded(speed.float32) + ". Use precision = \"float32\".");
    }
    note("Products take bfloat16 factors: " + rounded(speed.bfloat16) +
         " billion multiply-adds a second, in float32 " + rounded(speed.float32) + ".");
  }
  trainer_ = factory_(config_.model, options, options_.device, start_ ? &start_->weights : nullptr);
  if (teacher_) {
    trainer_->set_teacher(teacher_->model);
  }
}

RunIdentity TrainRun::identity() const {
  io::Sha256 whole;
  io::Sha256 data_alone;
  RunIdentity identity;
  identity.config = config_.text;
  identity.written = config_.sweep_run.empty();
  whole.update(config_.text);
  const auto part = [&](const std::string& name, const std::string& value) {
    whole.update(value);
    identity.parts[name] = value;
  };
  part("the seed", std::to_string(config_.training.trainer.seed));  // --seed may have replaced the file's
  part("the model to start from", start_ ? start_->weights_sha256 : "");
  part("the teacher", teacher_ ? teacher_->weights_sha256 : "");
  const auto add = [&](const std::vector<std::int64_t>& values) {
    whole.update(std::as_bytes(std::span(values)));
    data_alone.update(std::as_bytes(std::span(values)));
  };
  for (const PreparedData* data : {&train_, &dev_}) {
    for (const Example& example : data->examples) {
      add(example.ids);
      add(example.teacher_ids);
      add(example.target_labels);
      for (const auto& [task, labels] : example.labels) {
        add(labels);
      }
    }
  }
  identity.parts["the text of the data, or the tokenizer,"] = data_alone.hex();
  identity.hash = whole.hex();
  return identity;
}

}  // namespace mog::app
