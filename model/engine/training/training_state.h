// The state of a training run as a file, from which it goes on as if it had never stopped.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "model/config/config.h"
#include "model/engine/modules/weights.h"
#include "model/engine/runtime/device.h"
#include "model/trainer.h"

namespace mog::engine {

// Everything that changes from step to step, float32; tensors may share memory with the trainer's.
struct TrainingState {
  TensorTable weights;               // all of the model directory
  TensorTable averages;              // of the trained ones; empty without averaging
  std::vector<std::string> trained;  // names in the order of the optimiser
  std::vector<at::Tensor> first;     // moments of Adam, [trained]
  std::vector<at::Tensor> second;
  at::Tensor random;  // uint8, of the generator
  std::int64_t steps = 0;
};

// What a state belongs to.
struct TrainingRun {
  const model::ModelConfig& config;
  const model::TrainerOptions& options;
  const OpenDevice& device;
};

// One safetensors file: weights/NAME, first/NAME, second/NAME, average/NAME (float32), random (uint8), and
// metadata with the number of steps, an identity of configuration and options, and the kind of device.
// Throws StorageError where it cannot be written.
void write_training_state(const std::filesystem::path& file, const TrainingState& state,
                          const TrainingRun& run);
// A state with the names and shapes of `like`, on the CPU. Throws FormatError where the file is none or lacks
// something, ModelError where it belongs to another configuration, other options or another kind of device.
TrainingState read_training_state(const std::filesystem::path& file, const TrainingState& like,
                                  const TrainingRun& run);

}  // namespace mog::engine
