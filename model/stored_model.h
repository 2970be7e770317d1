// A model directory whose weights are still on the disk: what a run needs, which takes them one by one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "model/model.h"
#include "model/model_directory.h"
#include "model/weights/stored_weights.h"

namespace mog::model {

// `stored` has the weights; `weights` has the tables of positions alone, whose rows say how long a text may
// be. The files stay open while it lives.
struct StoredModel : ModelDirectory {
  std::shared_ptr<const StoredWeights> stored;
};

// Throws as open_model_directory; values of our own model directories are looked at when they are taken.
StoredModel open_stored_model(const std::filesystem::path& path);

// Weights take their memory once (docs/benchmarks.md, A pretrained model). Throws as load_model(path),
// FormatError as StoredWeights.
std::shared_ptr<const Model> load_model(const StoredModel& model, const DeviceOptions& options = {});

// How many layers of a model are held at most, of every model that is loaded from now on; the others are read
// again for every batch. 0, as it is at first: all.
void set_layers_in_memory(std::int64_t layers);
std::int64_t layers_in_memory() noexcept;
// Throws UsageError where they are not all: `what` ("training") needs them.
void require_all_layers(const std::string& what);

}  // namespace mog::model
