// Leaving sentences out of a recorded batch.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "io/recording/sentence_recording.h"

namespace mog::app {

// The batch without the sentences whose numbers are in `recorded`; O(bytes kept).
// Throws UsageError when `header` does not hold a quantity of the batch.
RecordingBatch without_recorded(const RecordingBatch& batch, const RecordingHeader& header,
                                const std::unordered_set<std::int64_t>& recorded);

}  // namespace mog::app
