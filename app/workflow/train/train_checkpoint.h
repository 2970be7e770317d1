// What a training run leaves behind while it goes on, so that it can be taken up again.
//
// DIRECTORY.training/ holds config.toml, the tokenizer files, metrics.jsonl, and three files that belong
// together: checkpoint.json, which names state-STEP.safetensors (the trainer) and best-STEP.safetensors (the
// best weights so far). checkpoint.json is renamed into place last and the files of the one before are
// removed after it: a run that is killed at any moment leaves a whole checkpoint.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/workflow/train/train_job.h"
#include "io/hdf5/file/durable_file.h"
#include "model/trainer.h"

namespace mog::app {

// Sums over the updates since the last line of metrics.jsonl.
struct IntervalSums {
  double loss = 0.0;
  double nll = 0.0;
  double total = 0.0;
  std::map<std::string, double> distillation;
  double gradient_norm = 0.0;
  std::int64_t updates = 0;
  std::int64_t tokens = 0;
  friend bool operator==(const IntervalSums&, const IntervalSums&) = default;
};

struct TrainState {
  std::int64_t step = 0;
  std::int64_t epoch = 1;   // that goes on
  std::int64_t update = 0;  // updates done in it
  IntervalSums interval;
  double elapsed_s = 0.0;
  std::int64_t best_step = 0;  // 0: none yet
  double best_score = 0.0;
  std::map<std::string, double> best_dev;
  std::int64_t validated_step = 0;  // of the last validation
  std::int64_t without_gain = 0;    // validations since the best
  bool stopped_early = false;
  bool averaged = false;  // the best weights are the mean of the last validations' weights
  bool finished = false;
  friend bool operator==(const TrainState&, const TrainState&) = default;
};

// As in checkpoint.json. parse_train_state throws FormatError.
std::string to_json(const TrainState& state);
TrainState parse_train_state(const std::string& text);

// What a checkpoint belongs to. `parts`, in words ("the seed"), say what differs where `hash` does.
struct RunIdentity {
  std::string hash;
  std::string config;   // the text of the configuration
  bool written = true;  // by a person: its lines mean something
  std::map<std::string, std::string> parts;
};

class TrainFolder {
 public:
  // `model_directory`: the folder that will hold the model; ours is beside it.
  explicit TrainFolder(const std::filesystem::path& model_directory);
  const std::filesystem::path& path() const noexcept { return path_; }
  std::filesystem::path file(const std::string& name) const { return path_ / name; }
  bool has_checkpoint() const;
  // With its parents, and locked for this process until the last copy of `this` is gone. Throws StorageError
  // when another process trains there.
  void create();
  void remove_run() const;  // checkpoint, states, best weights, metrics: of an earlier run

  // `trainer`: nullptr writes the JSON only (a finished run needs no state).
  void save(const TrainState& state, const RunIdentity& identity, const model::Trainer* trainer) const;
  void save_best(std::int64_t step, const std::map<std::string, HostTensor>& weights) const;
  // Weights of validations, for their average: keeps those of the last `keep`, the newest at `step`.
  void save_last(std::int64_t step, const model::Trainer& trainer, std::int64_t keep) const;
  // Their mean, tensor by tensor in float64; empty when there are none.
  std::map<std::string, HostTensor> last_mean() const;
  void remove_last() const;
  // Loads the trainer too unless the run is finished. Throws ModelError, naming the first key or part that
  // differs, when `identity` is another, FormatError for a damaged file.
  TrainState load(const RunIdentity& identity, model::Trainer* trainer) const;
  std::map<std::string, HostTensor> best_weights(std::int64_t step) const;

 private:
  std::filesystem::path state_file(std::int64_t step) const;
  std::filesystem::path best_file(std::int64_t step) const;
  void remove_others(const TrainState& state) const;
  std::string difference(const RunIdentity& identity, const std::map<std::string, std::string>& parts) const;
  std::vector<std::filesystem::path> last_files() const;  // by step
  void lock();
  std::filesystem::path path_;
  std::shared_ptr<io::FileDescriptor> lock_;
};

// metrics.jsonl. Lines after step `step` (of a run that went on after its checkpoint) are dropped.
class MetricsLog {
 public:
  MetricsLog(std::filesystem::path file, std::int64_t step);
  void add(const TrainReport& report) const;
  std::vector<TrainReport> validations() const;  // the lines that have dev scores
  // Median over the lines without dev scores (whose time is that of updates alone), else over all; 0: no
  // line.
  double tokens_per_second() const;

 private:
  std::vector<std::string> lines() const;
  std::filesystem::path file_;
};
std::string to_json(const TrainReport& report);

}  // namespace mog::app
