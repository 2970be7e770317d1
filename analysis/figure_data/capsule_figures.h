// A global representation of the source: which words its capsules collect, what each capsule weighs, and how
// much of it the decoder takes in.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/figure_data/builders.h"

namespace mog::analysis {

// Whether a quantity has a value for every capsule and token (encoder.L.routing).
bool is_capsule_map(const QuantitySchema& schema);

// A heat map [capsule, token], a panel a name where there are several, all on one scale. options.by_word:
// pieces of a word together, their weights summed.
// Throws UsageError when no name is given, the recording does not hold one, or it is no such map.
FigureData capsule_map_figure(const RecordingSource& source, std::int64_t index,
                              std::span<const QuantityName> names, const TokenOptions& options = {});

// Whether the recording holds weights of the capsules of some layer (encoder.L.pooling).
bool has_pooling(const RecordingHeader& header);
// Layer (rows) × capsule (columns): the weight of each capsule in what the layer gives to the global state.
// Throws UsageError when no layer's are recorded.
FigureData pooling_figure(const RecordingSource& source, std::int64_t index);

// Whether the recording holds the gate of the global state averaged over dimensions
// (decoder.global_gate.mean).
bool has_global_gate(const RecordingHeader& header);
// A line along the translation: the gate of the decoder's step that predicts each token. options.by_word: the
// mean over the pieces of a word.
// Throws UsageError when it is not recorded, and for a sentence without translation.
FigureData global_gate_figure(const RecordingSource& source, std::int64_t index,
                              const TokenOptions& options = {});

}  // namespace mog::analysis
