// Where the colours of gates part.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "io/recording/sentence_recording.h"

namespace mog::analysis {

// The gates of the words of a recording, each averaged over dimensions and pieces; no special tokens.
struct GateMiddle {
  double median = 0.5;         // over words and layers
  double reach = 0;            // nine of ten words, averaged over layers, lie nearer to the median
  std::int64_t sentences = 0;  // that were read
  std::int64_t of = 0;         // that there are
  // "the recording", "512 of 29000 sentences", "this sentence"
  std::string read() const;
};
// True: the gates of a sentence part at its own median, since its text was run by itself: it names no file of
// a corpus.
bool parts_at_own_median(const RecordingSource& source);
// Of a recording; of a long one some hundred sentences are read, spread evenly. Where each parts at its own
// median, of sentence `index`. Remembers the last few recordings. None where no gate of a word was recorded.
// Throws Interrupted, and as RecordingSource::read.
std::optional<GateMiddle> gate_middle(const RecordingSource& source, std::int64_t index,
                                      const std::stop_token& stop = {});

}  // namespace mog::analysis
