// A model without LibTorch: every quantity of a real one, from hashes instead of weights. Workflow and
// desktop tests run on it under the sanitizers.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/model.h"
#include "model/tokenizer/tokenizer.h"

namespace mog::test {

struct FakeModelOptions {
  std::int64_t layers = 3;
  std::int64_t heads = 2;
  std::int64_t d_model = 8;
  std::int64_t vocabulary = 64;
  bool graph = true;                                // false: a plain Transformer
  std::vector<std::string> tags = {"X", "Y", "Z"};  // of one task, "pos"
  std::uint64_t seed = 1;
  // Another system than those that the program knows: its quantities are those of its stacks and parts.
  // Layers and heads above are then those of its first stack.
  SystemDescription system = {};
  std::string tokenizer = "whitespace";  // as its card has it
};

// A system that nobody has: "reader", with the order groups of a Graph-Transformer under other names (sky,
// tree, ground, root), and "writer", causal, with one attention (glance).
SystemDescription invented_system(std::int64_t layers = 3, std::int64_t heads = 2);

// Values depend on the seed, the quantity and the ids of the sentence only: not on the batch, the thread or
// the order. Attention rows sum to 1, gates lie in (0, 1), reductions agree with what they reduce.
// Interventions: ReplaceToken, MaskToken (attention), SetGate (gate) act; ScaleHead changes the gate of its
// layer, and maps and gates of the layers above; the others leave values as they are.
class FakeModel final : public model::Model {
 public:
  explicit FakeModel(FakeModelOptions options = {});
  const model::ModelConfig& config() const override { return config_; }
  const ModelCard& card() const override { return card_; }
  std::string device() const override { return "cpu"; }
  std::vector<QuantitySchema> quantities() const override;
  SystemDescription system() const override;
  void run(const model::PackedBatch& batch, std::span<const model::Intervention> interventions,
           std::span<model::Observer* const> observers) const override;
  std::vector<std::vector<model::Hypothesis>> translate(const model::PackedBatch& batch,
                                                        const model::BeamOptions& options,
                                                        std::stop_token stop = {}) const override;

  // Called at the start of every run, with its number from 1; may sleep or throw.
  void on_run(std::function<void(std::int64_t)> callback) { on_run_ = std::move(callback); }
  std::int64_t runs() const { return runs_; }

 private:
  FakeModelOptions options_;
  model::ModelConfig config_;
  ModelCard card_;
  std::function<void(std::int64_t)> on_run_;
  mutable std::atomic<std::int64_t> runs_ = 0;
};

// Splits at spaces; the id of a word is its hash. Ends with </s>.
class FakeTokenizer final : public model::Tokenizer {
 public:
  explicit FakeTokenizer(std::int64_t vocabulary = 64);
  Sentence encode(std::string_view text, std::int64_t number = 0) const override;
  Sentence encode_words(std::span<const std::string> words, std::int64_t number = 0) const override;
  const model::Vocabulary& vocabulary() const override { return vocabulary_; }
  std::string_view kind() const override { return "whitespace"; }

 private:
  model::Vocabulary vocabulary_;
};

}  // namespace mog::test
