// A fake model with a decoder: it says the same three tokens of every sentence, next best another first one,
// or what it shall begin with and one token more; how sure it is of each depends on what was changed. With a
// global representation it has two capsules of one layer, too.
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
  explicit TranslatingModel(bool global = false) : config_(inner_.config()), global_(global) {
    config_.eos_id = 2;
    config_.bos_id = 2;
  }
  // Of the second token: 1 / (1 + 7 e^-x), x = 4 unchanged, less 1 for each change.
  static double probability(std::size_t changes) {
    return 1 / (1 + (kVocabulary - 1) * std::exp(-(4.0 - static_cast<double>(changes))));
  }

  // The source token that an output token attends to most.
  static std::int64_t read_by(std::int64_t token) { return 1 - token % 2; }

  // Weight of step `row` on the step before or its own, of a head from 0: head 0 looks at itself.
  static float own_weight(std::int64_t head, std::int64_t row, std::int64_t key) {
    const float itself = row == 0 ? 1.0F : head == 0 ? 0.75F : 0.25F;
    return key == row ? itself : key == row - 1 ? 1 - itself : 0;
  }
  // Of capsule 0 the first token, of capsule 1 the others alike.
  static float routed(std::int64_t capsule, std::int64_t token, std::int64_t tokens) {
    return capsule == 0 ? (token == 0 ? 1.0F : 0.0F)
                        : (token == 0 ? 0.0F : 1.0F / static_cast<float>(tokens - 1));
  }
  static float gate(std::int64_t step) { return 0.25F + 0.125F * static_cast<float>(step); }

  const model::ModelConfig& config() const override { return config_; }
  const ModelCard& card() const override { return inner_.card(); }
  SystemDescription system() const override {
    SystemDescription system = inner_.system();
    system.stacks.push_back({.stack = Stack::decoder,
                             .label = "decoder",
                             .input = StackInput::target,
                             .causal = true,
                             .layers = 1,
                             .heads = 2,
                             .parts = {Part::self, Part::cross}});
    return system;
  }
  std::string device() const override { return "cpu"; }
  std::vector<QuantitySchema> quantities() const override {
    std::vector<QuantitySchema> all = inner_.quantities();
    QuantitySchema scores;
    scores.name = kScores;
    scores.axes = {Axis::target_token, Axis::vocabulary};
    scores.extents = {0, kVocabulary};
    QuantitySchema cross;
    cross.name = kCross;
    cross.axes = {Axis::head, Axis::target_query, Axis::key};
    cross.extents = {2, 0, 0};
    QuantitySchema own;
    own.name = kOwn;
    own.axes = {Axis::head, Axis::target_query, Axis::target_key};
    own.extents = {2, 0, 0};
    all.insert(all.begin(), scores);
    all.insert(all.begin(), cross);
    all.insert(all.begin(), own);
    if (global_) {
      all.push_back(
          {kRouting, {Axis::capsule, Axis::token}, {2, 0}, DType::float32, "probability", "routing"});
      all.push_back({kPooling, {Axis::capsule}, {2}, DType::float32, "probability", "pooling"});
      all.push_back({kGate, {Axis::target_token}, {0}, DType::float32, "1", "gate"});
    }
    return all;
  }
  void run(const model::PackedBatch& batch, std::span<const model::Intervention> interventions,
           std::span<model::Observer* const> observers) const override {
    inner_.run(batch, interventions, observers);
    const auto rows = static_cast<std::int64_t>(batch.target_ids.size());
    for (model::Observer* const observer : observers) {
      observe_global(*observer, static_cast<std::int64_t>(batch.ids.size()), rows);
      if (rows == 0) {
        continue;
      }
      if (observer->wants(kCross)) {
        // The two heads disagree; their mean is what counts.
        const auto keys = static_cast<std::int64_t>(batch.ids.size());
        std::vector<float> weights(static_cast<std::size_t>(2 * rows * keys));
        for (std::int64_t row = 0; row < rows; ++row) {
          weights[static_cast<std::size_t>(row * keys + read_by(row))] = 0.8F;
          weights[static_cast<std::size_t>(row * keys + 2)] = 0.2F;
          weights[static_cast<std::size_t>((rows + row) * keys + read_by(row))] = 0.4F;
          weights[static_cast<std::size_t>((rows + row) * keys + 2)] = 0.6F;
        }
        observer->observe(kCross, {HostTensor::of<float>({2 * rows * keys}, weights), {0, 2 * rows * keys}});
      }
      observe_own(*observer, rows);
      if (!observer->wants(kScores)) {
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
                                                        const model::BeamOptions& options,
                                                        std::stop_token /*stop*/) const override {
    std::vector<model::Hypothesis> found = {{.ids = {5, 6, 2}, .log_prob = -1, .score = -1}};
    if (!options.prefix.empty()) {
      found.front().ids = options.prefix;
      found.front().ids.insert(found.front().ids.end(), {7, 2});
    } else if (options.beam > 1) {
      found.push_back({.ids = {3, 6, 2}, .log_prob = -2.5, .score = -2});
    }
    if (options.first) {
      for (model::Hypothesis& one : found) {
        one.ids.insert(one.ids.begin(), *options.first);
      }
    }
    return std::vector<std::vector<model::Hypothesis>>(static_cast<std::size_t>(batch.sentences()), found);
  }

 private:
  static void give(model::Observer& observer, const QuantityName& name, const std::vector<float>& values) {
    if (observer.wants(name)) {
      const auto count = static_cast<std::int64_t>(values.size());
      observer.observe(name, {HostTensor::of<float>({count}, values), {0, count}});
    }
  }
  static void observe_own(model::Observer& observer, std::int64_t rows) {
    std::vector<float> own;
    for (std::int64_t head = 0; head < 2; ++head) {
      for (std::int64_t cell = 0; cell < rows * rows; ++cell) {
        own.push_back(own_weight(head, cell / rows, cell % rows));
      }
    }
    give(observer, kOwn, own);
  }
  void observe_global(model::Observer& observer, std::int64_t tokens, std::int64_t steps) const {
    if (!global_) {
      return;
    }
    std::vector<float> routing;
    for (std::int64_t cell = 0; cell < 2 * tokens; ++cell) {
      routing.push_back(routed(cell / tokens, cell % tokens, tokens));
    }
    std::vector<float> gates;
    for (std::int64_t step = 0; step < steps; ++step) {
      gates.push_back(gate(step));
    }
    give(observer, kRouting, routing);
    give(observer, kPooling, {0.25F, 0.75F});
    give(observer, kGate, gates);
  }

  inline static const QuantityName kScores{Stack::decoder, 0, Part::none, Quantity::logits};
  inline static const QuantityName kCross{Stack::decoder, 1, Part::cross, Quantity::attention};
  inline static const QuantityName kOwn{Stack::decoder, 1, Part::self, Quantity::attention};
  inline static const QuantityName kRouting{Stack::encoder, 1, Part::none, Quantity::routing};
  inline static const QuantityName kPooling{Stack::encoder, 1, Part::none, Quantity::pooling};
  inline static const QuantityName kGate{Stack::decoder, 0, Part::none, Quantity::global_gate,
                                         Reduction::mean};
  FakeModel inner_;
  model::ModelConfig config_;
  bool global_ = false;
};

inline app::LoadedModel translating_model(bool global = false) {
  app::LoadedModel loaded;
  loaded.model = std::make_shared<const TranslatingModel>(global);
  loaded.tokenizer = std::make_shared<const FakeTokenizer>();
  loaded.target_vocabulary = std::make_shared<const model::Vocabulary>(
      model::Vocabulary(std::vector<std::string>{"<pad>", "<unk>", "</s>", "a", "b", "ein", "Hund", "c"}));
  return loaded;
}

}  // namespace mog::test
