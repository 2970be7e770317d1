// What observers want of single attention rows beside entropy and the greatest weight, from maps: where the
// kernels that make no map (attention_by_rows.h) cannot be used.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>

#include "io/recording/quantity_name.h"
#include "model/engine/modules/packed_input.h"

namespace mog::engine {

// Whether it is one of them: the sink, distances, the greatest weights and their keys.
bool is_row_detail(Reduction reduction);
// Numbers a row: 1, kMostBins or kMostTop.
std::int64_t row_width(Reduction reduction);

// maps: [sentences, head, queries, keys] float32 of one group, as Taps::maps gives them. Returns the packed
// rows of its sentences, [head · query, row_width], float32 on the CPU. One pass over the maps.
at::Tensor row_detail(Reduction reduction, const at::Tensor& maps, const AttentionPlan& plan,
                      const AttentionGroup& group);

}  // namespace mog::engine
