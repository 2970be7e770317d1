// The gradient of an update is the sum over its batches of scaled sums (objectives.h), and the scale is that
// of the whole update. So it is the sum over processes, too, whichever has which sentences; no mean of means
// is taken. Three sums a step: labels and tokens before it, gradients, and losses.
//
// Adam's step is then taken by every process for itself, from the same bits. Whether processors of two kinds
// would round it alike is not known, so the weights are compared now and then: by the sum over a tensor of
// its values' bits as integers, which costs one pass over the memory.
#include "model/engine/training/joint_steps.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <array>
#include <span>

namespace mog::engine {
namespace {

constexpr std::array kDistillation = {"hidden", "last", "attention", "sentence"};

template <class Value>
std::span<Value> values_of(const at::Tensor& tensor) {
  return {tensor.mutable_data_ptr<Value>(), static_cast<std::size_t>(tensor.numel())};
}

void sum(model::Processes& processes, const at::Tensor& block) {
  if (block.scalar_type() == at::kDouble) {
    processes.sum(values_of<double>(block));
  } else {
    processes.sum(values_of<float>(block));
  }
}

std::vector<std::int64_t> bit_sums(const std::vector<at::Tensor>& tensors) {
  std::vector<std::int64_t> sums;
  for (const at::Tensor& tensor : tensors) {
    const at::ScalarType bits = tensor.scalar_type() == at::kDouble ? at::kLong : at::kInt;
    sums.push_back(tensor.detach().view(bits).sum(at::kLong).item<std::int64_t>());
  }
  return sums;
}

}  // namespace

void sum_counts(model::Processes& processes, std::map<std::string, std::int64_t>& counts) {
  std::vector<double> values;  // exact below 2^53
  values.reserve(counts.size());
  for (const auto& [name, count] : counts) {
    values.push_back(static_cast<double>(count));
  }
  processes.sum(std::span(values));
  std::size_t at = 0;
  for (auto& [name, count] : counts) {
    count = static_cast<std::int64_t>(values[at++]);
  }
}

void sum_gradients(model::Processes& processes, const std::vector<at::Tensor>& leaves, at::Tensor& block) {
  if (leaves.empty()) {
    return;
  }
  const at::NoGradGuard no_gradients;
  std::int64_t total = 0;
  for (const at::Tensor& leaf : leaves) {
    total += leaf.numel();
  }
  const auto count = static_cast<std::int64_t>(leaves.size());
  // Behind the gradients whether there is one, leaf by leaf.
  if (!block.defined()) {
    block = at::empty({total + count}, at::TensorOptions().dtype(leaves.front().scalar_type()));
  }
  const at::Tensor there = block.narrow(0, total, count);
  std::int64_t begin = 0;
  for (std::int64_t at = 0; at < count; ++at) {
    const at::Tensor& leaf = leaves[static_cast<std::size_t>(at)];
    const bool has = leaf.grad().defined();
    const at::Tensor place = block.narrow(0, begin, leaf.numel());
    if (has) {
      place.view(leaf.sizes()).copy_(leaf.grad());
    } else {
      place.zero_();
    }
    there.select(0, at).fill_(has ? 1.0 : 0.0);
    begin += leaf.numel();
  }
  sum(processes, block);
  begin = 0;
  for (std::int64_t at = 0; at < count; ++at) {
    const at::Tensor& leaf = leaves[static_cast<std::size_t>(at)];
    if (there.select(0, at).item<double>() > 0.0) {
      leaf.mutable_grad() = block.narrow(0, begin, leaf.numel()).view(leaf.sizes()).to(leaf.device());
    }
    begin += leaf.numel();
  }
}

bool sum_losses(model::Processes& processes, const std::vector<std::string>& names, bool mine,
                std::map<std::string, Objectives::Sums>& sums, std::map<std::string, double>& distillation) {
  std::vector<double> values;
  for (const std::string& name : names) {
    const Objectives::Sums& own = sums[name];
    values.insert(values.end(), {own.loss, own.nll, static_cast<double>(own.labels)});
  }
  for (const char* const name : kDistillation) {
    values.push_back(distillation.contains(name) ? distillation.at(name) : 0.0);
    values.push_back(distillation.contains(name) ? 1.0 : 0.0);
  }
  values.push_back(mine ? 1.0 : 0.0);
  processes.sum(std::span(values));
  std::size_t at = 0;
  for (const std::string& name : names) {
    sums[name] = {values[at], values[at + 1], static_cast<std::int64_t>(values[at + 2])};
    at += 3;
  }
  std::erase_if(sums, [](const auto& entry) { return entry.second.labels == 0; });
  for (const char* const name : kDistillation) {
    if (values[at + 1] > 0.0) {
      distillation[name] = values[at];
    }
    at += 2;
  }
  return values[at] > 0.0;
}

void share_tensors(model::Processes& processes, const std::vector<at::Tensor>& tensors) {
  const at::NoGradGuard no_gradients;
  for (const at::Tensor& tensor : tensors) {
    const at::Tensor host = tensor.detach().to(at::kCPU).contiguous();
    if (host.numel() > 0) {
      processes.share({static_cast<std::byte*>(host.mutable_data_ptr()), host.nbytes()});
      tensor.detach().copy_(host);
    }
  }
}

std::vector<std::int64_t> first_differences(model::Processes& processes,
                                            const std::vector<at::Tensor>& tensors) {
  const std::vector<std::int64_t> own = bit_sums(tensors);
  std::vector<std::int64_t> first = own;
  processes.share(std::as_writable_bytes(std::span(first)));
  const auto differs = std::mismatch(own.begin(), own.end(), first.begin()).first;
  std::vector<double> places(static_cast<std::size_t>(processes.count()), 0.0);
  places[static_cast<std::size_t>(processes.rank())] =
      differs == own.end() ? -1.0 : static_cast<double>(differs - own.begin());
  processes.sum(std::span(places));
  return {places.begin(), places.end()};
}

}  // namespace mog::engine
