// Training steps on LibTorch.
//
// Leaves are float32 tensors (float64 for checks) under the names of the model directory. A step binds them
// (joined projections are part of the graph), runs the packed forward pass of modules/ with dropout, gets the
// gradient of the loss at the last states from smoothed_cross_entropy, and lets autograd carry it back.
#pragma once

#include <ATen/ATen.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/engine/modules/forward.h"
#include "model/engine/runtime/device.h"
#include "model/engine/training/adam.h"
#include "model/engine/training/objectives.h"
#include "model/engine/training/teacher.h"
#include "model/engine/training/training_state.h"
#include "model/trainer.h"

namespace mog::engine {

class EngineTrainer final : public model::Trainer {
 public:
  // `weights`: float32 on the CPU.
  EngineTrainer(model::ModelConfig config, model::TrainerOptions options, OpenDevice device,
                TensorTable weights);

  model::StepResult step(const std::vector<model::TrainingBatch>& batches, double learning_rate,
                         const model::LossWeights& losses) override;
  void set_teacher(std::shared_ptr<const model::Model> teacher) override;
  model::StepResult evaluate(const model::TrainingBatch& batch) override;
  std::shared_ptr<const model::Model> model() override;
  std::map<std::string, HostTensor> weights() const override;
  void save_state(const std::filesystem::path& file) const override;
  void load_state(const std::filesystem::path& file) override;
  void join(std::shared_ptr<model::Processes> processes, std::stop_token stop) override;
  void check_alike() const override;

 private:
  // Factors of one update.
  struct Scales {
    model::LossWeights losses;
    Objectives::ByTask tasks;  // of each objective's sum
    std::int64_t tokens = 0;   // of the update
  };
  struct PassResult {
    std::map<std::string, Objectives::Sums> tasks;
    std::map<std::string, double> distillation;  // means over the batch times its share of the update
    bool stop_requested = false;
  };
  PackedInput input_of(const model::TrainingBatch& batch) const;
  void drop_words(PackedInput& input);
  Scales scales_of(const std::vector<model::TrainingBatch>& batches, const model::LossWeights& losses) const;
  // Sums of all batches of one update; gradients are those of the whole update.
  PassResult passes(const std::vector<model::TrainingBatch>& batches, const Scales& scales);
  void draw_own_masks();
  // Loss sums of one batch by objective; with `scales` also the gradients.
  PassResult pass(const model::TrainingBatch& batch, const Scales* scales);
  // The same with a graph to learn, in one or more rounds.
  PassResult graph_pass(const model::TrainingBatch& batch, const Scales* scales);
  Weights bound_weights(const TensorTable& table) const;
  // What is shown of the weights: their averages where they are kept.
  TensorTable shown() const;
  void update_averages();
  // Shares the memory of the trainer's tensors.
  TrainingState state() const;
  std::vector<at::Tensor> changing() const;  // of it, what every process has alike

  model::ModelConfig config_;
  model::TrainerOptions options_;
  OpenDevice device_;
  Objectives objectives_;  // of these three
  TensorTable leaves_;
  TensorTable averages_;              // of the trained tensors; empty without averaging
  std::vector<std::string> trained_;  // names in the order of the optimiser
  SinusoidTable source_sinusoids_;
  Dropout dropout_;
  std::unique_ptr<Adam> adam_;
  std::unique_ptr<const Teacher> teacher_;
  std::shared_ptr<model::Processes> processes_;  // nullptr: alone
  at::Tensor exchanged_;                         // of sum_gradients()
  std::stop_token stop_;                         // of this one of them
};

}  // namespace mog::engine
