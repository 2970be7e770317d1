// From the tiles of the propagation to what observers get of it (internal to the engine).
#pragma once

#include <ATen/ATen.h>

#include "model/engine/decomposition/identities.h"
#include "model/engine/decomposition/propagation.h"
#include "model/engine/runtime/observation.h"

namespace mog::engine {

// Runs a propagation that knows all layers, and gives what is asked of encoder.L.propagation and
// encoder.propagation (docs/quantity-names.md): vectors [token, source, d_model], norms [token, source], for
// the whole encoder also projection shares [token, source]; the last source is the bias. Where identities are
// checked, the sum over sources of each layer is held against its output.
//
// source: planned without padding; output: of the encoder, [token, d_model]. Throws Interrupted when an
// observer stops the run.
void give_propagation(const Propagation& propagation, const at::Tensor& output, const StackInput& source,
                      Observation& observation, Identities& identities);

}  // namespace mog::engine
