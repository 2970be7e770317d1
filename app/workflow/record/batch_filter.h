// Leaving sentences out of a recorded batch.
#pragma once

#include <cstdint>

#include "io/recording/sentence_recording.h"
#include "io/statistics/number_ranges.h"

namespace mog::app {

// The batch without the sentences whose numbers are in `recorded`; O(bytes kept).
// Throws UsageError when `header` does not hold a quantity of the batch.
RecordingBatch without_recorded(const RecordingBatch& batch, const RecordingHeader& header,
                                const io::NumberRanges& recorded);

}  // namespace mog::app
