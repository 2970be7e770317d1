// Attention of a pass by the kernels that keep no map.
#pragma once

#include <ATen/ATen.h>

#include "model/engine/cuda/attention_kernels.h"
#include "model/engine/modules/taps.h"

namespace mog::engine {

// Numbers and heads that the kernels take, rows whose columns are neighbours. detail: with greatest weights
// or distances.
bool fits(const AttentionKernels& kernels, const PackedAttention& attention, bool detail);

// What is defined is filled; packed rows are [head · query token], float32 where nothing else is said.
struct RowResults {
  at::Tensor context;  // [query token, a] of the type of the queries
  at::Tensor entropy;
  at::Tensor greatest;
  at::Tensor sink;
  at::Tensor distances;    // [row, kMostBins]
  at::Tensor top_weights;  // [row, kMostTop], with top_keys or neither
  at::Tensor top_keys;     // int32
  at::Tensor maps16;       // [heads · area] float16
  at::Tensor maps32;       // likewise, float32
  at::Tensor means;        // [area]
};
// One launch on a graphics card, and one a head where a mean is wanted that its kernels do not give; on the
// CPU work is shared out among the threads of ATen.
void attend_rows(const AttentionKernels& kernels, const AttentionPlan& plan, const PackedAttention& attention,
                 const RowResults& results);

}  // namespace mog::engine
