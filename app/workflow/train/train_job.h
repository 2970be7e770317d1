// `mog train`: data, schedule, validation, checkpoints and the written model around model::Trainer.
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

#include "app/workflow/experiment/train_config.h"
#include "io/recording/errors.h"
#include "model/processes.h"
#include "model/trainer.h"

namespace mog::app {

// One line of metrics.jsonl and one call of the progress function. Sums are over the updates since the last.
struct TrainReport {
  std::int64_t step = 0;   // updates done
  std::int64_t steps = 0;  // planned; 0: unknown
  std::int64_t epoch = 0;  // from 1
  std::int64_t epochs = 0;
  double loss = 0.0;  // label-smoothed, mean per label
  double nll = 0.0;
  double total = 0.0;                          // what the updates minimised
  std::map<std::string, double> distillation;  // "hidden", "last", "attention", "sentence", unweighted
  double learning_rate = 0.0;
  double gradient_norm = 0.0;
  double tokens_per_second = 0.0;
  double elapsed_s = 0.0;
  // Set at validations:
  std::map<std::string, double> dev;  // "loss", "nll", "upos.accuracy", "ner.f1"
  std::optional<double>
      token_cosine;  // mean cosine of a sentence's tokens, last encoder layer: near 1 = collapse
  // [layer]: "token_cosine" (mean cosine of a sentence's tokens), with a teacher also "state_cosine" and
  // "state_mse" (mean over tokens).
  std::map<std::string, std::vector<double>> layers;
  bool best = false;
};

// Quantities of a small fixed corpus, counted at every validation (train_watch.h).
struct WatchOptions {
  std::filesystem::path corpus;  // text, one sentence a line, or a treebank
  // As `mog stats --quantity` names them, token_cosine and, of a treebank, uuas; empty: what the model has to
  // count at once, token_cosine and uuas.
  std::string quantities = {};
  std::int64_t sentences = 100;  // the first
};

// Throws UsageError for a corpus that is not there and for quantities that cannot be watched.
void check_watch(const WatchOptions& options);

struct TrainJobOptions {
  std::filesystem::path data_root;  // replaces [data] root; empty: $MOG_DATA_DIR, then the configuration's
  std::filesystem::path output;     // replaces [output] directory
  bool resume = false;              // go on from the checkpoint of the same configuration
  bool overwrite = false;           // start anew although a checkpoint or a model is there
  model::DeviceOptions device;
  std::optional<WatchOptions> watch = {};
  // Those that train this run together; nullptr: this one alone. All but the first are silent and give an
  // empty result.
  std::shared_ptr<model::Processes> processes = {};
  std::stop_token stop;
  std::function<void(const TrainReport&)> progress;
  std::function<void(const std::string&)> note;  // sentences for people: what was read, written, left out
  // Decides whether training.precision = "bfloat16" gains anything.
  std::function<model::ProductSpeed(const model::ModelConfig&, const model::DeviceOptions&)> product_speed =
      model::product_speed;
};
// Tells options.note, where there is one.
void note(const TrainJobOptions& options, const std::string& text);

// A loss or gradient that is not finite, or a collapsed encoder where training.on_collapse = "stop": nothing
// that another attempt with the same configuration would change. Exit code 5.
class TrainingFailed : public ModelError {
 public:
  TrainingFailed(const std::string& message, std::int64_t step) : ModelError(message), step_(step) {}
  std::int64_t step() const noexcept { return step_; }  // updates done before

 private:
  std::int64_t step_;
};

// In one of several processes: the run has ended in all of them, for a reason that another one tells.
class EndedTogether : public Error {
 public:
  explicit EndedTogether(ExitCode exit_code)
      : Error("another process of the run tells why it ended", exit_code) {}
};

struct TrainResult {
  std::filesystem::path directory;
  std::string device;  // "cpu", "cuda:0 NVIDIA H200": where it came to its end
  std::int64_t parameters = 0;
  std::int64_t steps = 0;
  std::int64_t epochs = 0;
  bool stopped_early = false;
  std::map<std::string, double> dev;           // of the written (best) weights
  std::map<std::string, double> test;          // empty without test data
  std::map<std::string, double> distillation;  // losses of the last line of the metrics, as in TrainReport
  std::optional<double> token_cosine;          // of the last validation
  double tokens_per_second = 0.0;              // of updates: median over the lines of the metrics
  double elapsed_s = 0.0;                      // updates and validations, over all resumes
};

// How the job gets its trainer: the engine's, or a test's.
using TrainerFactory = std::function<std::unique_ptr<model::Trainer>(
    const model::ModelConfig&, const model::TrainerOptions&, const model::DeviceOptions&,
    const std::map<std::string, HostTensor>*)>;

// Trains, keeps the best weights of validation, and writes the model directory with its card. Beside it,
// in DIRECTORY.training/, stay metrics.jsonl, tokenizer files and (until the end) the checkpoint.
// Throws UsageError when there is something to lose (a checkpoint without --resume, a model) or nothing to
// resume, FormatError and ModelError for configuration and data, TrainingFailed when the loss is not finite,
// Interrupted after a stop request (a checkpoint has then been written).
class TrainJob {
 public:
  TrainJob(TrainConfig config, TrainJobOptions options, TrainerFactory factory = {});
  TrainResult run();

 private:
  TrainConfig config_;
  TrainJobOptions options_;
  TrainerFactory factory_;
};

}  // namespace mog::app
