// A table of `mog stats` that grows while a model runs: its sums are all that stays of a sentence (of trends
// its means), and those of the parts of a corpus add up to those of the whole (additive.h).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "analysis/statistics/additive.h"
#include "analysis/statistics/entry_means.h"
#include "analysis/statistics/gate_dimensions.h"
#include "analysis/statistics/relation_effects.h"
#include "analysis/statistics/table.h"
#include "analysis/statistics/trends.h"
#include "analysis/statistics/weight_by_length.h"

namespace mog::analysis {

class RunningTable {
 public:
  RunningTable() = default;
  RunningTable(const RunningTable&) = delete;
  RunningTable& operator=(const RunningTable&) = delete;
  virtual ~RunningTable() = default;
  // How many sentences will be added at most. Throws UsageError where that is too many to hold.
  virtual void expect(std::int64_t /*sentences*/) {}
  // Sentences that were not added before (nobody looks), with the quantities of the header that it was made
  // for. Throws FormatError.
  virtual void add(const RecordingSource& block) = 0;
  virtual Table table() const = 0;
  // All that was counted, in an order that does not change: to add up, to keep in a file.
  virtual std::vector<Additive*> sums() = 0;
};

// W by layer and length (LengthStatistics::table): the cells of a recording, but for the last bits of means
// and for the draws behind the intervals. Throws UsageError when the header has nothing of the measure.
std::unique_ptr<RunningTable> running_lengths(const LengthOptions& options, const RecordingHeader& header);

// trend_table(), of the means of every sentence: 8 bytes · sentences · (series + 2), the same in a file. The
// numbers are those of a recording, draws behind intervals included. Throws as running_lengths() and
// trends().
std::unique_ptr<RunningTable> running_trends(const LengthOptions& options, const TrendOptions& trend,
                                             const RecordingHeader& header);

// Of what `offered` has, the quantities that running_lengths() would read. Throws UsageError for none.
std::vector<QuantityName> quantities_of_lengths(const LengthOptions& options, const RecordingHeader& offered);

// entry_means() of one quantity. Throws as it does.
std::unique_ptr<RunningTable> running_entries(const QuantityName& name, const EntryOptions& options,
                                              const RecordingHeader& header);

// relation_effects(). Throws as it does, and UsageError where the sums would take more than 4 GB:
// 48 bytes · bins · layers · heads · relations · resamples.
std::unique_ptr<RunningTable> running_relations(std::span<const RelationName> relations,
                                                const RelationOptions& options,
                                                const RecordingHeader& header);

// gate_dimensions(). Memory: 32 bytes · layers · bins · d_model. Throws as it does.
std::unique_ptr<RunningTable> running_dimensions(const DimensionOptions& options,
                                                 const RecordingHeader& header);

}  // namespace mog::analysis
