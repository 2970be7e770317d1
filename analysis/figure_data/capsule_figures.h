// Which words the capsules of a global representation collect.
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

}  // namespace mog::analysis
