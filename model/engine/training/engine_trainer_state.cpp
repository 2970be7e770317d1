// What a trainer has between two steps: shown, saved, and the same in all processes that train together.
#include "model/engine/training/engine_trainer.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "io/recording/errors.h"
#include "model/engine/inference/engine_model.h"
#include "model/engine/training/initial_weights.h"
#include "model/engine/training/joint_steps.h"
#include "model/model_directory.h"

namespace mog::engine {

TensorTable EngineTrainer::shown() const {
  TensorTable table;
  for (const auto& [name, leaf] : leaves_) {
    const auto average = averages_.find(name);
    table.emplace(name, average == averages_.end() ? leaf.detach() : average->second);
  }
  return table;
}

std::shared_ptr<const model::Model> EngineTrainer::model() {
  std::shared_ptr<const model::Model> result;
  translate_errors("opening the model that is being trained", [&] {
    const at::NoGradGuard no_gradients;
    const TensorTable table = shown();
    result = std::make_shared<EngineModel>(config_,
                                           model::describe_config("in training", config_, options_.positions),
                                           bind_weights(config_, table), device_.text, device_.threads);
  });
  return result;
}

std::map<std::string, HostTensor> EngineTrainer::weights() const {
  std::map<std::string, HostTensor> result;
  for (const auto& [name, tensor] : shown()) {
    result.emplace(name, to_host(tensor.to(at::kFloat)));
  }
  return result;
}

TrainingState EngineTrainer::state() const {
  return {.weights = leaves_,
          .averages = averages_,
          .trained = trained_,
          .first = adam_->first(),
          .second = adam_->second(),
          .random = dropout_.generator->get_state(),
          .steps = adam_->steps()};
}

std::vector<at::Tensor> EngineTrainer::changing() const {
  std::vector<at::Tensor> tensors;
  for (const TensorTable* const table : {&leaves_, &averages_}) {
    for (const auto& [name, tensor] : *table) {
      tensors.push_back(tensor);
    }
  }
  for (const std::vector<at::Tensor>* const moments : {&adam_->first(), &adam_->second()}) {
    tensors.insert(tensors.end(), moments->begin(), moments->end());
  }
  return tensors;
}

void EngineTrainer::join(std::shared_ptr<model::Processes> processes, std::stop_token stop) {
  stop_ = std::move(stop);
  processes_ = processes->count() > 1 ? std::move(processes) : nullptr;
  if (!processes_) {
    return;
  }
  translate_errors("joining the processes of a training run", [&] {
    share_tensors(*processes_, changing());
    std::int64_t steps = adam_->steps();
    processes_->share(std::as_writable_bytes(std::span(&steps, 1)));
    adam_->restore(steps, adam_->first(), adam_->second());
  });
}

void EngineTrainer::check_alike() const {
  if (!processes_) {
    return;
  }
  std::vector<std::int64_t> places;
  translate_errors("comparing the weights of all processes",
                   [&] { places = first_differences(*processes_, changing()); });
  const auto other = std::find_if(places.begin(), places.end(), [](std::int64_t at) { return at >= 0; });
  if (other == places.end()) {
    return;
  }
  std::string what = "an average or a moment of Adam";
  if (static_cast<std::size_t>(*other) < leaves_.size()) {
    what = std::next(leaves_.begin(), *other)->first;
  }
  throw Error("Training, after step " + std::to_string(adam_->steps()) + ": in process " +
              std::to_string(other - places.begin() + 1) + " of " + std::to_string(places.size()) + " " +
              what +
              " is no longer that of the first process, bit for bit. Processors of different kinds round "
              "differently: run all processes on machines of one kind. The last checkpoint is whole.");
}

void EngineTrainer::save_state(const std::filesystem::path& file) const {
  TrainingState now;
  translate_errors("saving the training state", [&] { now = state(); });
  write_training_state(file, now, {config_, options_, device_});
}

void EngineTrainer::load_state(const std::filesystem::path& file) {
  const TrainingState read = read_training_state(file, state(), {config_, options_, device_});
  translate_errors("loading the training state " + file.string(), [&] {
    const at::NoGradGuard no_gradients;
    dropout_.generator->set_state(read.random);
    for (auto& [name, leaf] : leaves_) {
      leaf.copy_(read.weights.at(name));
    }
    for (auto& [name, average] : averages_) {
      average.copy_(read.averages.at(name));
    }
    adam_->restore(read.steps, read.first, read.second);
  });
}

}  // namespace mog::engine
