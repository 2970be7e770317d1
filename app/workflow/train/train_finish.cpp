// The end of a run: the best weights, rounded as they will be stored, are scored and written with their card.
#include "app/workflow/train/train_finish.h"

#include <utility>

#include "app/workflow/evaluate/tag_job.h"
#include "app/workflow/train/train_card.h"
#include "app/workflow/train/train_score.h"
#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "io/text/output_file.h"
#include "io/text/sha256.h"
#include "model/stored_model.h"
#include "model/tensor_table.h"

namespace mog::app {
namespace {

constexpr std::uint64_t kFileLimit = std::uint64_t{1} << 28U;

std::map<std::string, HostTensor> rounded(std::map<std::string, HostTensor> weights, io::WeightsType type) {
  for (auto& [name, tensor] : weights) {
    tensor = io::as_kept(tensor, type);
  }
  return weights;
}

std::string metric_key(const TaskScore& score) {
  return score.task + (score.metric == analysis::TaggingMetric::span_f1 ? ".f1" : ".accuracy");
}

std::map<std::string, std::string> tokenizer_files_of(const TrainSetup& setup) {
  std::map<std::string, std::string> files;
  for (const std::string& name : tokenizer_file_names(setup.config.model.tokenizer)) {
    files[name] = io::read_file(setup.folder.file(name), "the tokenizer file", kFileLimit);
  }
  return files;
}

void compare_with_twin(const TrainSetup& setup, const std::vector<SentenceTags>& predicted, CardData& card) {
  const std::filesystem::path twin = setup.config.twin.empty()
                                         ? std::filesystem::path()
                                         : setup.config.output.parent_path() / setup.config.twin;
  if (twin.empty() || !std::filesystem::exists(twin / "config.json")) {
    return;
  }
  note(setup.options, "Comparing with " + twin.string() + ".");
  model::StoredModel directory = model::open_stored_model(twin);
  const std::shared_ptr<const model::Model> model = model::load_model(directory, setup.options.device);
  directory.stored.reset();  // they are the engine's now
  std::vector<Sentence> sentences;
  for (const TaggedSentence& sentence : setup.parts.test.tagged) {
    sentences.push_back(directory.tokenizer->encode_words(sentence.words));
  }
  const std::vector<SentenceTags> other =
      tag_sentences(*model, sentences, setup.config.training.batch_tokens, setup.options.stop);
  card.twin = setup.config.twin;
  for (const TaskScore& score : score_tags(setup.parts.test.tagged, other, directory.config.tasks)) {
    if (setup.config.model.tasks.contains(score.task)) {
      card.twin_scores.push_back(
          {score.task, score.score,
           compare_tags(score.metric, score.task, setup.parts.test.tagged, other, predicted)});
    }
  }
}

CardData evaluate_test(const TrainSetup& setup, model::Trainer& trainer) {
  CardData card;
  card.test_sentences = static_cast<std::int64_t>(setup.parts.test.examples.size());
  if (setup.parts.test.examples.empty()) {
    return card;
  }
  if (setup.config.translation()) {
    const Validation validation =
        validate(trainer, setup.parts.test, {}, {}, setup.config.training.batch_tokens, setup.options.stop);
    card.test_nll = validation.values.at("nll");
    card.test_output = output_scores(setup, trainer, setup.parts.test, true);
    return card;
  }
  if (setup.config.model.graph) {
    card.test_output = graph_scores(setup, trainer, setup.parts.test);
    if (setup.config.tasks.empty()) {
      return card;
    }
  }
  const std::vector<SentenceTags> predicted = tag_sentences(
      *trainer.model(), setup.parts.test.sentences, setup.config.training.batch_tokens, setup.options.stop);
  card.test = score_tags(setup.parts.test.tagged, predicted, setup.config.model.tasks);
  add_lexicon(card.test, setup.parts.train.tagged, setup.parts.test.tagged);
  compare_with_twin(setup, predicted, card);
  return card;
}

// The best weights of validation, or the mean of the last ones where it is better, as they will be stored.
std::map<std::string, HostTensor> final_weights(const TrainSetup& setup, TrainState& state) {
  std::map<std::string, HostTensor> best = setup.folder.best_weights(state.best_step);
  if (setup.config.training.average_last > 1 && !state.averaged) {
    const std::map<std::string, HostTensor> mean = setup.folder.last_mean();
    if (!mean.empty()) {
      const Validation validation = validate_run(
          setup,
          *setup.factory(setup.config.model, setup.config.training.trainer, setup.options.device, &mean));
      const bool better = validation.score > state.best_score;
      note(setup.options, "The mean of the last weights scores " + std::to_string(validation.score) +
                              ", the best ones " + std::to_string(state.best_score) + ": " +
                              (better ? "the mean is taken." : "the best are taken."));
      if (better) {
        state.averaged = true;
        state.best_score = validation.score;
        state.best_dev = validation.values;
        setup.folder.save_best(state.best_step, mean);
        best = mean;
      }
    }
  }
  return rounded(std::move(best), setup.config.weights);
}

// All but the size and fingerprint of the file of weights, which is yet to be written.
void describe_run(const TrainSetup& setup, const TrainState& state, const MetricsLog& metrics,
                  CardData& card) {
  card.parameters = model::parameter_count(setup.config.model, setup.config.training.trainer.positions);
  card.steps = state.step;
  card.best_step = state.best_step;
  card.epochs = state.epoch;
  card.stopped_early = state.stopped_early;
  card.averaged = state.averaged;
  card.elapsed_s = state.elapsed_s;
  card.train_sentences = static_cast<std::int64_t>(setup.parts.train.examples.size());
  for (const Example& example : setup.parts.train.examples) {
    card.train_tokens += static_cast<std::int64_t>(example.ids.size());
  }
  card.left_out = setup.parts.left_out;
  if (setup.start) {
    card.origins.push_back(origin_of("Started from", setup.config.start.model, setup.start->weights_sha256));
  }
  if (setup.teacher) {
    card.origins.push_back(
        origin_of("Learnt from", setup.config.distill.teacher, setup.teacher->weights_sha256));
  }
  card.dev = state.best_dev;
  card.log = metrics.validations();
}

void write_model(const TrainSetup& setup, const std::map<std::string, HostTensor>& weights, CardData& card) {
  const TrainConfig& config = setup.config;
  model::write_model_directory(config.output, config.model, weights, config.weights,
                               tokenizer_files_of(setup), model_card(config, card));
  const std::filesystem::path file = config.output / "model.safetensors";
  card.weights_sha256 = io::file_sha256(file);
  card.weights_bytes = static_cast<std::int64_t>(std::filesystem::file_size(file));
  io::write_file(config.output / "README.md", model_card(config, card));
}

TrainResult result_of(const TrainConfig& config, const TrainState& state, const CardData& card,
                      double tokens_per_second) {
  TrainResult result;
  result.directory = config.output;
  result.device = card.device;
  result.parameters = card.parameters;
  result.steps = state.step;
  result.epochs = state.epoch;
  result.stopped_early = state.stopped_early;
  result.dev = state.best_dev;
  for (const TaskScore& score : card.test) {
    result.test[metric_key(score)] = score.score.value;
  }
  if (card.test_nll) {
    result.test["nll"] = *card.test_nll;
  }
  result.test.insert(card.test_output.begin(), card.test_output.end());
  if (!card.log.empty()) {
    result.distillation = card.log.back().distillation;
    result.token_cosine = card.log.back().token_cosine;
  }
  result.tokens_per_second = tokens_per_second;
  result.elapsed_s = state.elapsed_s;
  return result;
}

}  // namespace

TrainResult finish_training(const TrainSetup& setup, TrainState state, const MetricsLog& metrics) {
  const std::map<std::string, HostTensor> weights = final_weights(setup, state);
  const std::unique_ptr<model::Trainer> best =
      setup.factory(setup.config.model, setup.config.training.trainer, setup.options.device, &weights);
  CardData card = evaluate_test(setup, *best);
  card.device = best->model()->device();
  describe_run(setup, state, metrics, card);
  write_model(setup, weights, card);
  state.finished = true;
  setup.folder.remove_last();
  setup.folder.save(state, setup.identity, nullptr);
  note(setup.options, "The model is in " + setup.config.output.string() + ".");
  return result_of(setup.config, state, card, metrics.tokens_per_second());
}

}  // namespace mog::app
