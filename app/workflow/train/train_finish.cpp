// The end of a run: the best weights, rounded as they will be stored, are scored and written with their card.

#include "app/workflow/evaluate/tag_job.h"
#include "app/workflow/train/train_card.h"
#include "app/workflow/train/train_run.h"
#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "io/text/output_file.h"
#include "io/text/sha256.h"
#include "model/model_directory.h"
#include "model/tensor_table.h"

namespace mog::app {

namespace {

constexpr std::uint64_t kFileLimit = std::uint64_t{1} << 28U;

std::map<std::string, HostTensor> rounded(std::map<std::string, HostTensor> weights, DType dtype) {
  for (auto& [name, tensor] : weights) {
    tensor = tensor.to(dtype);
  }
  return weights;
}

std::string metric_key(const TaskScore& score) {
  return score.task + (score.metric == analysis::TaggingMetric::span_f1 ? ".f1" : ".accuracy");
}

}  // namespace

std::map<std::string, std::string> TrainRun::tokenizer_files() const {
  std::map<std::string, std::string> files;
  for (const std::string& name : tokenizer_file_names(config_.model.tokenizer)) {
    files[name] = io::read_file(folder_.file(name), "the tokenizer file", kFileLimit);
  }
  return files;
}

void TrainRun::compare_with_twin(CardData& card, const std::vector<SentenceTags>& predicted) const {
  const std::filesystem::path twin =
      config_.twin.empty() ? std::filesystem::path() : config_.output.parent_path() / config_.twin;
  if (twin.empty() || !std::filesystem::exists(twin / "config.json")) {
    return;
  }
  note("Comparing with " + twin.string() + ".");
  const model::ModelDirectory directory = model::open_model_directory(twin);
  const std::shared_ptr<const model::Model> model = model::load_model(directory, options_.device);
  std::vector<Sentence> sentences;
  for (const TaggedSentence& sentence : test_.tagged) {
    sentences.push_back(directory.tokenizer->encode_words(sentence.words));
  }
  const std::vector<SentenceTags> other =
      tag_sentences(*model, sentences, config_.training.batch_tokens, options_.stop);
  card.twin = config_.twin;
  for (const TaskScore& score : score_tags(test_.tagged, other, directory.config.tasks)) {
    if (config_.model.tasks.contains(score.task)) {
      card.twin_scores.push_back(
          {score.task, score.score, compare_tags(score.metric, score.task, test_.tagged, other, predicted)});
    }
  }
}

CardData TrainRun::evaluate_test(model::Trainer& trainer) const {
  CardData card;
  card.test_sentences = static_cast<std::int64_t>(test_.examples.size());
  if (test_.examples.empty()) {
    return card;
  }
  if (config_.translation()) {
    const Validation validation =
        validate(trainer, test_, {}, {}, config_.training.batch_tokens, options_.stop);
    card.test_nll = validation.values.at("nll");
    if (config_.training.validation_bleu > 0) {
      card.test_bleu = bleu_of(trainer, test_, card.test_sentences);
    }
    return card;
  }
  const std::vector<SentenceTags> predicted =
      tag_sentences(*trainer.model(), test_.sentences, config_.training.batch_tokens, options_.stop);
  card.test = score_tags(test_.tagged, predicted, config_.model.tasks);
  add_lexicon(card.test, train_.tagged, test_.tagged);
  compare_with_twin(card, predicted);
  return card;
}

std::map<std::string, HostTensor> TrainRun::final_weights() {
  std::map<std::string, HostTensor> best = folder_.best_weights(state_.best_step);
  if (config_.training.average_last > 1 && !state_.averaged) {
    const std::map<std::string, HostTensor> mean = folder_.last_mean();
    if (!mean.empty()) {
      const Validation validation =
          validation_of(*factory_(config_.model, config_.training.trainer, options_.device, &mean));
      const bool better = validation.score > state_.best_score;
      note("The mean of the last weights scores " + std::to_string(validation.score) + ", the best ones " +
           std::to_string(state_.best_score) + ": " +
           (better ? "the mean is taken." : "the best are taken."));
      if (better) {
        state_.averaged = true;
        state_.best_score = validation.score;
        state_.best_dev = validation.values;
        folder_.save_best(state_.best_step, mean);
        best = mean;
      }
    }
  }
  return rounded(std::move(best), config_.weights);
}

TrainResult TrainRun::finish() {
  const std::map<std::string, HostTensor> weights = final_weights();
  const std::unique_ptr<model::Trainer> best =
      factory_(config_.model, config_.training.trainer, options_.device, &weights);
  CardData card = evaluate_test(*best);
  card.parameters = model::parameter_count(config_.model, config_.training.trainer.positions);
  card.device = best->model()->device();
  card.steps = state_.step;
  card.best_step = state_.best_step;
  card.epochs = state_.epoch;
  card.stopped_early = state_.stopped_early;
  card.averaged = state_.averaged;
  card.elapsed_s = state_.elapsed_s;
  card.train_sentences = static_cast<std::int64_t>(train_.examples.size());
  for (const Example& example : train_.examples) {
    card.train_tokens += static_cast<std::int64_t>(example.ids.size());
  }
  card.left_out = left_out_;
  if (start_) {
    card.origins.push_back(origin_of("Started from", config_.start.model, start_->weights_sha256));
  }
  if (teacher_) {
    card.origins.push_back(origin_of("Learnt from", config_.distill.teacher, teacher_->weights_sha256));
  }
  card.dev = state_.best_dev;
  card.log = metrics_->validations();
  model::write_model_directory(config_.output, config_.model, weights, config_.weights, tokenizer_files(),
                               model_card(config_, card));
  const std::filesystem::path file = config_.output / "model.safetensors";
  card.weights_sha256 = io::file_sha256(file);
  card.weights_bytes = static_cast<std::int64_t>(std::filesystem::file_size(file));
  io::write_file(config_.output / "README.md", model_card(config_, card));
  state_.finished = true;
  folder_.remove_last();
  folder_.save(state_, identity_, nullptr);
  note("The model is in " + config_.output.string() + ".");

  TrainResult result;
  result.directory = config_.output;
  result.parameters = card.parameters;
  result.steps = state_.step;
  result.epochs = state_.epoch;
  result.stopped_early = state_.stopped_early;
  result.dev = state_.best_dev;
  for (const TaskScore& score : card.test) {
    result.test[metric_key(score)] = score.score.value;
  }
  if (card.test_nll) {
    result.test["nll"] = *card.test_nll;
  }
  if (card.test_bleu) {
    result.test["bleu"] = *card.test_bleu;
  }
  if (!card.log.empty()) {
    result.distillation = card.log.back().distillation;
    result.token_cosine = card.log.back().token_cosine;
  }
  result.tokens_per_second = metrics_->tokens_per_second();
  result.elapsed_s = state_.elapsed_s;
  return result;
}

}  // namespace mog::app
