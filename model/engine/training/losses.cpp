// The product with the vocabulary is the largest tensor of training: labels · vocabulary floats, and
// autograd would keep it several times (logits, log-probabilities, gradient). Since the gradient is known in
// closed form, p − target, it is computed in the same pass, a chunk of rows at a time, in place of the
// probabilities. Memory is one chunk (1 MB on the CPU, where it then stays in the cache; 256 MB on a GPU,
// which wants few launches) and the gradients of the weights.
//
// Sums are float64, so that the loss does not depend on how rows fall into chunks by more than the products
// do.
//
// Trap: no graph is built. Gradients of weight and bias are added to `grad` by hand; whoever wraps the
// output layer in something with a graph of its own gets none.
#include "model/engine/training/losses.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>

namespace mog::engine {

namespace {

// Elements of one chunk of logits: stays in the processor's cache; a GPU wants few launches.
constexpr std::int64_t kChunkElements = 1 << 18;
constexpr std::int64_t kChunkElementsCuda = 1 << 26;

void add_gradient(const at::Tensor& leaf, const at::Tensor& gradient) {
  if (!leaf.requires_grad()) {
    return;  // frozen
  }
  if (leaf.grad().defined()) {
    leaf.mutable_grad().add_(gradient);
  } else {
    leaf.mutable_grad() = gradient;
  }
}

}  // namespace

at::Tensor indices_on(at::Device device, const std::vector<std::int64_t>& values) {
  return at::tensor(values, at::TensorOptions().dtype(at::kLong)).to(device);
}

LossSums smoothed_cross_entropy(const at::Tensor& states, const Linear& output, const at::Tensor& rows,
                                const at::Tensor& classes, double smoothing, double scale,
                                at::Tensor* state_gradient) {
  const at::NoGradGuard no_gradients;
  const auto sums = states.options().dtype(at::kDouble);
  LossSums result{at::zeros({}, sums), at::zeros({}, sums)};
  const at::Tensor labelled = states.detach().index_select(0, rows).to(output.weight.scalar_type());
  const at::Tensor weight = output.weight.detach();
  const std::int64_t count = rows.size(0);
  const std::int64_t vocabulary = weight.size(0);
  const double even = smoothing / static_cast<double>(vocabulary);
  const std::int64_t limit = states.is_cuda() ? kChunkElementsCuda : kChunkElements;
  const std::int64_t chunk = std::max<std::int64_t>(1, limit / vocabulary);
  at::Tensor weight_gradient;
  at::Tensor bias_gradient;
  at::Tensor labelled_gradient;
  if (state_gradient != nullptr) {
    weight_gradient = at::zeros_like(weight);
    bias_gradient = at::zeros({vocabulary}, weight.options());
    labelled_gradient = at::empty_like(labelled);
  }
  for (std::int64_t begin = 0; begin < count; begin += chunk) {
    const std::int64_t size = std::min(chunk, count - begin);
    const at::Tensor input = labelled.narrow(0, begin, size);
    const at::Tensor logits = output.bias.defined() ? at::addmm(output.bias.detach(), input, weight.t())
                                                    : at::mm(input, weight.t());
    const at::Tensor label = classes.narrow(0, begin, size).unsqueeze(1);
    at::Tensor log_p = at::log_softmax(logits, 1);
    const at::Tensor nll = -log_p.gather(1, label).sum(at::kDouble);
    result.nll += nll;
    result.loss += (1.0 - smoothing) * nll;
    if (smoothing > 0.0) {
      result.loss -= even * log_p.sum(at::kDouble);
    }
    if (state_gradient == nullptr) {
      continue;
    }
    // d loss / d logits = p - target distribution
    at::Tensor gradient = log_p.exp_();
    gradient.sub_(even);
    gradient.scatter_add_(1, label, at::full({size, 1}, smoothing - 1.0, gradient.options()));
    gradient.mul_(scale);
    at::Tensor rows_out = labelled_gradient.narrow(0, begin, size);
    at::mm_out(rows_out, gradient, weight);
    weight_gradient.addmm_(gradient.t(), input);
    if (output.bias.defined()) {
      bias_gradient.add_(gradient.sum(0));
    }
  }
  if (state_gradient != nullptr) {
    state_gradient->index_add_(0, rows, labelled_gradient.to(state_gradient->scalar_type()));
    add_gradient(output.weight, weight_gradient);
    if (output.bias.defined()) {
      add_gradient(output.bias, bias_gradient);
    }
  }
  return result;
}

}  // namespace mog::engine
