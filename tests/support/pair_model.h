// A fake model with heads over pairs, whose scores a derived class gives.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/fake_model.h"

namespace mog::test {

class PairModel : public model::Model {
 public:
  const model::ModelConfig& config() const override { return config_; }
  const ModelCard& card() const override { return inner_.card(); }
  SystemDescription system() const override { return inner_.system(); }
  std::string device() const override { return "cpu"; }
  std::vector<QuantitySchema> quantities() const override { return inner_.quantities(); }
  void run(const model::PackedBatch& batch, std::span<const model::Intervention> interventions,
           std::span<model::Observer* const> observers) const override {
    inner_.run(batch, interventions, observers);
    for (const model::PairHead& head : model::pair_heads(*config_.graph)) {
      std::vector<float> values;
      std::vector<std::int64_t> offsets = {0};
      for (std::int64_t s = 0; s < batch.sentences(); ++s) {
        const std::vector<float> own = scores(batch, s, head.name);
        values.insert(values.end(), own.begin(), own.end());
        offsets.push_back(static_cast<std::int64_t>(values.size()));
      }
      const QuantityName name = QuantityName::pair_scores(head.name);
      const auto count = static_cast<std::int64_t>(values.size());
      for (model::Observer* const observer : observers) {
        if (observer->wants(name)) {
          observer->observe(name, {HostTensor::of<float>({count}, values), offsets});
        }
      }
    }
  }
  std::vector<std::vector<model::Hypothesis>> translate(const model::PackedBatch& batch,
                                                        const model::BeamOptions& options,
                                                        std::stop_token stop) const override {
    return inner_.translate(batch, options, std::move(stop));
  }

 protected:
  PairModel() : config_(inner_.config()) { config_.graph.emplace(); }
  // [class, query, key] of one sentence of the batch.
  virtual std::vector<float> scores(const model::PackedBatch& batch, std::int64_t sentence,
                                    const std::string& head) const = 0;

  FakeModel inner_;
  model::ModelConfig config_;
};

}  // namespace mog::test
