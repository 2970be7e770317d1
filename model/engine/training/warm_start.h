// What the engine's factory calls for model::warm_start().
#pragma once

#include <map>
#include <string>

#include "io/recording/host_tensor.h"
#include "model/warm_start.h"

namespace mog::engine {

// See model/warm_start.h.
std::map<std::string, HostTensor> warm_start(const model::ModelConfig& config,
                                             const model::TrainerOptions& options,
                                             const model::ModelConfig& source,
                                             const std::map<std::string, HostTensor>& source_weights,
                                             const model::WarmStartOptions& start);

}  // namespace mog::engine
