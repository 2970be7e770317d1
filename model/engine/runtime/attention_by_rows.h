// Attention of a pass by the kernels that keep no map.
#pragma once

#include <ATen/ATen.h>

#include "model/engine/cuda/attention_kernels.h"
#include "model/engine/modules/taps.h"

namespace mog::engine {

// Numbers and heads that the kernels take, rows whose columns are neighbours.
bool fits(const AttentionKernels& kernels, const PackedAttention& attention);

// context: [query token, a] of the type of the queries; entropy, greatest: packed rows [head · query token],
// float32, or undefined. All are filled.
struct RowResults {
  const at::Tensor& context;
  const at::Tensor& entropy;
  const at::Tensor& greatest;
  const at::Tensor& maps16;  // [heads · area] float16, or undefined
  const at::Tensor& maps32;  // likewise, float32
};
// One launch on a graphics card; on the CPU sentences and heads are shared out among the threads of ATen.
void attend_rows(const AttentionKernels& kernels, const AttentionPlan& plan, const PackedAttention& attention,
                 const RowResults& results);

}  // namespace mog::engine
