// Training steps on LibTorch.
//
// Leaves are float32 tensors under the names of the model directory. A step binds them (joined projections
// are part of the graph), runs the packed forward pass of modules/ with dropout, gets the gradient of the
// loss at the last states from smoothed_cross_entropy, and lets autograd carry it back.
#pragma once

#include <ATen/ATen.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/engine/inference/engine_model.h"
#include "model/engine/modules/forward.h"
#include "model/engine/runtime/device.h"
#include "model/engine/training/adam.h"
#include "model/engine/training/distillation.h"
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

 private:
  // Labels of one objective of one batch, on the device.
  struct Objective {
    std::string task;    // empty: translation
    at::Tensor rows;     // int64 [label]
    at::Tensor classes;  // int64 [label]
    double weight = 1.0;
  };
  struct Sums {
    double loss = 0.0;
    double nll = 0.0;
    std::int64_t labels = 0;
  };
  // Factors of one update.
  struct Scales {
    model::LossWeights losses;
    std::map<std::string, double> tasks;  // of each objective's sum
    double tokens = 0.0;                  // 1 / tokens of the update
  };
  struct PassResult {
    std::map<std::string, Sums> tasks;
    std::map<std::string, double> distillation;  // means over the batch times its share of the update
  };
  // Labels a task (or translation, "") has in all batches.
  std::map<std::string, std::int64_t> count_labels(const std::vector<model::TrainingBatch>& batches) const;
  std::vector<Objective> objectives(const model::TrainingBatch& batch) const;
  Linear output_of(const std::string& task, const TensorTable& table) const;
  double weight_of(const std::string& task) const;
  PackedInput input_of(const model::TrainingBatch& batch) const;
  void drop_words(PackedInput& input);
  Scales scales_of(const std::vector<model::TrainingBatch>& batches, const model::LossWeights& losses) const;
  // Loss sums of one batch by objective; with `scales` also the gradients.
  PassResult pass(const model::TrainingBatch& batch, const Scales* scales);
  // Adds the gradients of the tasks to those of the leaves of the heads and to `gradient` (of the states).
  std::map<std::string, Sums> task_losses(const std::vector<Objective>& goals, const at::Tensor& states,
                                          const TensorTable& table, const Scales* scales,
                                          at::Tensor* gradient) const;
  struct TeacherPass {
    StateTaps taps;
    PackedInput input;
  };
  TeacherPass run_teacher(const model::TrainingBatch& batch, const model::LossWeights& losses) const;
  // What the student's pass over `input` is compared with.
  DistillationTerms compare(const StateTaps& taps, const PackedInput& input, const TeacherPass& teacher,
                            const model::TrainingBatch& batch, const model::LossWeights& losses) const;
  Weights bound_weights(const TensorTable& table) const;
  // What is shown of the weights: their averages where they are kept.
  TensorTable shown() const;
  void update_averages();
  model::StepResult combine(const std::map<std::string, Sums>& sums) const;
  std::string identity() const;

  model::ModelConfig config_;
  model::TrainerOptions options_;
  OpenDevice device_;
  TensorTable leaves_;
  TensorTable averages_;              // of the trained tensors; empty without averaging
  std::vector<std::string> trained_;  // names in the order of the optimiser
  SinusoidTable source_sinusoids_;
  Dropout dropout_;
  std::unique_ptr<Adam> adam_;
  std::shared_ptr<const EngineModel> teacher_;
  Weights teacher_weights_;
};

}  // namespace mog::engine
