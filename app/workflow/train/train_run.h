// The loop of a training run: updates, validations, checkpoints.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/workflow/train/train_checkpoint.h"
#include "app/workflow/train/train_job.h"
#include "app/workflow/train/train_setup.h"
#include "app/workflow/train/train_validation.h"
#include "app/workflow/train/train_watch.h"

namespace mog::app {

class TrainRun {
 public:
  // Makes the trainer, or takes it up where the checkpoint left it. Throws what TrainFolder::load and
  // new_trainer do.
  explicit TrainRun(TrainSetup setup);
  TrainRun(const TrainRun&) = delete;
  TrainRun& operator=(const TrainRun&) = delete;

  // To the written model. Throws TrainingFailed, and Interrupted after a stop request (a checkpoint has then
  // been written). Once only.
  TrainResult run();

 private:
  using Clock = std::chrono::steady_clock;

  void take_up();  // in the first process
  void loop();
  std::int64_t planned_updates() const;
  bool done() const noexcept;
  bool stop_requested() const noexcept;
  bool validation_due() const noexcept;
  void start_epoch();
  void update();
  // Of this process, of the update that is next.
  std::vector<model::TrainingBatch> next_batches() const;
  // Several rounds over the graphs that the model predicts itself.
  void add_rounds(const std::vector<std::int64_t>& chosen, model::TrainingBatch& batch) const;
  void validate_now();  // in the first process; with its checkpoint
  void watch_now();
  void watch_collapse(const Validation& validation) const;
  void report(const Validation* validation, bool best);
  void save();
  void write_checkpoint();  // in the first process
  double elapsed_s() const;

  const TrainSetup setup_;
  const TrainProcesses& processes_;  // of setup_
  const TrainingPlan& plan_;         // of setup_
  std::unique_ptr<model::Trainer> trainer_;
  std::optional<MetricsLog> metrics_;  // of the first process, as watch_
  std::optional<TrainWatch> watch_;
  TrainState state_;
  std::vector<std::vector<std::int64_t>> batches_;  // of the epoch that goes on
  std::int64_t updates_per_epoch_ = 0;
  std::int64_t total_ = 0;  // updates
  std::int64_t saved_step_ = -1;
  bool one_stops_ = false;  // one of several processes wants to
  Clock::time_point started_;
  double elapsed_before_ = 0.0;
  Clock::time_point rate_started_;
  std::int64_t rate_tokens_ = 0;
};

}  // namespace mog::app
