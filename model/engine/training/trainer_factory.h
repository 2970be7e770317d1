// What the engine's factory calls for create_trainer().
#pragma once

#include <map>
#include <memory>
#include <string>

#include "model/engine/runtime/device.h"
#include "model/trainer.h"

namespace mog::engine {

// Throws ModelError when `initial` does not fit `config`.
std::unique_ptr<model::Trainer> make_trainer(const model::ModelConfig& config,
                                             const model::TrainerOptions& options, const OpenDevice& device,
                                             const std::map<std::string, HostTensor>* initial);

// See model/trainer.h.
model::ProductSpeed product_speed(const model::ModelConfig& config, const OpenDevice& device);

}  // namespace mog::engine
