// Whether the position tables of a model that is trained reach as far as its data.
#pragma once

#include "app/workflow/experiment/train_config.h"
#include "app/workflow/train/train_parts.h"

namespace mog::app {

// Throws ModelError for the first sentence that is read as more tokens than a table has rows for: where it
// stands, both numbers, and what to change.
void check_lengths(const TrainConfig& config, const TrainParts& parts);

}  // namespace mog::app
