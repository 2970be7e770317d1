// Training steps, free of Torch. The loop around them (data, schedule, validation, checkpoints) is
// app/workflow's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/recording/host_tensor.h"
#include "model/model.h"
#include "model/packed_batch.h"

namespace mog::model {

struct TrainerOptions {
  double dropout = 0.1;             // embeddings, Z, feed-forward output (fairseq's places)
  double attention_dropout = 0.0;   // attention weights
  double activation_dropout = 0.0;  // inside the feed-forward block
  double word_dropout = 0.0;        // input ids replaced by unk_id
  double label_smoothing = 0.1;
  double beta1 = 0.9;
  double beta2 = 0.98;
  double epsilon = 1e-9;
  double weight_decay = 0.0;
  double clip_norm = 0.0;     // 0: none
  double branch_scale = 1.0;  // factor on out_proj, low and fc2 weights at initialisation ("damped" < 1)
  std::int64_t seed = 1;
  std::int64_t positions = 512;                // rows of new position tables (random, learned)
  std::map<std::string, double> task_weights;  // of the tagging heads; missing: 1
};

// labels[task]: [token] of the packed batch, -1 where the token has none (not the first piece of a word,
// special, unannotated). target_labels: [target token], the ids that the decoder should predict.
struct TrainingBatch {
  PackedBatch input;
  std::map<std::string, std::vector<std::int64_t>> labels;
  std::vector<std::int64_t> target_labels;
};

struct StepResult {
  double loss = 0.0;  // label-smoothed, mean per label, weighted over tasks
  double nll = 0.0;   // negative log likelihood, mean per label
  std::int64_t labels = 0;
  double gradient_norm = 0.0;  // before clipping
};

class Trainer {
 public:
  virtual ~Trainer() = default;
  // One update over `batches` (gradients accumulate, weighted by label count). Throws ModelError when the
  // loss is not finite (the weights are then unchanged).
  virtual StepResult step(const std::vector<TrainingBatch>& batches, double learning_rate) = 0;
  // Loss without dropout and without an update.
  virtual StepResult evaluate(const TrainingBatch& batch) = 0;
  // The model being trained, seen through the same interface as a loaded one; dropout off.
  virtual std::shared_ptr<const Model> model() = 0;
  virtual std::map<std::string, HostTensor> weights() const = 0;  // float32
  // Everything that the next step depends on (weights, Adam moments, step count, random state), so that a
  // resumed run gives the same losses as an unbroken one. Written beside and renamed.
  virtual void save_state(const std::filesystem::path& file) const = 0;
  // Throws FormatError or ModelError when the file does not belong to this configuration.
  virtual void load_state(const std::filesystem::path& file) = 0;
};

// New weights (Xavier; embeddings normal with d_model^-0.5, pad row zero) from options.seed, or `initial`.
std::unique_ptr<Trainer> create_trainer(const ModelConfig& config, const TrainerOptions& options,
                                        const DeviceOptions& device,
                                        const std::map<std::string, HostTensor>* initial = nullptr);

}  // namespace mog::model
