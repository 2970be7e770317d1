// What a training run is made of before its first update.
#pragma once

#include <memory>
#include <optional>

#include "app/workflow/train/train_checkpoint.h"
#include "app/workflow/train/train_job.h"
#include "app/workflow/train/train_parts.h"
#include "app/workflow/train/train_processes.h"
#include "app/workflow/train/train_teacher.h"

namespace mog::app {

// Does not change while the run goes on.
struct TrainSetup {
  TrainConfig config;  // with what the options replace and what the data say
  TrainJobOptions options;
  TrainerFactory factory;  // never empty
  TrainFolder folder;      // locked, where this process is the first
  TrainProcesses processes;
  TrainParts parts = {};
  std::optional<StartWeights> start = {};
  std::optional<Teacher> teacher = {};
  RunIdentity identity = {};
};

// Checks that nothing is lost, makes the folder, reads the data and opens the models that the run starts from
// or learns from. Throws what TrainJob says.
TrainSetup set_up_training(TrainConfig config, TrainJobOptions options, TrainerFactory factory);

// With its teacher. Throws UsageError where training.precision = "bfloat16" gains nothing on this device.
std::unique_ptr<model::Trainer> new_trainer(const TrainSetup& setup);

}  // namespace mog::app
