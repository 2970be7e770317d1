// Quantities asked for by name: `mog record --quantity 'encoder.*.split.norm,encoder.6.alti'`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/workflow/record/capture.h"
#include "io/recording/axes.h"
#include "model/config/config.h"

namespace mog::app {

// Names with * for any one piece or a part of it ("encoder.*.split", "encoder.6.full.logit_terms.*").
// Throws UsageError for an empty name.
std::vector<std::string> parse_patterns(std::string_view text);

// Whether a name fits a pattern.
bool matches_name(std::string_view pattern, std::string_view text);

// What was asked for by name, each list sorted.
struct NamedQuantities {
  std::vector<QuantitySchema> of_model;      // the model gives them, decompositions among them
  std::vector<QuantitySchema> attributions;  // computed from its layer maps
};
// Every pattern must match something: throws UsageError naming it and saying why there is nothing (a
// Graph-Transformer has no exact decompositions, …). Layers are those of `set` alone; types are the set's for
// vectors and maps, float32 for statistics.
NamedQuantities select_named(std::span<const std::string> patterns, const model::ModelConfig& config,
                             const CaptureSet& set);

}  // namespace mog::app
