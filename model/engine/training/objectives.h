// What a training step learns from labels: translations, tagging tasks and heads over pairs, each an
// objective of its own.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/engine/modules/weights.h"
#include "model/trainer.h"

namespace mog::engine {

class Objectives {
 public:
  // Labels of one objective of one batch, on the device.
  struct Labels {
    std::string task;    // empty: translation
    at::Tensor rows;     // int64 [label], the tokens that have one
    at::Tensor classes;  // int64 [label]
  };
  // Over labels: loss with label smoothing, and -log p of the label (nats).
  struct Sums {
    double loss = 0.0;
    double nll = 0.0;
    std::int64_t labels = 0;
  };
  using ByTask = std::map<std::string, double>;  // "": translation

  // Borrowed.
  Objectives(const model::ModelConfig& config, const model::TrainerOptions& options, at::Device device)
      : config_(config), options_(options), device_(device) {}

  // Objectives without a label in the batch are left out. Throws ShapeError where there is not one label a
  // token, ModelError for a label that is no class, UsageError for a task that the model does not have.
  std::vector<Labels> labels(const model::TrainingBatch& batch) const;
  std::vector<std::string> names() const;  // of all objectives, sorted
  // Labels that every objective has in all batches.
  std::map<std::string, std::int64_t> count(const std::vector<model::TrainingBatch>& batches) const;
  // Factors of the sums of one update with so many labels: `factor` times the mean over all of them, weighted
  // by task.
  ByTask scales(const std::map<std::string, std::int64_t>& counts, double factor) const;
  // Sums at the states [token, d_model]; table: the weights of the output layers. With `scales` gradients of
  // the scaled sums are added to those of the output layers' leaves and to `gradient` [token, d_model], that
  // of the states.
  std::map<std::string, Sums> losses(const std::vector<Labels>& labels, const at::Tensor& states,
                                     const TensorTable& table, const ByTask* scales,
                                     at::Tensor* gradient) const;
  // loss, nll (means over labels, weighted by task) and number of labels.
  model::StepResult means(const std::map<std::string, Sums>& sums) const;

 private:
  double weight_of(const std::string& task) const;
  Linear output_of(const std::string& task, const TensorTable& table) const;

  const model::ModelConfig& config_;
  const model::TrainerOptions& options_;
  at::Device device_;
};

}  // namespace mog::engine
