// The runs of a sweep, one after the other, and their table.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/workflow/experiment/train_sweep.h"
#include "app/workflow/tasks/shard.h"
#include "app/workflow/train/sweep_table.h"
#include "app/workflow/train/train_inputs.h"
#include "app/workflow/train/train_job.h"

namespace mog::app {

struct SweepJobOptions {
  TrainJobOptions train;          // of every run; `output` replaces the sweep's
  std::vector<std::string> runs;  // patterns of select_runs(); empty: all
  Shard shard = {};               // of these every parts-th, from the part-th: tasks share a sweep
  bool table_only = false;        // trains nothing
  // Before a run: its number among those chosen (from 1), how many those are.
  std::function<void(const SweepRun&, std::int64_t, std::int64_t)> begin;
};

// Indices of the runs that these options choose; none where there are more tasks than runs. Throws as
// select_runs().
std::vector<std::size_t> chosen_runs(const Sweep& sweep, const SweepJobOptions& options);

// Trains every chosen run that has no result yet as a run of its own in OUTPUT/RUN, and writes
// OUTPUT/sweep.csv, sweep.md and sweep.jsonl after each of them and at the end. A run that fails in its loop
// (TrainingFailed) has that as its result, and the sweep goes on; every other error ends it. What is done
// stays: with `resume` finished runs are kept, a broken one goes on from its checkpoint, the others start.
// Several processes may train different runs of one sweep at the same time.
// Throws UsageError when a chosen run has something to lose and neither resume nor overwrite is set,
// ModelError when a result is of another configuration or other inputs, and as TrainJob::run.
class SweepJob {
 public:
  SweepJob(Sweep sweep, SweepJobOptions options, TrainerFactory factory = {});
  SweepTable run();  // points into this object

 private:
  std::filesystem::path directory(const SweepRun& run) const;
  std::filesystem::path result_file(const SweepRun& run) const;
  void check_folders(const std::vector<std::size_t>& chosen) const;
  // Throws ModelError when a result is of other data, another start or teacher.
  void check_inputs(const SweepRun& run, const SweepResult& result);
  // nullopt: none. A result of another configuration is an error where `strict`, else none.
  std::optional<SweepResult> result_of(const SweepRun& run, bool strict) const;
  void train(const SweepRun& run);
  void clear(const SweepRun& run) const;  // after sweep.keep
  SweepTable write_tables() const;
  Sweep sweep_;
  SweepJobOptions options_;
  TrainerFactory factory_;
  InputFingerprints inputs_;
};

}  // namespace mog::app
