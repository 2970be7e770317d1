// The exact decompositions of one layer: which of them are computed, and what they have in common (internal
// to the engine; docs/quantity-names.md, Exact decompositions).
#pragma once

#include <span>

#include "model/engine/decomposition/identities.h"
#include "model/engine/decomposition/layer_trace.h"
#include "model/engine/decomposition/results.h"
#include "model/engine/decomposition/split.h"

namespace mog::engine {

class LayerDecomposition {
 public:
  // groups: borrowed; of equal lengths, not padded. layers: of the encoder. check: every identity is checked.
  LayerDecomposition(Observation& observation, std::span<const AttentionGroup> groups, std::int64_t layers,
                     bool check);

  // trace: complete; state: the parts of its input, [token, d_model] each, not read in layer 1. Gathers what
  // `results` ask, tells `identities` when they are checked. Returns the parts of the next layer's input;
  // none after the last layer, and where no layer needs them. Throws Interrupted when an observer stops the
  // run.
  StateParts run(const LayerTrace& trace, StateParts state, Results& results, Identities& identities) const;

 private:
  void give_norm_scales(const LayerTrace& trace, Results& results) const;
  void give_split(const LayerTrace& trace, const OutputParts& parts, Results& results) const;
  // By group: terms of the scores, what they do to the pattern, what comes of the values.
  void run_attention(const LayerTrace& trace, const StateParts& state, const OutputParts& parts,
                     Results& results, Identities& identities) const;
  // By group: the maps of what each key gives to each query.
  void run_maps(const LayerTrace& trace, Results& results, Identities& identities) const;

  std::span<const AttentionGroup> groups_;
  std::int64_t layers_;
  bool check_;
  bool parts_;   // some layer needs the parts of its output one by one
  bool splits_;  // some layer needs the parts of its input
};

}  // namespace mog::engine
