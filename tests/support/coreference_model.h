// A fake model of coreference: a word that occurs more than once is a mention and goes back to where it stood
// last.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "app/workflow/record/live_run.h"
#include "tests/support/fake_model.h"

namespace mog::test {

class CoreferenceModel final : public model::Model {
 public:
  CoreferenceModel() : config_(inner_.config()) {
    config_.graph.emplace();
    config_.graph->kind = model::GraphKind::coreference;
    config_.graph->refinements = 0;
  }
  static constexpr float kScore = 3;  // of what is there; −kScore of all else

  const model::ModelConfig& config() const override { return config_; }
  const ModelCard& card() const override { return inner_.card(); }
  SystemDescription system() const override { return inner_.system(); }
  std::string device() const override { return "cpu"; }
  std::vector<QuantitySchema> quantities() const override { return inner_.quantities(); }
  void run(const model::PackedBatch& batch, std::span<const model::Intervention> interventions,
           std::span<model::Observer* const> observers) const override {
    inner_.run(batch, interventions, observers);
    for (const char* const head : {"mentions", "antecedents"}) {
      std::vector<float> values;
      std::vector<std::int64_t> offsets = {0};
      for (std::int64_t s = 0; s < batch.sentences(); ++s) {
        const std::vector<float> own = scores(batch, s, head == std::string("mentions"));
        values.insert(values.end(), own.begin(), own.end());
        offsets.push_back(static_cast<std::int64_t>(values.size()));
      }
      const auto count = static_cast<std::int64_t>(values.size());
      for (model::Observer* const observer : observers) {
        if (observer->wants(QuantityName::pair_scores(head))) {
          observer->observe(QuantityName::pair_scores(head),
                            {HostTensor::of<float>({count}, values), offsets});
        }
      }
    }
  }
  std::vector<std::vector<model::Hypothesis>> translate(const model::PackedBatch& batch,
                                                        const model::BeamOptions& options,
                                                        std::stop_token stop) const override {
    return inner_.translate(batch, options, std::move(stop));
  }

 private:
  std::vector<float> scores(const model::PackedBatch& batch, std::int64_t s, bool mentions) const {
    const std::int64_t first = batch.offsets[static_cast<std::size_t>(s)];
    const std::int64_t size = batch.length(s);
    const auto id = [&](std::int64_t token) { return batch.ids[static_cast<std::size_t>(first + token)]; };
    std::vector<float> values(static_cast<std::size_t>(size * size), -kScore);
    for (std::int64_t query = 0; query < size; ++query) {
      std::int64_t before = -1;
      bool again = false;
      for (std::int64_t key = 0; key < size; ++key) {
        const bool same = key != query && id(key) == id(query);
        again = again || same;
        before = same && key < query ? key : before;
      }
      const std::int64_t key = mentions ? (again ? query : -1) : before;
      if (key >= 0) {
        values[static_cast<std::size_t>(query * size + key)] = kScore;
      }
    }
    return values;
  }

  FakeModel inner_;
  model::ModelConfig config_;
};

inline app::LoadedModel coreference_model() {
  app::LoadedModel loaded;
  loaded.model = std::make_shared<const CoreferenceModel>();
  loaded.tokenizer = std::make_shared<const FakeTokenizer>();
  return loaded;
}

}  // namespace mog::test
