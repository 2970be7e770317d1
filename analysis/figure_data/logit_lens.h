// What a model that reads from left to right would say next, layer by layer (logit lens).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

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

// What follows each token of a sentence, by the states of a layer; layer 0: by the last ones, as the model
// says it.
struct NextTokens {
  struct Best {
    std::int64_t id = 0;
    double probability = kAbsent;
  };
  std::vector<std::vector<Best>> best;  // [token], by falling probability; empty: not recorded
  // [token]: of the token that follows in the text; kAbsent behind the last one, and where nothing is
  // recorded.
  std::vector<double> surprisal;  // nats
  std::vector<double> rank;
  std::vector<double> entropy;  // [token], nats; kAbsent where nothing is recorded
};
// Layers whose states tell it in this recording, ascending, 0 among them where the model's own is held; all
// hold `next_token.best` or `.surprisal`.
std::vector<std::int64_t> next_token_layers(const RecordingHeader& header);
NextTokens next_tokens(const RecordingSource& source, std::int64_t index, std::int64_t layer);

// Layer (rows, the last on top) × token: in each cell the most probable next token by that layer's states,
// its colour as `colour` says. Throws UsageError where the recording holds no next_token.best and what the
// colour needs.
FigureData logit_lens_figure(const RecordingSource& source, std::int64_t index, const LensOptions& options);

}  // namespace mog::analysis
