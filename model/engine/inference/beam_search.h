// Beam search as docs/model-directory.md, Translation, lays it down.
#pragma once

#include <ATen/ATen.h>

#include <stop_token>
#include <vector>

#include "model/engine/modules/forward.h"
#include "model/model.h"

namespace mog::engine {

// source: of sentences with these offsets. Best first. With a position table
// shorter than max_tokens the table's end takes its place. Throws Interrupted when stopped.
std::vector<std::vector<model::Hypothesis>> beam_search(const ForwardContext& context,
                                                        const SourceStates& source,
                                                        const std::vector<std::int64_t>& offsets,
                                                        const model::BeamOptions& options,
                                                        const std::stop_token& stop);

}  // namespace mog::engine
