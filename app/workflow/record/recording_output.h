// The output of `mog record`: a recording, new, gone on with, or in the place of another.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/workflow/record/record_job.h"
#include "io/hdf5/recording/recording_writer.h"
#include "io/hdf5/recording/replaced_recording.h"
#include "io/statistics/number_ranges.h"

namespace mog::app {

// Throws FormatError for a corpus, or a part of one, without a word.
void refuse_empty(const RecordEstimate& estimate, const RecordOptions& options);
// What is still to be recorded, how large it will be, and how much room there is. Throws ModelError where
// what is there holds sentences of another part.
void estimate_sizes(const RunPlan& plan, const RecordOptions& options, RecordEstimate& estimate);
// Throws UsageError for an output that is there and may not be gone on with or replaced.
void refuse_existing(const RecordOptions& options);

class RecordingOutput final : public RunOutput {
 public:
  // `options` must outlive it.
  explicit RecordingOutput(const RecordOptions& options);
  ~RecordingOutput() override;

  void estimate(const RunPlan& plan, RecordEstimate& estimate) override;
  io::NumberRanges begin(const RecordingHeader& header, const RecordEstimate& estimate) override;
  void write(const RecordingBatch& batch) override;
  void commit() override;
  std::string interrupted(std::int64_t finished, std::int64_t total) override;
  void finish() override;
  std::int64_t bytes_written() const;

 private:
  const RecordOptions& options_;
  std::unique_ptr<io::ReplacedRecording> replaced_;
  std::optional<io::RecordingWriter> writer_;
};

}  // namespace mog::app
