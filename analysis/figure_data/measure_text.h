// What the axis of a figure calls a measure.
#pragma once

#include <string_view>

#include "analysis/statistics/weight_by_length.h"
#include "io/recording/sentence_recording.h"

namespace mog::analysis {

std::string_view measure_text(Measure measure, GateKind gate);

}  // namespace mog::analysis
