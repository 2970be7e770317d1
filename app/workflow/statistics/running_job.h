// Statistics of a corpus while a model runs over it: the work behind `mog stats --model`. No recording is
// kept; what was counted goes to one file, to be added up with those of other parts (merge_job.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "app/workflow/record/record_job.h"
#include "app/workflow/statistics/running_request.h"
#include "io/statistics/partial_statistics.h"

namespace mog::app {

struct RunningOptions {
  RunningRequest request;
  RecordOptions record;                // capture and quantities are chosen for the request
  std::filesystem::path sums{};        // the file of what was counted; empty: none is kept
  bool resume = false;                 // go on with that file
  std::int64_t commit_every = 20'000;  // sentences after which what was counted survives a kill
};

struct RunningSummary {
  RecordSummary run;
  io::PartialStatistics statistics;  // complete
  std::vector<std::string> notes{};  // what a reader must know
};

class RunningStatisticsJob {
 public:
  // Throws as RecordJob, and UsageError for what cannot be counted while the model runs.
  RunningStatisticsJob(LoadedModel loaded, RunningOptions options);
  void on_estimate(std::function<void(const RecordEstimate&)> callback) {
    job_.on_estimate(std::move(callback));
  }
  // Throws as RecordJob::run(); ModelError when the file to go on with is of another run.
  RunningSummary run(std::stop_token stop = {}, const ProgressCallback& progress = {});

 private:
  RunningOptions options_;
  StatisticsOptions statistics_;
  RecordJob job_;
};

}  // namespace mog::app
