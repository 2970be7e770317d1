// Quantities of a small fixed corpus, counted before the first update and at every validation: how they
// became what they are (`mog train --watch`).
//
// DIRECTORY.training/ then holds watched.txt (or .conllu), the sentences; watched.rec, the recording of the
// last validation; and trajectory.csv, a row for every update, quantity, layer, part and bin of lengths. Each
// count is that of `mog record` and `mog stats` (of a treebank `mog syntax`, too) on the weights of that
// moment.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "analysis/statistics/table.h"
#include "app/workflow/statistics/statistics_job.h"
#include "app/workflow/train/train_setup.h"

namespace mog::app {

// What is counted.
struct Watched {
  StatisticsOptions statistics;  // measures and word measures; none: what the model has
  bool cosine = false;
  bool syntax = false;
};

class TrainWatch {
 public:
  // Reads the corpus, and of a run that goes on the rows up to update `step`. Throws as check_watch(),
  // FormatError for a corpus without sentences, ModelError where the rows are of other sentences.
  TrainWatch(const TrainSetup& setup, std::int64_t step);

  // Adds the rows of this moment unless they are there. Throws as RecordJob, StatisticsJob and
  // compare_syntax.
  void observe(model::Trainer& trainer, std::int64_t step, std::int64_t epoch);
  double elapsed_s() const noexcept { return elapsed_s_; }  // of all observe()

 private:
  std::filesystem::path watched() const;  // the sentences
  void record(std::shared_ptr<const model::Model> model) const;
  analysis::Table counted(const std::filesystem::path& recording) const;
  void add_cosines(analysis::Table& rows, const model::Model& model, const RecordingSource& recording) const;
  void add_syntax(analysis::Table& rows, const RecordingSource& recording) const;

  const TrainSetup& setup_;
  const WatchOptions& options_;
  bool treebank_ = false;
  Watched asked_;
  analysis::Table rows_;
  double elapsed_s_ = 0;
};

}  // namespace mog::app
