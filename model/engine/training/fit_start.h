// A Graph-Transformer fitted, layer by layer and in closed form, to a plain encoder on a sample of text.
#pragma once

#include "model/engine/modules/forward.h"
#include "model/engine/modules/weights.h"

namespace mog::engine {

// `table` holds the student's weights with everything copied that has a counterpart in `source` (same
// vocabulary order as the sample); its attention, low and fc2 maps are replaced. `sample` and
// `source_sample`: the same sentences in both vocabularies. gate_bias: as model::WarmStartOptions.
// Throws ModelError for switches that have no fit (self_gate, formula, residual = update, other depth or
// width of a head). Cost: about 40 s a core for 15,000 tokens at d_model 384 and 6 layers.
void fit_start(const model::ModelConfig& config, const model::ModelConfig& source_config,
               const TensorTable& source, const PackedInput& sample, const PackedInput& source_sample,
               double gate_bias, TensorTable& table);

}  // namespace mog::engine
