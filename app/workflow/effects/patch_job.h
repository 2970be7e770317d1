// What single activations carry: those of one text are put into the run of another that differs in a word or
// two, and what the model says then is compared with what it says of either. The work behind `mog patch`
// (docs/command-line.md).
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/statistics/table.h"
#include "app/workflow/common/progress.h"
#include "app/workflow/record/capture.h"
#include "app/workflow/record/live_run.h"
#include "io/recording/sentence.h"
#include "model/patching.h"

namespace mog::app {

// Which run gets the other's activations: the corrupt one (denoising: what suffices to restore the answer),
// or the clean one (noising: what is needed for it).
enum class PatchDirection : std::uint8_t { corrupt, clean };
std::string_view name(PatchDirection direction) noexcept;
// "corrupt", "clean", "both"; throws UsageError.
std::vector<PatchDirection> parse_directions(std::string_view text);
// "residual,head"; throws UsageError naming the piece and what is allowed.
std::vector<model::PatchPlace> parse_places(std::string_view text);

struct PatchOptions {
  std::string clean;
  std::string corrupt;
  // Tokens whose logits are read, as text (token_choice.h). No answer: the cosine of the output to the clean
  // one.
  std::string answer;
  std::string against;  // only with an answer
  // Answer and against are what the model finds most probable behind the clean and behind the corrupt text.
  bool best_answers = false;  // without an answer
  std::vector<PatchDirection> directions = {PatchDirection::corrupt};
  std::vector<model::PatchPlace> places;  // empty: all that the model has
  std::vector<LayerRange> layers;         // empty: all, and the embedding among the residual states
  bool head_positions = false;            // heads position by position, not at all of them at once
  // Token that is read, from 1, negative from the end; without it the last one of logits, and the mean over
  // tokens for the cosine.
  std::optional<std::int64_t> position = {};
  bool exact = true;
  bool estimate = true;
  std::int64_t batch_tokens = 4000;
};

struct PatchRow {
  model::PatchSite site;
  double patched = 0;   // what is read of the patched run; NaN: not run
  double estimate = 0;  // of patched - unpatched, by gradients; NaN: not asked for, or without meaning
};
struct PatchedDirection {
  PatchDirection into = PatchDirection::corrupt;
  std::vector<PatchRow> rows = {};
};

struct PatchResult {
  ModelCard model;
  Sentence clean;
  Sentence corrupt;
  std::vector<std::string> clean_tokens;  // to be read
  std::vector<std::string> corrupt_tokens;
  std::string measure;  // "logit_difference", "logit", "cosine"
  std::string answer;   // to be read; empty without
  std::string against;
  std::int64_t position = 0;  // from 1; 0: the mean over tokens
  double clean_value = 0;
  double corrupt_value = 0;
  std::vector<PatchedDirection> directions;
  std::vector<std::string> notes;

  // (value − corrupt) / (clean − corrupt); NaN where these two are equal.
  double normalised(double value) const;
  // One row a site. Columns: model, clean_text, corrupt_text, measure, answer, against, read_position, into,
  // place, layer, part, head, position, clean_token, corrupt_token, clean, corrupt, patched, change, effect,
  // estimate, estimated_effect, spearman (of change and estimate over the sites of a place and direction).
  analysis::Table table() const;
};

// Throws UsageError for texts of different numbers of tokens (the message shows both and where they part),
// equal texts, a token, place, layer or position that is not there; ModelError for a text that is too long;
// as Patching::patch.
PatchResult run_patching(const LoadedModel& loaded, const PatchOptions& options, std::stop_token stop = {},
                         const ProgressCallback& progress = {});

}  // namespace mog::app
