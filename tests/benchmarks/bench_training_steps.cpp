// Our side of bench_training.py: training steps on real batches, one command a line.
//
//   bench_training_steps CONFIG DATA FOLDER UPDATES [DEVICE]
// writes FOLDER/batches.json and FOLDER/weights.safetensors, says "ready", then answers
//   compare  losses of the first steps without dropout, from those weights
//   time     seconds of all steps with the configuration's dropout

#include <chrono>
#include <ctime>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/workflow/experiment/train_config.h"
#include "app/workflow/experiment/train_data.h"
#include "app/workflow/experiment/train_tokenizer.h"
#include "io/checkpoint/safetensors.h"
#include "io/recording/errors.h"
#include "io/text/output_file.h"
#include "model/trainer.h"

namespace {

using nlohmann::json;

constexpr std::size_t kCompared = 5;
constexpr double kLearningRate = 1e-4;

struct Work {
  mog::model::ModelConfig model;
  mog::model::TrainerOptions options;
  std::vector<mog::model::TrainingBatch> batches;
  std::string device;
};

Work prepare(const std::filesystem::path& file, const std::filesystem::path& data,
             const std::filesystem::path& folder, std::size_t updates, const std::string& device) {
  mog::app::TrainConfig config = mog::app::read_train_config(file);
  const auto tagged = mog::app::read_tagged(config.train, data, config.tasks);
  for (const mog::app::TaskConfig& task : config.tasks) {
    config.model.tasks[task.name] = mog::app::tag_set(tagged, task);
  }
  const mog::app::NewTokenizer tokenizer = mog::app::new_tokenizer(config, data, folder, tagged, {});
  config.model.vocab_size = tokenizer.source->vocabulary().size();
  std::vector<mog::app::Example> examples;
  for (const mog::app::TaggedSentence& sentence : tagged) {
    examples.push_back(
        mog::app::make_example(sentence, tokenizer.source->encode_words(sentence.words), config.model.tasks));
  }
  Work work{config.model, config.training.trainer, {}, device};
  for (const auto& chosen : mog::app::epoch_batches(examples, config.training.batch_tokens, 1, 1)) {
    if (work.batches.size() < updates) {
      work.batches.push_back(mog::app::make_batch(examples, chosen));
    }
  }
  return work;
}

json to_document(const Work& work) {
  json document = {{"model", json::parse(mog::model::to_json(work.model))},
                   {"dropout", work.options.dropout},
                   {"label_smoothing", work.options.label_smoothing},
                   {"clip_norm", work.options.clip_norm},
                   {"learning_rate", kLearningRate},
                   {"compared", kCompared}};
  for (const mog::model::TrainingBatch& batch : work.batches) {
    document["batches"].push_back(
        {{"ids", batch.input.ids}, {"offsets", batch.input.offsets}, {"labels", batch.labels}});
  }
  return document;
}

std::unique_ptr<mog::model::Trainer> trainer(const Work& work, double dropout,
                                             const std::map<std::string, mog::HostTensor>* weights) {
  mog::model::TrainerOptions options = work.options;
  options.dropout = dropout;
  options.word_dropout = 0.0;
  return mog::model::create_trainer(work.model, options, {.device = work.device}, weights);
}

json compare(const Work& work, const std::map<std::string, mog::HostTensor>& weights) {
  const auto stepping = trainer(work, 0.0, &weights);
  json losses = json::array();
  for (std::size_t at = 0; at < std::min(kCompared, work.batches.size()); ++at) {
    losses.push_back(stepping->step({work.batches[at]}, kLearningRate).loss);
  }
  return {{"losses", losses}};
}

json time_steps(const Work& work, mog::model::Trainer& stepping) {
  const auto started = std::chrono::steady_clock::now();
  const std::clock_t cpu = std::clock();
  std::int64_t tokens = 0;
  for (const mog::model::TrainingBatch& batch : work.batches) {
    stepping.step({batch}, kLearningRate);
    tokens += batch.input.tokens();
  }
  return {{"seconds", std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count()},
          {"cpu_seconds", static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC},
          {"tokens", tokens}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5 && argc != 6) {
    std::cerr << "bench_training_steps CONFIG DATA FOLDER UPDATES [DEVICE]\n";
    return 2;
  }
  try {
    const std::filesystem::path folder = argv[3];
    const Work work = prepare(argv[1], argv[2], folder, std::stoul(argv[4]), argc == 6 ? argv[5] : "cpu");
    const auto timed = trainer(work, work.options.dropout, nullptr);
    const std::map<std::string, mog::HostTensor> weights = timed->weights();
    mog::io::write_tensors(folder / "weights.safetensors", weights);
    mog::io::write_file(folder / "batches.json", to_document(work).dump());
    std::cout << "ready" << std::endl;
    for (std::string command; std::getline(std::cin, command);) {
      std::cout << (command == "compare" ? compare(work, weights) : time_steps(work, *timed)).dump()
                << std::endl;
    }
  } catch (const mog::Error& error) {
    std::cerr << error.what() << "\n";
    return static_cast<int>(error.exit_code());
  }
  return 0;
}
