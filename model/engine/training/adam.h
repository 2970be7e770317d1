// Adam (Kingma and Ba 2015) with decoupled weight decay over all leaves at once.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "model/trainer.h"

namespace mog::engine {

class Adam {
 public:
  // `leaves`: the tensors that are trained, of one device; moments start at zero. factors: [leaf], of its
  // learning rate.
  Adam(std::vector<at::Tensor> leaves, std::vector<double> factors, const model::TrainerOptions& options);

  // Euclidean norm of all gradients together; a leaf without a gradient counts as zero.
  double gradient_norm() const;
  // One update; gradients are multiplied by `gradient_scale` first. They are cleared afterwards.
  void step(double learning_rate, double gradient_scale);
  void clear_gradients();

  const std::vector<at::Tensor>& leaves() const noexcept { return leaves_; }
  std::int64_t steps() const noexcept { return steps_; }
  // first, second: as long as the leaves.
  const std::vector<at::Tensor>& first() const noexcept { return first_; }
  const std::vector<at::Tensor>& second() const noexcept { return second_; }
  void restore(std::int64_t steps, const std::vector<at::Tensor>& first,
               const std::vector<at::Tensor>& second);

 private:
  void step_group(double factor, double learning_rate, const at::Tensor& scale);

  std::vector<at::Tensor> leaves_;
  std::vector<double> factors_;
  std::vector<at::Tensor> first_;
  std::vector<at::Tensor> second_;
  std::vector<at::Tensor> counts_;  // steps_ as tensors, as the fused kernel wants it
  double beta1_;
  double beta2_;
  double epsilon_;
  double weight_decay_;
  std::int64_t steps_ = 0;
};

}  // namespace mog::engine
