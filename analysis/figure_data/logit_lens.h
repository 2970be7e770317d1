// What a model that reads from left to right would say next, layer by layer (logit lens).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "analysis/figure_data/builders.h"

namespace mog::analysis {

enum class LensColour : std::uint8_t {
  probability,  // of the most probable token
  entropy,      // of what is predicted, nats
  surprisal,    // of the token that follows in the text, nats
};
// "probability", …; throws UsageError naming what is allowed.
LensColour parse_lens_colour(std::string_view text);

struct LensOptions {
  LensColour colour = LensColour::probability;
  bool special_tokens = true;
  std::function<std::string(std::int64_t id)> token;  // how a token of the vocabulary is shown
};

// Layer (rows, the last on top) × token: in each cell the most probable next token by that layer's states,
// its colour as `colour` says. Throws UsageError where the recording holds no next_token.best and what the
// colour needs.
FigureData logit_lens_figure(const RecordingSource& source, std::int64_t index, const LensOptions& options);

}  // namespace mog::analysis
