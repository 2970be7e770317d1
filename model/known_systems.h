// The systems that this program makes, for lists of all that there is.
#pragma once

#include <vector>

#include "model/config/config.h"

namespace mog::model {

// Configurations of one layer: whatever quantity a model can have, one of them has it.
std::vector<ModelConfig> known_systems();

}  // namespace mog::model
