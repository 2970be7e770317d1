// A model in 8 bits that runs its first batches in float32, too. Every job that is given it measures what
// rounding changes on its own sentences, whatever else it does with the model.
#include <map>
#include <mutex>
#include <utility>

#include "app/workflow/record/rounding_error.h"
#include "app/workflow/record/rounding_parts.h"

namespace mog::app {
namespace {

constexpr std::int64_t kMeasuredRuns = 8;

// Of all such models of the process.
struct Meter {
  std::mutex mutex;
  std::int64_t left = kMeasuredRuns;
  std::optional<RoundingError> found;
};
Meter& meter() {
  static Meter one;
  return one;
}

class Keep final : public model::Observer {
 public:
  explicit Keep(const std::vector<QuantitySchema>& schemas) {
    for (const QuantitySchema& schema : schemas) {
      values_.emplace(schema.name, HostTensor());
    }
  }
  std::optional<DType> wants(const QuantityName& name) const override {
    return values_.contains(name) ? std::optional(DType::float32) : std::nullopt;
  }
  bool observe(const QuantityName& name, const model::PackedValues& values) override {
    values_.at(name) = values.values;
    return true;
  }
  const std::map<QuantityName, HostTensor>& values() const noexcept { return values_; }

 private:
  std::map<QuantityName, HostTensor> values_;
};

class MeasuredModel final : public model::Model {
 public:
  MeasuredModel(std::shared_ptr<const model::Model> rounded, std::shared_ptr<const model::Model> exact)
      : rounded_(std::move(rounded)), exact_(std::move(exact)) {}

  const model::ModelConfig& config() const override { return rounded_->config(); }
  const ModelCard& card() const override { return rounded_->card(); }
  std::string device() const override { return rounded_->device(); }
  std::vector<QuantitySchema> quantities() const override { return rounded_->quantities(); }
  SystemDescription system() const override { return rounded_->system(); }
  void run(const model::PackedBatch& batch, std::span<const model::Intervention> interventions,
           std::span<model::Observer* const> observers) const override {
    measure(batch);
    rounded_->run(batch, interventions, observers);
  }
  model::TokenGradients differentiate(const model::PackedBatch& batch, const model::Relaxation& at,
                                      const QuantityName& of,
                                      const model::Cotangent& cotangent) const override {
    return rounded_->differentiate(batch, at, of, cotangent);
  }
  model::DirectedSlopes differentiate_along(const model::PackedBatch& batch, std::span<const double> leaving,
                                            const QuantityName& of) const override {
    return rounded_->differentiate_along(batch, leaving, of);
  }
  std::vector<std::vector<model::Hypothesis>> translate(const model::PackedBatch& batch,
                                                        const model::BeamOptions& options,
                                                        std::stop_token stop) const override {
    measure(batch);
    return rounded_->translate(batch, options, std::move(stop));
  }
  void run_states(const model::PackedBatch& batch, std::span<const model::Intervention> interventions,
                  std::span<model::Observer* const> observers, const model::NextStates& next) const override {
    measure(batch);
    rounded_->run_states(batch, interventions, observers, next);
  }

 private:
  // Of the encoder, as it is without interventions; its sentences alone.
  void measure(const model::PackedBatch& batch) const {
    const std::scoped_lock lock(meter().mutex);  // one at a time: it holds maps
    if (meter().left == 0 || batch.sentences() == 0) {
      return;
    }
    RoundingError error{.sentences = 0, .attention = {}};
    const std::vector<QuantitySchema> schemas = compared_quantities(*exact_);
    double bytes = 0;
    for (std::int64_t sentence = 0; sentence < batch.sentences(); ++sentence) {
      bytes += compared_bytes(schemas, batch.length(sentence));
    }
    if (bytes <= kMostComparedBytes) {
      model::PackedBatch sources = batch;
      sources.target_ids.clear();
      sources.target_offsets.clear();
      Keep rounded(schemas);
      Keep exact(schemas);
      model::Observer* const of_rounded[] = {&rounded};
      model::Observer* const of_exact[] = {&exact};
      rounded_->run(sources, {}, of_rounded);
      exact_->run(sources, {}, of_exact);
      error.sentences = batch.sentences();
      for (const auto& [name, values] : exact.values()) {
        add_difference(name, rounded.values().at(name), values, error);
      }
      --meter().left;
    }
    meter().found.emplace(meter().found.value_or(RoundingError{})).add(error);
  }

  std::shared_ptr<const model::Model> rounded_;
  std::shared_ptr<const model::Model> exact_;
};

}  // namespace

std::shared_ptr<const model::Model> load_measured(const model::StoredModel& model,
                                                  model::DeviceOptions options) {
  std::shared_ptr<const model::Model> asked = model::load_model(model, options);
  if (options.precision != model::Precision::int8) {
    return asked;
  }
  options.precision = model::Precision::float32;
  options.device = "cpu";  // where 8-bit products run
  return measured(std::move(asked), model::load_model(model, options));
}

std::shared_ptr<const model::Model> measured(std::shared_ptr<const model::Model> rounded,
                                             std::shared_ptr<const model::Model> exact) {
  return std::make_shared<MeasuredModel>(std::move(rounded), std::move(exact));
}

std::optional<RoundingError> measured_rounding() {
  const std::scoped_lock lock(meter().mutex);
  return meter().found;
}

}  // namespace mog::app
