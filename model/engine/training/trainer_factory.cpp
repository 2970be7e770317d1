#include "model/engine/training/trainer_factory.h"

#include <algorithm>

#include "io/recording/errors.h"
#include "model/engine/training/engine_trainer.h"
#include "model/engine/training/initial_weights.h"

namespace mog::engine {

namespace {

std::int64_t rows_of(const TensorTable& table, std::string_view name) {
  const auto found = table.find(name);
  return found == table.end() ? 0 : found->second.size(0);
}

}  // namespace

std::unique_ptr<model::Trainer> make_trainer(const model::ModelConfig& config,
                                             const model::TrainerOptions& options, const OpenDevice& device,
                                             const std::map<std::string, HostTensor>* initial) {
  if ((device.dtype != at::kFloat && device.dtype != at::kDouble) || device.eight_bits) {
    throw UsageError(
        "Training runs in float32, or in float64 for checks; leave out --precision or say one of these.");
  }
  if (config.decoder && config.decoder->output_bias) {
    throw ModelError("Training: decoder.output_bias is not supported; such models are read, not trained.");
  }
  if (initial == nullptr && (config.encoder.position == model::Position::fixed ||
                             (config.decoder && config.decoder->position == model::Position::fixed))) {
    throw ModelError("Training: position = fixed needs the table of a model; say random or learned.");
  }
  std::unique_ptr<model::Trainer> trainer;
  translate_errors("creating a trainer", [&] {
    TensorTable weights =
        initial == nullptr ? initial_weights(config, options) : given_weights(config, *initial);
    model::TrainerOptions fitted = options;
    fitted.positions = std::max({options.positions, rows_of(weights, "encoder.embed_positions.weight"),
                                 rows_of(weights, "decoder.embed_positions.weight")});
    trainer = std::make_unique<EngineTrainer>(config, fitted, device, std::move(weights));
  });
  return trainer;
}

}  // namespace mog::engine
