// Attention over the groups of a plan.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>

#include "io/recording/quantity_name.h"
#include "model/config.h"
#include "model/engine/modules/dropout.h"
#include "model/engine/modules/packed_input.h"
#include "model/engine/modules/taps.h"

namespace mog::engine {

struct AttentionOptions {
  std::int64_t heads = 1;
  const Dropout* dropout = nullptr;
  Taps* taps = nullptr;
  QuantityName name;  // of the maps
};

// softmax(q·kᵀ/√(a/H))·v. query: [query token, a], key and value: [key token, a]; rows may be strided
// (columns of a joined projection). Returns the context [query token, a].
at::Tensor attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                  const AttentionPlan& plan, const AttentionOptions& options);

at::Tensor activate(model::Activation activation, const at::Tensor& x);

}  // namespace mog::engine
