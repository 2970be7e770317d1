// A training run of several processes: who does what, and how they stay together. The first one reads and
// writes the run's folder, validates and scores; all read the data and take every step.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/workflow/experiment/train_data.h"
#include "app/workflow/train/train_checkpoint.h"
#include "model/processes.h"

namespace mog::app {

// Every function is called by all processes, in the same order; alone it does what it is given.
class TrainProcesses {
 public:
  // nullptr: alone.
  explicit TrainProcesses(std::shared_ptr<model::Processes> processes) : processes_(std::move(processes)) {}

  bool first() const noexcept { return rank() == 0; }
  int rank() const noexcept { return processes_ ? processes_->rank() : 0; }
  int count() const noexcept { return processes_ ? processes_->count() : 1; }
  const std::shared_ptr<model::Processes>& processes() const noexcept { return processes_; }

  // Where `work` fails in one, it fails in all: the lowest of those throws its own error, the others
  // EndedTogether.
  void all(const std::function<void()>& work) const;
  // The first runs `work`, which may change `state`, and the others take that over. Where it fails they throw
  // EndedTogether.
  void first_alone(const std::function<void()>& work, TrainState& state) const;
  // Throws ModelError where another process has read something else than the first.
  void require_same(const RunIdentity& identity) const;

  // What this one takes of a batch, in the batch's order: as even in tokens as sentences can be dealt out,
  // and the same whoever asks. May be empty.
  std::vector<std::int64_t> share_of(const std::vector<Example>& examples,
                                     const std::vector<std::int64_t>& batch) const;

 private:
  std::string told(std::string text) const;  // by the first

  std::shared_ptr<model::Processes> processes_;
};

}  // namespace mog::app
