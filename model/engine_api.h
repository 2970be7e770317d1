// The border between the programs and libmog_engine.so: one factory. Errors cross as mog::Error (both sides
// link the same libmog_recording.so).
#pragma once

#include <map>
#include <memory>
#include <string>

#include "model/graphics_card.h"
#include "model/model.h"
#include "model/processes.h"
#include "model/trainer.h"
#include "model/warm_start.h"
#include "model/weights/stored_weights.h"

namespace mog::model {

class Engine {
 public:
  virtual ~Engine() = default;
  // The weights are those of `stored`, whatever the directory holds.
  virtual std::shared_ptr<const Model> load(const ModelDirectory& directory, const StoredWeights& stored,
                                            const DeviceOptions& options) = 0;
  // Holds at most so many layers of the encoder, which is not recurrent.
  virtual std::shared_ptr<const Model> load_by_layers(const ModelDirectory& directory,
                                                      std::shared_ptr<const StoredWeights> stored,
                                                      std::int64_t layers, const DeviceOptions& options) = 0;
  virtual std::unique_ptr<Trainer> create_trainer(const ModelConfig& config, const TrainerOptions& options,
                                                  const DeviceOptions& device,
                                                  const std::map<std::string, HostTensor>* initial) = 0;
  virtual std::map<std::string, HostTensor> warm_start(
      const ModelConfig& config, const TrainerOptions& options, const ModelConfig& source,
      const std::map<std::string, HostTensor>& source_weights, const WarmStartOptions& start) = 0;
  virtual ProductSpeed product_speed(const ModelConfig& config, const DeviceOptions& device) = 0;
  virtual std::shared_ptr<Processes> join_processes(const ProcessOptions& options) = 0;
  virtual EngineReport report() = 0;
  // Opens all that a card needs but the driver, which may be missing; never throws.
  virtual CudaLibraries cuda_libraries() = 0;
};

// Raised whenever this header or a header it includes changes; a mismatch is a DeviceError.
inline constexpr int kEngineInterfaceVersion = 8;

// What libmog_engine.so exports.
using EngineVersionFunction = int();
using EngineFactoryFunction = Engine*();  // owned by the caller
inline constexpr const char* kEngineVersionSymbol = "mog_engine_interface_version";
inline constexpr const char* kEngineFactorySymbol = "mog_engine_create";

// Opens the engine once per process: $MOG_ENGINE, else libmog_engine.so beside the program or in ../lib of
// it; LibTorch as model/torch_place.h says. Throws DeviceError naming the paths that were tried.
Engine& engine();

}  // namespace mog::model
