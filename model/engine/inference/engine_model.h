// The Model that runs on LibTorch.
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <memory>
#include <string>

#include "model/engine/inference/layer_stream.h"
#include "model/engine/modules/forward.h"
#include "model/engine/modules/weights.h"
#include "model/logit_attribution.h"
#include "model/model.h"
#include "model/patching.h"

namespace mog::engine {

class EngineModel final : public model::Model, public model::Patching, public model::LogitAttribution {
 public:
  // `weights` are all on one device and of one dtype, without gradients. `layers`: those of the encoder,
  // where `weights` has not got them; then it runs, and does nothing else.
  EngineModel(model::ModelConfig config, ModelCard card, Weights weights, std::string device_text,
              int threads, std::unique_ptr<LayerStream> layers = nullptr);

  const model::ModelConfig& config() const override { return config_; }
  const ModelCard& card() const override { return card_; }
  std::string device() const override { return device_text_; }
  std::vector<QuantitySchema> quantities() const override { return quantities_; }
  void run(const model::PackedBatch& batch, std::span<const model::Intervention> interventions,
           std::span<model::Observer* const> observers) const override;
  model::TokenGradients differentiate(const model::PackedBatch& batch, const model::Relaxation& at,
                                      const QuantityName& of,
                                      const model::Cotangent& cotangent) const override;
  model::DirectedSlopes differentiate_along(const model::PackedBatch& batch, std::span<const double> leaving,
                                            const QuantityName& of) const override;
  void run_states(const model::PackedBatch& batch, std::span<const model::Intervention> interventions,
                  std::span<model::Observer* const> observers, const model::NextStates& next) const override;
  model::PatchEffects patch(const model::PatchRequest& request) const override;
  model::LogitParts logit_parts(const model::LogitPartsRequest& request) const override;
  const Weights& weights() const noexcept { return weights_; }
  const SinusoidTable& sinusoids() const noexcept { return sinusoids_; }
  std::vector<std::vector<model::Hypothesis>> translate(const model::PackedBatch& batch,
                                                        const model::BeamOptions& options,
                                                        std::stop_token stop) const override;

 private:
  // Throws UsageError when this run cannot be decomposed; decoder: it is asked for, and an encoder without
  // exact decompositions may stand before it.
  void require_decomposable(const AppliedInterventions& applied, bool decoder) const;
  // Throws UsageError where not all layers are in memory.
  void require_layers(const char* what) const;
  // Of inference, with nothing else; borrows from this.
  ForwardContext context() const;
  // Runs `work` on the device, unless the batch is empty; c10 errors say that this was a differentiation.
  void differentiating(const model::PackedBatch& batch, const std::function<void()>& work) const;
  // With `next` states are scored at the end.
  void run_any(const model::PackedBatch& batch, std::span<const model::Intervention> interventions,
               std::span<model::Observer* const> observers, const model::NextStates* next) const;
  void run_checked(const model::PackedBatch& batch, const AppliedInterventions& applied,
                   std::span<model::Observer* const> observers, const model::NextStates* next) const;

  model::ModelConfig config_;
  std::vector<QuantitySchema> quantities_;
  std::vector<QuantitySchema> decompositions_;  // of both stacks
  ModelCard card_;
  Weights weights_;
  SinusoidTable sinusoids_;
  std::string device_text_;
  int threads_ = 1;
  std::unique_ptr<LayerStream> layers_;
};

}  // namespace mog::engine
