// What an encoder has that can be cut. Private to mog_workflow.
#pragma once

#include <cstdint>
#include <vector>

#include "app/workflow/ablate_job.h"
#include "model/config.h"
#include "model/intervention.h"

namespace mog::app {

struct CutTarget {
  std::int64_t layer = 0;
  Cut cut = Cut::high;
  std::vector<model::Intervention> interventions;
};

// The parts that a cut scales; none for `block`.
std::vector<Part> parts_of(Cut cut);

// What `options` asks for, by layer, then cut. Throws UsageError for a layer that the encoder does not have,
// or when nothing is left.
std::vector<CutTarget> cut_targets(const model::EncoderConfig& encoder, const AblateOptions& options);

}  // namespace mog::app
