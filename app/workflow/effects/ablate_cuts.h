// What an encoder has that can be cut.
#pragma once

#include <cstdint>
#include <vector>

#include "app/workflow/effects/ablate_job.h"
#include "model/intervention.h"
#include "model/model.h"

namespace mog::app {

struct CutTarget {
  std::int64_t layer = 0;
  Cut cut;
  double factor = 0;
  std::int64_t last_layer = 0;
  std::int64_t head = 0;  // or capsule, from 1; 0: none
  TermSet terms = {};
  GraphTermSet graph_terms = {};
  std::vector<model::Intervention> interventions;
  bool mean = false;  // they scale towards means, not zeros
};

// The parts that a cut of a layer scales; none for `block`, `layer`, `gate` and those of a global
// representation.
std::vector<Part> parts_of(Cut cut, const StackDescription& stack, std::int64_t layer);

// Heads and terms that `options` asks for, in layers that `keeps` (ablate_terms.cpp). Throws UsageError where
// the encoder has none.
std::vector<CutTarget> head_targets(const model::Model& model, const AblateOptions& options,
                                    const CaptureSet& chosen);
std::vector<CutTarget> term_targets(const model::Model& model, const AblateOptions& options,
                                    const CaptureSet& chosen);
// Terms of relations, of all heads together or of each (ablate_graph.cpp). Throws as they do.
std::vector<CutTarget> graph_term_targets(const model::Model& model, const AblateOptions& options,
                                          const CaptureSet& chosen);
// Targets of the same cut in several layers as one.
std::vector<CutTarget> joined_layers(std::vector<CutTarget> targets);

// What `options` asks for, by layer, then cut. Throws UsageError for a layer that the encoder does not have,
// or when nothing is left.
std::vector<CutTarget> cut_targets(const model::Model& model, const AblateOptions& options);

}  // namespace mog::app
