// The checks of a golden case on one device: one body for the processor and for graphics cards.
#pragma once

#include <string>

#include "model/model.h"

namespace mog::test {

// Every key, three sentences one by one.
void check_single_sentences(const std::string& name, const model::DeviceOptions& device);
// Every key, in packed batches of unequal lengths in several orders and with repeated sentences.
void check_packed_batches(const std::string& name, const model::DeviceOptions& device);
// Greedy and beam search, id by id, alone and in one batch.
void check_translations(const std::string& name, const model::DeviceOptions& device);
// Reductions against the same reductions of the golden maps, gates and parts, computed in double.
void check_reductions(const std::string& name, const model::DeviceOptions& device);
// Statistics of attention rows where nobody wants a map (they come without one), and the states beside them,
// against those of a run that shows all maps; with a masked token, too.
void check_statistics_alone(const std::string& name, const model::DeviceOptions& device);
// The same of a translator whose attention has T5's bias, and scores that are not scaled.
void check_statistics_alone_with_relative_positions(const model::DeviceOptions& device);
void check_statistics_alone_with_windows(const model::DeviceOptions& device);
// Sentences whose maps nobody keeps, long enough that none are made, give the states and the mean maps that
// maps give.
void check_long_sentences(const model::DeviceOptions& device);
// float16 capture is the float32 capture rounded once.
void check_float16(const std::string& name, const model::DeviceOptions& device);

}  // namespace mog::test
