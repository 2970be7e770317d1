// Runs of one text with activations of another (model/patching.h).
#pragma once

#include "model/engine/modules/forward.h"
#include "model/patching.h"

namespace mog::engine {

// Throws UsageError naming the site (by its place in the list) and what the model has.
void require_patchable(const model::ModelConfig& config, const Weights& weights,
                       const model::PatchRequest& request);

// What model::Patching::patch promises, of a request that was found patchable. context: of inference, on its
// device, and with the threads that the caller has set. source_rows: of make_input.
model::PatchEffects patched_effects(const ForwardContext& context, std::int64_t source_rows,
                                    const model::PatchRequest& request);

}  // namespace mog::engine
