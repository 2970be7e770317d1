// Training steps, free of Torch. The loop around them (data, schedule, validation, checkpoints) is
// app/workflow's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "io/recording/host_tensor.h"
#include "model/model.h"
#include "model/packed_batch.h"
#include "model/processes.h"

namespace mog::model {

// How close the states of two layers are, a mean over tokens: mean squared difference over d_model, the same
// over the variance of the teacher's states around their mean in the batch, or 1 - cosine.
enum class StateLoss : std::uint8_t { mse, relative, cosine };

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
  StateLoss state_loss = StateLoss::mse;       // of LossWeights::hidden and last
  // Products with weight matrices take bfloat16 factors; weights, sums, states, and gradients stay float32.
  bool bfloat16_products = false;
  // Above 0: an exponential average of the weights is kept (average = decay·average + (1 - decay)·weights,
  // with the decay of step t at most (1 + t)/(10 + t)), and evaluate(), model() and weights() show it.
  double average_decay = 0.0;
  std::vector<std::string> frozen = {};  // tensors whose names start so are not trained
  double head_rate = 1.0;                // factor on the learning rate of heads and of relations' vectors
  double pair_dropout = 0.33;            // on the maps of heads over pairs
};

// The losses of one update and their factors; 0: not computed. All but `tasks` need a teacher.
struct LossWeights {
  double tasks = 1.0;      // tagging heads (by TrainerOptions::task_weights) or translation
  double hidden = 0.0;     // StateLoss between layer outputs, mean over the student's layers
  double last = 0.0;       // StateLoss between the outputs of the last layers
  double attention = 0.0;  // KL(teacher's map ‖ student's map), maps are means over heads (Graph-Transformer:
                           // and over the parts with a history), mean over tokens and layers
  double sentence = 0.0;  // 1 - cosine between the means over all tokens of the last layer's states
  // Layer l gets what the teacher's layers l-2 and l-1 gave (P, F) instead of the student's own states, so
  // that all layers learn at once; `last` and `sentence` then see the student's last layer alone. Both
  // encoders must have the same number of layers.
  bool layerwise = false;
  bool needs_teacher() const noexcept {
    return hidden > 0.0 || last > 0.0 || attention > 0.0 || sentence > 0.0;
  }
};

// The sentences of a batch as the teacher cuts them itself. States of both are compared as means over units:
// stretches of text that begin and end with a token of each. units: [token of the student's batch],
// teacher_units: [token of `input`], the unit that the token lies in, 0 to count - 1, each with a token on
// both sides.
struct TeacherReading {
  PackedBatch input = {};
  std::vector<std::int64_t> units = {};
  std::vector<std::int64_t> teacher_units = {};
  std::int64_t count = 0;
};

// Scores of the pair heads of a batch: of head NAME [class,] query, key of sentence s at
// [classes·area[s], classes·area[s + 1]), area the running sum of tokens².
struct PairScores {
  std::map<std::string, std::vector<float>> values;
  std::vector<std::int64_t> area;
};

// What the heads of ModelConfig::graph learn, [token] of the packed batch each.
struct GraphLabels {
  static constexpr std::int64_t kUnlabelled = -1;
  static constexpr std::int64_t kNone = -2;  // no key: of coreference
  // Whether pairs have the token: roots and first tokens of words; all tokens of coreference, where moreover
  // keys come up to the query.
  std::vector<char> nodes;
  std::map<std::string, std::vector<std::int64_t>> keys;  // of heads without labels: tokens of the batch
  std::vector<std::int64_t> classes;  // of the head with labels, for the query and its key in the other head
  // The graph that is read in the next of `rounds` rounds, from the scores of this one; not called after the
  // last. Each round has its loss; gradients do not go from one to another.
  std::function<std::vector<GraphArc>(const PairScores& scores)> next = {};
  std::int64_t rounds = 1;
};

// What a transition parser learns.
struct TransitionLabels {
  std::vector<StateTokens> states;
  std::vector<std::int64_t> actions;  // [state]
  std::vector<std::int64_t> labels;   // [state] of the arc that the action makes; -1: none, or not known
};

// labels[task]: [token] of the packed batch, -1 where the token has none (not the first piece of a word,
// special, unannotated). target_labels: [target token], the ids that the decoder should predict.
// teacher_ids: [token] of the same sentences in the teacher's vocabulary; empty: the ids of `input`.
// teacher_reading, when it is set, replaces teacher_ids.
struct TrainingBatch {
  PackedBatch input;
  std::vector<std::int64_t> teacher_ids = {};
  std::optional<TeacherReading> teacher_reading = {};
  std::map<std::string, std::vector<std::int64_t>> labels;
  std::vector<std::int64_t> target_labels;
  std::optional<GraphLabels> graph = {};
  std::optional<TransitionLabels> transitions = {};
};

struct StepResult {
  double loss = 0.0;  // of the tasks: label-smoothed, mean per label, weighted over tasks
  double nll = 0.0;   // negative log likelihood, mean per label
  std::int64_t labels = 0;
  double gradient_norm = 0.0;  // before clipping
  double total = 0.0;          // what the update minimises: the weighted sum of all losses
  // Unweighted: "hidden", "last", "attention", "sentence", those with a factor above 0.
  std::map<std::string, double> distillation = {};
  std::int64_t tokens = 0;      // of the source
  bool stop_requested = false;  // in one of several processes
};

class Trainer {
 public:
  virtual ~Trainer() = default;
  // One update over `batches` (gradients accumulate, weighted by label count, distillation by token count).
  // Throws ModelError when the loss is not finite (the weights are then unchanged).
  StepResult step(const std::vector<TrainingBatch>& batches, double learning_rate) {
    return step(batches, learning_rate, LossWeights{});
  }
  virtual StepResult step(const std::vector<TrainingBatch>& batches, double learning_rate,
                          const LossWeights& losses) = 0;
  // Whose states and maps the losses other than `tasks` compare with; runs without gradients on the same
  // packed batch, or on TrainingBatch::teacher_reading, which has neither maps nor states to compare one by
  // one: `attention` and `layerwise` are then refused with a UsageError. Throws ModelError when its d_model
  // is another.
  virtual void set_teacher(std::shared_ptr<const Model> teacher) = 0;
  // From now on a step is one of all `processes`: each gives its own part of the batches (which may have no
  // sentence), and losses, gradients and StepResult are those of the whole. Dropout's masks are other ones in
  // every process. Weights, moments and the count of steps are taken from the first.
  // `stop` of any of them shows in the StepResult of all.
  virtual void join(std::shared_ptr<Processes> processes, std::stop_token stop = {}) = 0;
  // Throws Error where weights or moments are not those of the first process, bit for bit. To be called by
  // all; nothing without processes.
  virtual void check_alike() const = 0;
  // Loss of the tasks without dropout and without an update.
  virtual StepResult evaluate(const TrainingBatch& batch) = 0;
  // The model being trained, seen through the same interface as a loaded one; dropout off.
  virtual std::shared_ptr<const Model> model() = 0;
  virtual std::map<std::string, HostTensor> weights() const = 0;  // float32, those of a float64 trainer, too
  // Everything that the next step depends on (weights, Adam moments, step count, random state), so that a
  // resumed run gives the same losses as an unbroken one. Written beside and renamed.
  virtual void save_state(const std::filesystem::path& file) const = 0;
  // Throws FormatError or ModelError when the file does not belong to this configuration.
  virtual void load_state(const std::filesystem::path& file) = 0;
};

// New weights (Xavier; embeddings normal with d_model^-0.5, pad row zero) from options.seed, or `initial`.
// device.precision: float32, or float64 for checks. Throws UsageError for another one.
std::unique_ptr<Trainer> create_trainer(const ModelConfig& config, const TrainerOptions& options,
                                        const DeviceOptions& device,
                                        const std::map<std::string, HostTensor>* initial = nullptr);

// Whether products with bfloat16 factors are faster than float32 ones on this device at the sizes of
// `config`, casts included; measured at the first call for a device and a size.
struct ProductSpeed {
  double float32 = 0.0;   // 1e9 multiply-adds a second
  double bfloat16 = 0.0;  // with the casts of both factors and of the result
  bool bfloat16_gains() const noexcept { return bfloat16 > 1.1 * float32; }
};
ProductSpeed product_speed(const ModelConfig& config, const DeviceOptions& device);

}  // namespace mog::model
