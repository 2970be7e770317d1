// Where the colours of gates part.
#pragma once

#include <cstdint>
#include <set>
#include <stop_token>
#include <string>

#include "io/recording/sentence_recording.h"

namespace mog::analysis {

struct GateMiddle {
  double value = 0.5;
  std::string of;  // "the recording", "this sentence"
};
// The median of the gate, averaged over dimensions, over tokens that are no special ones and `layers`: of the
// whole recording; of a text that was run by itself (it names no file of a corpus) of that sentence alone.
// Remembers the last few recordings. Throws Interrupted, and as RecordingSource::read.
GateMiddle gate_middle(const RecordingSource& source, std::int64_t index,
                       const std::set<std::int64_t>& layers, const std::stop_token& stop = {});

}  // namespace mog::analysis
