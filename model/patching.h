// Activations of one text put into the run of another (activation patching; Vig et al. 2020, Meng et al.
// 2022), and its first-order estimate (attribution patching; Nanda 2023).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "io/recording/quantity_name.h"
#include "model/model.h"

namespace mog::model {

// What is put in: the residual state behind a layer (behind the embedding as layer 0), what the attention
// block or the feed-forward block of a layer adds to it (with biases, output norms and multipliers), the
// output of one attention head before the output map.
enum class PatchPlace : std::uint8_t { residual, attention, feed_forward, head };
std::string_view name(PatchPlace place) noexcept;  // "residual", "attention", "feed_forward", "head"
std::optional<PatchPlace> find_patch_place(std::string_view text) noexcept;
std::vector<PatchPlace> patch_places();

struct PatchSite {
  PatchPlace place = PatchPlace::residual;
  std::int64_t layer = 1;                  // from 1; residual: from 0
  Part part = Part::none;                  // head: full, or a part of a layer with order groups
  std::int64_t head = 0;                   // head: from 1
  std::optional<std::int64_t> token = {};  // from 0; unset: all tokens at once
  friend bool operator==(const PatchSite&, const PatchSite&) = default;
};

// The logit of `answer` less that of `against` (alone without), after the multiplier and cap of the model.
struct LogitPair {
  std::int64_t answer = 0;
  std::optional<std::int64_t> against = {};
};

// Which of the two runs the cosine compares with.
enum class PatchReference : std::uint8_t { from, into };

struct PatchRequest {
  std::vector<std::int64_t> from = {};  // ids of the text whose activations are taken
  std::vector<std::int64_t> into = {};  // ids of the text whose run gets them; as many
  std::vector<PatchSite> sites = {};
  // What is read: a difference of logits, or the cosine of the encoder's output with that of `reference`.
  std::optional<LogitPair> logits = {};
  PatchReference reference = PatchReference::from;
  // Token that is read, from 0; unset: the last one of logits, and the mean over tokens for the cosine.
  std::optional<std::int64_t> token = {};
  bool exact = true;                 // patched runs
  bool estimate = true;              // the first-order estimate
  std::int64_t batch_tokens = 4000;  // of one packed batch of patched runs
  // Told how many of `sites` are done; false cancels.
  std::function<bool(std::size_t done)> progress = {};
};

struct PatchEffects {
  double from = 0;  // what is read of the runs as they are
  double into = 0;
  std::vector<double> patched;  // [site]; empty unless exact
  // [site] by how much the patch moves what is read, to first order in the run of `into`:
  // Σ (from − into) · derivative; empty unless asked for.
  std::vector<double> estimated;
};

// What a model offers whose activations can be replaced. An interface beside Model: few need it.
// Safe from several threads at once.
class Patching {
 public:
  virtual ~Patching() = default;
  // Cost: two runs, for the estimate three more of one text, and for each site the layers from its own to the
  // last. Throws UsageError for texts of different lengths, a site, token or logit that the model does not
  // have, a model that reads a graph, and an estimate in bfloat16 or 8 bits; as Model::run; Interrupted.
  virtual PatchEffects patch(const PatchRequest& request) const = 0;
};

// Throws UsageError for a model that has none.
const Patching& patching_of(const Model& model);

// The sites of a configuration: all layers, of heads all heads; by token: each of `tokens` tokens apart, else
// all tokens at once. Empty where the encoder has no such place (a recurrent one has residual states alone).
std::vector<PatchSite> patch_sites(const ModelConfig& config, PatchPlace place, std::int64_t tokens,
                                   bool by_token);

}  // namespace mog::model
