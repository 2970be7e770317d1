#include "model/stored_model.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <string>

#include "io/recording/errors.h"
#include "model/engine_api.h"
#include "model/tensor_table.h"

namespace mog::model {
namespace {

std::atomic<std::int64_t>& held_layers() {
  static std::atomic<std::int64_t> layers = 0;
  return layers;
}

std::uint64_t bytes_of(Precision precision) {
  return precision == Precision::float64 ? 8 : precision == Precision::bfloat16 ? 2 : 4;
}

// Whether the weights go to a card: asked for, or there is one and the engine takes it.
bool takes_card(const DeviceOptions& options) {
  if (options.device != "auto") {
    return options.device.starts_with("cuda");
  }
  const std::vector<std::string> devices = engine().report().devices;
  return std::ranges::any_of(devices, [](const std::string& device) { return device.starts_with("cuda"); });
}

// Better a message than the kernel's killer. Of a card the card says it.
void require_room(const StoredModel& model, const DeviceOptions& options) {
  const auto memory = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                      static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t needed =
      static_cast<std::uint64_t>(parameter_count(model.config)) * bytes_of(options.precision);
  if (needed > memory && !takes_card(options)) {
    throw StorageError(
        fmt::format("loading the model {}: its weights need {} bytes of memory, this machine has {}; "
                    "--precision bfloat16 takes two bytes a weight, --layers-in-memory N holds N layers",
                    model.path.string(), needed, memory));
  }
}

void require_layers_apart(const StoredModel& model, const DeviceOptions& options) {
  const auto refuse = [&](const char* why) {
    throw UsageError(
        fmt::format("loading the model {}: --layers-in-memory is for encoders and readers from "
                    "left to right that run over texts; {}: leave it out",
                    model.path.string(), why));
  };
  if (model.config.encoder.recurrent()) {
    refuse("this encoder is recurrent");
  }
  if (model.config.decoder) {
    refuse("this model has a decoder, which goes through its layers for every word");
  }
  if (options.precision == Precision::int8) {
    refuse("products in 8 bits are compared with those of the whole model");
  }
  if (!model.stored->on_disk()) {
    refuse(
        "its weights are unpacked into memory before they are used (int8 and int16 of CTranslate2; tensors "
        "of "
        "PyTorch that are compressed or transposed), and mog convert makes a folder of them that can be read "
        "layer by layer");
  }
}

}  // namespace

void set_layers_in_memory(std::int64_t layers) {
  held_layers() = layers;
}

std::int64_t layers_in_memory() noexcept {
  return held_layers();
}

void require_all_layers(const std::string& what) {
  if (layers_in_memory() > 0) {
    throw UsageError(fmt::format("{} needs all layers in memory; leave --layers-in-memory out", what));
  }
}

std::shared_ptr<const Model> load_model(const StoredModel& model, const DeviceOptions& options) {
  const std::int64_t held = layers_in_memory();
  if (held > 0) {
    require_layers_apart(model, options);
    if (held < model.config.encoder.layers) {
      return engine().load_by_layers(model, model.stored, held, options);
    }
  }
  require_room(model, options);
  return engine().load(model, *model.stored, options);
}

}  // namespace mog::model
