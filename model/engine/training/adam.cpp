// The update is LibTorch's fused kernel over lists of tensors: one launch for all leaves of a learning rate
// instead of several for each. Leaves with another factor are a list of their own, since the kernel knows
// one rate. The norm of the gradients comes the same way, and clipping is given to the kernel as a scale, so
// that no gradient is rewritten. Memory: two moments a weight.
//
// Traps: the kernel divides by its scale, so it gets the inverse. All leaves share one count of steps; one
// that had no gradient in a step keeps its moments, but its correction of the bias goes on. found_inf must
// be there and zero, or the kernel skips the step.
#include "model/engine/training/adam.h"

#include <ATen/core/grad_mode.h>

#include <set>

namespace mog::engine {

Adam::Adam(std::vector<at::Tensor> leaves, std::vector<double> factors, const model::TrainerOptions& options)
    : leaves_(std::move(leaves)),
      factors_(std::move(factors)),
      beta1_(options.beta1),
      beta2_(options.beta2),
      epsilon_(options.epsilon),
      weight_decay_(options.weight_decay) {
  for (const at::Tensor& leaf : leaves_) {
    first_.push_back(at::zeros_like(leaf.detach()));
    second_.push_back(at::zeros_like(leaf.detach()));
    counts_.push_back(at::zeros({}, at::TensorOptions(leaf.device()).dtype(at::kFloat)));
  }
}

double Adam::gradient_norm() const {
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& leaf : leaves_) {
    if (leaf.grad().defined()) {
      gradients.push_back(leaf.grad());
    }
  }
  if (gradients.empty()) {
    return 0.0;
  }
  return at::stack(at::_foreach_norm(gradients)).norm().item<double>();
}

void Adam::step_group(double factor, double learning_rate, const at::Tensor& scale) {
  std::vector<at::Tensor> leaves;
  std::vector<at::Tensor> gradients;
  std::vector<at::Tensor> first;
  std::vector<at::Tensor> second;
  std::vector<at::Tensor> counts;
  for (std::size_t at = 0; at < leaves_.size(); ++at) {
    if (factors_[at] == factor && leaves_[at].grad().defined()) {
      leaves.push_back(leaves_[at]);
      gradients.push_back(leaves_[at].grad());
      first.push_back(first_[at]);
      second.push_back(second_[at]);
      counts.push_back(counts_[at]);
    }
  }
  if (leaves.empty()) {
    return;
  }
  const at::Tensor found_inf = at::zeros({}, scale.options());
  at::_fused_adamw_(leaves, gradients, first, second, {}, counts, factor * learning_rate, beta1_, beta2_,
                    weight_decay_, epsilon_, /*amsgrad=*/false, /*maximize=*/false, scale, found_inf);
}

void Adam::step(double learning_rate, double gradient_scale) {
  const at::NoGradGuard no_gradients;
  ++steps_;
  for (at::Tensor& count : counts_) {
    count.fill_(static_cast<double>(steps_));
  }
  if (leaves_.empty()) {
    return;
  }
  // The kernel divides gradients by its scale.
  const at::Tensor scale =
      at::full({}, 1.0 / gradient_scale, at::TensorOptions(leaves_[0].device()).dtype(at::kFloat));
  for (const double factor : std::set<double>(factors_.begin(), factors_.end())) {
    step_group(factor, learning_rate, scale);
  }
  clear_gradients();
}

void Adam::clear_gradients() {
  for (at::Tensor& leaf : leaves_) {
    leaf.mutable_grad() = at::Tensor();
  }
}

void Adam::restore(std::int64_t steps, const std::vector<at::Tensor>& first,
                   const std::vector<at::Tensor>& second) {
  const at::NoGradGuard no_gradients;
  steps_ = steps;
  for (std::size_t at = 0; at < leaves_.size(); ++at) {
    first_[at].copy_(first[at]);
    second_[at].copy_(second[at]);
  }
}

}  // namespace mog::engine
