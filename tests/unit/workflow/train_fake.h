// A trainer without LibTorch: losses are a function of everything that a real step depends on (weights, step,
// random state, batches, learning rate), so that a resume that forgets one of them is seen.
#pragma once

#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/workflow/train/train_job.h"
#include "io/recording/errors.h"
#include "model/tensor_table.h"
#include "tests/support/fake_model.h"

namespace mog::test {

class FakeTrainer final : public model::Trainer {
 public:
  explicit FakeTrainer(model::ModelConfig config, std::function<void(std::int64_t)> on_step = {})
      : config_(std::move(config)), on_step_(std::move(on_step)) {}

  using model::Trainer::step;
  model::StepResult step(const std::vector<model::TrainingBatch>& batches, double learning_rate,
                         const model::LossWeights&) override {
    ++step_;
    if (on_step_) {
      on_step_(step_);
    }
    random_ = random_ * 6364136223846793005ULL + 1442695040888963407ULL;
    double sum = learning_rate + static_cast<double>(random_ >> 40U) * 1e-9;
    std::int64_t labels = 0;
    std::int64_t tokens = 0;
    for (const model::TrainingBatch& batch : batches) {
      tokens += batch.input.tokens();
      for (std::size_t at = 0; at < batch.input.ids.size(); ++at) {
        sum += std::sin(static_cast<double>(batch.input.ids[at]) * static_cast<double>(at + 1));
      }
      for (const auto& [task, values] : batch.labels) {
        for (const std::int64_t value : values) {
          labels += value >= 0 ? 1 : 0;
          sum += 0.1 * static_cast<double>(value);
        }
      }
    }
    weight_ = 0.9 * weight_ + 1e-3 * sum;
    return {.loss = std::abs(weight_) + 1.0,
            .nll = std::abs(weight_),
            .labels = labels,
            .gradient_norm = std::abs(sum),
            .tokens = tokens};
  }
  void set_teacher(std::shared_ptr<const model::Model>) override {}
  void join(std::shared_ptr<model::Processes>, std::stop_token) override {}
  void check_alike() const override {}
  model::StepResult evaluate(const model::TrainingBatch& batch) override {
    return {std::abs(weight_), std::abs(weight_), batch.input.tokens(), 0.0};
  }
  // Its tags change with the weights.
  std::shared_ptr<const model::Model> model() override {
    if (fixed_model) {
      return fixed_model;
    }
    const auto seed = static_cast<std::uint64_t>(static_cast<std::int64_t>(weight_ * 1e9));
    return std::make_shared<FakeModel>(FakeModelOptions{.seed = fixed_seed ? *fixed_seed : seed});
  }
  std::map<std::string, HostTensor> weights() const override {
    std::map<std::string, HostTensor> result;
    for (const model::TensorSpec& spec : model::tensor_table(config_)) {
      HostTensor tensor(DType::float32, spec.shape);
      for (float& value : tensor.mutable_values<float>()) {
        value = static_cast<float>(step_) * 0.125F;
      }
      result.emplace(spec.name, tensor);
    }
    return result;
  }
  void save_state(const std::filesystem::path& file) const override {
    std::ofstream out(file, std::ios::binary);
    out.precision(17);
    out << "fake " << step_ << ' ' << random_ << ' ' << weight_ << '\n';
  }
  void load_state(const std::filesystem::path& file) override {
    std::ifstream in(file);
    std::string word;
    if (!(in >> word >> step_ >> random_ >> weight_) || word != "fake") {
      throw FormatError("Reading the training state " + file.string() + ": not a state.");
    }
  }

  std::optional<std::uint64_t> fixed_seed;
  std::shared_ptr<const model::Model> fixed_model;

 private:
  model::ModelConfig config_;
  std::function<void(std::int64_t)> on_step_;
  std::int64_t step_ = 0;
  std::uint64_t random_ = 1;
  double weight_ = 0.5;
};

// A small treebank whose UPOS column holds the tags of FakeModel (X, Y, Z), with entities beside it.
struct FakeCorpus {
  std::string conllu;
  std::string iob2;
};
inline FakeCorpus fake_corpus(std::int64_t sentences, std::int64_t first = 0) {
  FakeCorpus corpus;
  const std::vector<std::string> words = {"the", "cat", "Paris", "sat", "on", "7", "mats", "."};
  const std::vector<std::string> tags = {"X", "Y", "Z"};
  for (std::int64_t s = first; s < first + sentences; ++s) {
    const std::string head = "# sent_id = s" + std::to_string(s) + "\n";
    corpus.conllu += head;
    corpus.iob2 += head;
    const std::int64_t length = 2 + (s * 7) % 6;
    for (std::int64_t w = 1; w <= length; ++w) {
      const std::string& word = words[static_cast<std::size_t>(s * 3 + w) % words.size()];
      corpus.conllu += std::to_string(w) + "\t" + word + "\t_\t" + tags[static_cast<std::size_t>(s + w) % 3] +
                       "\t_\t_\t" + std::to_string(w - 1) + "\tdep\t_\t_\n";
      corpus.iob2 += std::to_string(w) + "\t" + word + "\t" + (word == "Paris" ? "B-LOC" : "O") + "\t-\t-\n";
    }
    corpus.conllu += "\n";
    corpus.iob2 += "\n";
  }
  return corpus;
}

inline std::string fake_config_text(const std::string& training) {
  return R"(name = "fake"
[model]
architecture = "encoder"
[model.encoder]
kind = "graph_transformer"
layers = 3
d_model = 8
attention_dim = 4
ffn_dim = 8
heads = 2
[tokenizer]
kind = "whitespace"
[data.train]
conllu = "train.conllu"
[data.dev]
conllu = "dev.conllu"
[data.test]
conllu = "dev.conllu"
[[data.source]]
name = "made up"
licence = "none needed"
[tasks.pos]
column = "upos"
[output]
directory = "model"
[training]
batch_tokens = 24
learning_rate = 1e-2
warmup = 3
log_interval = 2
seed = 5
)" + training;
}

}  // namespace mog::test
