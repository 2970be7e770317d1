// A table of `mog stats` that grows while a model runs: its sums are all that stays of a sentence, and those
// of the parts of a corpus add up to those of the whole (running_sums.h).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "analysis/statistics/entry_means.h"
#include "analysis/statistics/gate_dimensions.h"
#include "analysis/statistics/running_sums.h"
#include "analysis/statistics/table.h"
#include "analysis/statistics/weight_by_length.h"

namespace mog::analysis {

class RunningTable {
 public:
  RunningTable() = default;
  RunningTable(const RunningTable&) = delete;
  RunningTable& operator=(const RunningTable&) = delete;
  virtual ~RunningTable() = default;
  // Sentences that were not added before (nobody looks), with the quantities of the header that it was made
  // for. Throws FormatError.
  virtual void add(const RecordingSource& block) = 0;
  virtual Table table() const = 0;
  // All that was counted, in an order that does not change: to add up, to keep in a file.
  virtual std::vector<RunningSums*> sums() = 0;
};

// W by layer and length (LengthStatistics::table): the cells of a recording, but for the last bits of means
// and for the draws behind the intervals. Throws UsageError when the header has nothing of the measure.
std::unique_ptr<RunningTable> running_lengths(const LengthOptions& options, const RecordingHeader& header);

// Of what `offered` has, the quantities that running_lengths() would read. Throws UsageError for none.
std::vector<QuantityName> quantities_of_lengths(const LengthOptions& options, const RecordingHeader& offered);

// entry_means() of one quantity. Throws as it does.
std::unique_ptr<RunningTable> running_entries(const QuantityName& name, const EntryOptions& options,
                                              const RecordingHeader& header);

// gate_dimensions(). Memory: 32 bytes · layers · bins · d_model. Throws as it does.
std::unique_ptr<RunningTable> running_dimensions(const DimensionOptions& options,
                                                 const RecordingHeader& header);

}  // namespace mog::analysis
