// Gates as lists of sentences and the strip read them: one number a token.
#pragma once

#include <cstdint>
#include <vector>

#include "io/recording/sentence_recording.h"

namespace mog::gui {

// Of every token the gate, averaged over dimensions and summed over layers.
struct GateSums {
  std::vector<double> sums;  // [token] of the block; empty when nothing was recorded
  std::int64_t layers = 0;   // summed
  std::int64_t first_layer = 0;
  std::int64_t last_layer = 0;
};

// Of sentences [first, first + count), which have `tokens` tokens in all.
GateSums gate_sums(const RecordingSource& source, std::int64_t first, std::int64_t count,
                   std::int64_t tokens);

}  // namespace mog::gui
