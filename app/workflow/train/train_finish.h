// The end of a training run.
#pragma once

#include "app/workflow/train/train_checkpoint.h"
#include "app/workflow/train/train_setup.h"

namespace mog::app {

// Scores the best weights on the test data, writes the model directory with its card, and marks the
// checkpoint as finished. `state`: after the last update. Can be repeated: a run that was killed here ends
// when it is resumed. Throws StorageError where files cannot be written, Interrupted after a stop request.
TrainResult finish_training(const TrainSetup& setup, TrainState state, const MetricsLog& metrics);

}  // namespace mog::app
