// A logit taken apart (model/logit_attribution.h).
#pragma once

#include "model/engine/modules/forward.h"
#include "model/logit_attribution.h"

namespace mog::engine {

// Throws UsageError for what the model does not have.
void require_logit_parts(const model::ModelConfig& config, const Weights& weights,
                         const model::LogitPartsRequest& request);

// What model::LogitAttribution::logit_parts promises, of a request that was checked. context: of inference,
// on its device, and with the threads that the caller has set. source_rows: of make_input.
model::LogitParts logit_parts(const ForwardContext& context, std::int64_t source_rows,
                              const model::LogitPartsRequest& request);

}  // namespace mog::engine
