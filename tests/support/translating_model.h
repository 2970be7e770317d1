// A fake model with a decoder: it says the same three tokens of every sentence, and how sure it is of each
// depends on what was changed.
#pragma once

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "app/workflow/record/live_run.h"
#include "tests/support/fake_model.h"

namespace mog::test {

class TranslatingModel final : public model::Model {
 public:
  static constexpr std::int64_t kVocabulary = 8;
  TranslatingModel() : config_(inner_.config()) {
    config_.eos_id = 2;
    config_.bos_id = 2;
  }
  // Of the second token: 1 / (1 + 7 e^-x), x = 4 unchanged, less 1 for each change.
  static double probability(std::size_t changes) {
    return 1 / (1 + (kVocabulary - 1) * std::exp(-(4.0 - static_cast<double>(changes))));
  }

  const model::ModelConfig& config() const override { return config_; }
  const ModelCard& card() const override { return inner_.card(); }
  std::string device() const override { return "cpu"; }
  std::vector<QuantitySchema> quantities() const override {
    std::vector<QuantitySchema> all = inner_.quantities();
    QuantitySchema scores;
    scores.name = kScores;
    scores.axes = {Axis::target_token, Axis::vocabulary};
    scores.extents = {0, kVocabulary};
    all.insert(all.begin(), scores);
    return all;
  }
  void run(const model::PackedBatch& batch, std::span<const model::Intervention> interventions,
           std::span<model::Observer* const> observers) const override {
    inner_.run(batch, interventions, observers);
    const auto rows = static_cast<std::int64_t>(batch.target_ids.size());
    for (model::Observer* const observer : observers) {
      if (rows == 0 || !observer->wants(kScores)) {
        continue;
      }
      std::vector<float> scores(static_cast<std::size_t>(rows * kVocabulary));
      scores[5] = 4;  // of the first token
      scores[kVocabulary + 6] = 4.0F - static_cast<float>(interventions.size());
      scores[2 * kVocabulary + 2] = 4;
      observer->observe(kScores,
                        {HostTensor::of<float>({rows * kVocabulary}, scores), {0, rows * kVocabulary}});
    }
  }
  std::vector<std::vector<model::Hypothesis>> translate(const model::PackedBatch& batch,
                                                        const model::BeamOptions& /*options*/,
                                                        std::stop_token /*stop*/) const override {
    return std::vector<std::vector<model::Hypothesis>>(static_cast<std::size_t>(batch.sentences()),
                                                       {{.ids = {5, 6, 2}, .log_prob = -1, .score = -1}});
  }

 private:
  inline static const QuantityName kScores{Stack::decoder, 0, Part::none, Quantity::logits};
  FakeModel inner_;
  model::ModelConfig config_;
};

inline app::LoadedModel translating_model() {
  app::LoadedModel loaded;
  loaded.model = std::make_shared<const TranslatingModel>();
  loaded.tokenizer = std::make_shared<const FakeTokenizer>();
  loaded.target_vocabulary = std::make_shared<const model::Vocabulary>(
      model::Vocabulary(std::vector<std::string>{"<pad>", "<unk>", "</s>", "a", "b", "ein", "Hund", "c"}));
  return loaded;
}

}  // namespace mog::test
