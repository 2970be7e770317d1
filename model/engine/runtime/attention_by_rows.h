// Attention of a pass by the kernels that keep no map.
#pragma once

#include <ATen/ATen.h>

#include "model/engine/cuda/attention_kernels.h"
#include "model/engine/modules/taps.h"

namespace mog::engine {

// float32, heads that are not too wide, rows whose columns are neighbours.
bool fits(const PackedAttention& attention);

// context: [query token, a]; entropy, greatest: packed rows [head · query token] or undefined. All are
// filled.
struct RowResults {
  const at::Tensor& context;
  const at::Tensor& entropy;
  const at::Tensor& greatest;
};
// One launch on a graphics card; on the CPU the sentences are shared out among the threads of ATen.
void attend_rows(const AttentionKernels& kernels, const AttentionPlan& plan, const PackedAttention& attention,
                 const RowResults& results);

}  // namespace mog::engine
