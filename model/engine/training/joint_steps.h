// What the processes of a training run exchange: gradients and sums of a step, weights at the start, and
// whether their weights are still the same.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/engine/training/objectives.h"
#include "model/processes.h"

namespace mog::engine {

// Each process gives the same keys.
void sum_counts(model::Processes& processes, std::map<std::string, std::int64_t>& counts);

// The gradients of all leaves as one block, in their own type; a leaf that has one in some process has one in
// all. block: undefined at first, then kept from step to step. On the CPU the gradients lie in it afterwards.
void sum_gradients(model::Processes& processes, const std::vector<at::Tensor>& leaves, at::Tensor& block);

// What was summed over a step's batches: of each objective in `names`, and of each loss against a teacher.
// Objectives without a label are left out of the result. Returns whether `mine` is so in one process.
bool sum_losses(model::Processes& processes, const std::vector<std::string>& names, bool mine,
                std::map<std::string, Objectives::Sums>& sums, std::map<std::string, double>& distillation);

// Writes those of the first process over the others'.
void share_tensors(model::Processes& processes, const std::vector<at::Tensor>& tensors);

// [process]: the first of `tensors` whose bits are not those of the first process, -1 where all are.
std::vector<std::int64_t> first_differences(model::Processes& processes,
                                            const std::vector<at::Tensor>& tensors);

}  // namespace mog::engine
