#include "model/engine/inference/engine_model.h"

#include <c10/core/DeviceGuard.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "io/recording/errors.h"
#include "model/engine/common/text.h"
#include "model/engine/decomposition/decoder_decomposer.h"
#include "model/engine/decomposition/decomposer.h"
#include "model/engine/decomposition/term_cuts.h"
#include "model/engine/inference/beam_search.h"
#include "model/engine/inference/differentiate.h"
#include "model/engine/inference/logit_parts.h"
#include "model/engine/inference/patched_runs.h"
#include "model/engine/modules/packed_input.h"
#include "model/engine/modules/pair_scores.h"
#include "model/engine/modules/state_scores.h"
#include "model/engine/runtime/device.h"
#include "model/engine/runtime/observation.h"

namespace mog::engine {
namespace {

std::int64_t rows_of(const at::Tensor& table) {
  return table.defined() ? table.size(0) : 0;
}

// As rows of a table: of one that the source has, or of the length that its positions hold for.
std::int64_t source_rows(const model::ModelConfig& config, const Weights& weights) {
  constexpr std::int64_t kFirst = 2;  // row of the first token
  return config.encoder.max_positions > 0 ? config.encoder.max_positions + kFirst
                                          : rows_of(weights.encoder.positions);
}

PackedInput input_of(const model::ModelConfig& config, const Weights& weights,
                     const AppliedInterventions& applied, const model::PackedBatch& batch, Padding padding) {
  return make_input(config, applied.empty() ? batch : applied.apply(batch), weights.device(),
                    source_rows(config, weights), rows_of(weights.decoder.positions),
                    {.padding = padding, .masked = applied.masked()});
}

void require_exact_cuts(const Weights& weights, const AppliedInterventions& applied) {
  if (applied.last_cut_layer() > 0 && has_rounded_products(weights)) {
    throw UsageError(
        "cutting terms of attention scores: products in bfloat16 or 8 bits do not add up; use --precision "
        "float32 or float64");
  }
}

void require_prefix(const model::ModelConfig& config, const Weights& weights,
                    const model::BeamOptions& options) {
  const bool first = options.first.has_value() || config.decoder->first_id.has_value();
  const auto length = static_cast<std::int64_t>(options.prefix.size()) + (first ? 1 : 0);
  const std::int64_t rows = rows_of(weights.decoder.positions);
  const std::int64_t longest = rows > 0 ? std::min(options.max_tokens, rows - 2) : options.max_tokens;
  if (length >= longest) {
    throw UsageError(concat("translating: the prefix has ", length, " tokens, and a translation at most ",
                            longest, "; shorten it, or raise max_tokens"));
  }
  std::vector<std::int64_t> ids = options.prefix;
  if (options.first) {
    ids.push_back(*options.first);
  }
  for (const std::int64_t id : ids) {
    if (id < 0 || id >= config.target_vocab_size || id == config.eos_id || id == config.pad_id) {
      throw UsageError(concat("translating: the prefix holds the id ", id,
                              "; wanted are ids of the target vocabulary (0 to ",
                              config.target_vocab_size - 1, ") without </s> and padding"));
    }
  }
}

bool wants_global(const Observation& observation) {
  constexpr std::array kQuantities = {Quantity::routing, Quantity::capsules, Quantity::pooling};
  return std::any_of(kQuantities.begin(), kQuantities.end(),
                     [&](Quantity quantity) { return observation.wants_quantity(quantity); });
}

void score_states(const ForwardContext& context, const model::PackedBatch& batch, const at::Tensor& encoded,
                  const model::NextStates& next) {
  check_states(context.config, batch, {});
  const StateReader reader(context.weights, batch, encoded);
  for (std::vector<model::StateTokens> states = next({}); !states.empty();) {
    check_states(context.config, batch, states);
    states = next(host_state_scores(context.weights, reader, states));
  }
}

std::vector<QuantitySchema> decompositions_of(const model::ModelConfig& config) {
  std::vector<QuantitySchema> all = model::decomposition_quantities(config);
  for (QuantitySchema& schema : model::decoder_decompositions(config)) {
    all.push_back(std::move(schema));
  }
  return all;
}

bool wants_decoder_decompositions(const Observation& observation) {
  constexpr std::array kQuantities = {Quantity::contribution, Quantity::memory_contribution, Quantity::alti,
                                      Quantity::memory_alti};
  return std::any_of(kQuantities.begin(), kQuantities.end(),
                     [&](Quantity quantity) { return observation.wants_quantity(Stack::decoder, quantity); });
}

}  // namespace

EngineModel::EngineModel(model::ModelConfig config, ModelCard card, Weights weights, std::string device_text,
                         int threads, std::unique_ptr<LayerStream> layers)
    : config_(std::move(config)),
      quantities_(model::quantities(config_)),
      decompositions_(decompositions_of(config_)),
      card_(std::move(card)),
      weights_(std::move(weights)),
      sinusoids_(config_.encoder.d_model),
      device_text_(std::move(device_text)),
      threads_(threads),
      layers_(std::move(layers)) {}

void EngineModel::require_layers(const char* what) const {
  if (layers_) {
    throw UsageError(concat(what, ": it needs all layers in memory; leave --layers-in-memory out"));
  }
}

void EngineModel::run(const model::PackedBatch& batch, std::span<const model::Intervention> interventions,
                      std::span<model::Observer* const> observers) const {
  run_any(batch, interventions, observers, nullptr);
}

void EngineModel::run_states(const model::PackedBatch& batch,
                             std::span<const model::Intervention> interventions,
                             std::span<model::Observer* const> observers,
                             const model::NextStates& next) const {
  if (weights_.state_heads.empty()) {
    Model::run_states(batch, interventions, observers, next);
  }
  run_any(batch, interventions, observers, &next);
}

void EngineModel::run_any(const model::PackedBatch& batch, std::span<const model::Intervention> interventions,
                          std::span<model::Observer* const> observers, const model::NextStates* next) const {
  const AppliedInterventions applied(config_, batch, interventions);
  require_exact_cuts(weights_, applied);
  if (batch.sentences() == 0) {
    return;
  }
  translate_errors(concat("running the model on ", batch.sentences(), " sentences of ", batch.tokens(),
                          " tokens on ", device_text_),
                   [&] { run_checked(batch, applied, observers, next); });
}

void EngineModel::require_decomposable(const AppliedInterventions& applied, bool decoder) const {
  const char* const kWhat = decoder ? "decomposing the model exactly: " : "decomposing the encoder exactly: ";
  if (const std::string reason = model::why_no_decompositions(config_); !reason.empty() && !decoder) {
    throw UsageError(kWhat + reason);
  }
  if (!applied.empty()) {
    throw UsageError(concat(kWhat, "not together with interventions; run it without them"));
  }
  if (has_rounded_products(weights_)) {
    throw UsageError(
        concat(kWhat, "products in bfloat16 or 8 bits do not add up; use --precision float32 or float64"));
  }
}

void EngineModel::run_checked(const model::PackedBatch& batch, const AppliedInterventions& applied,
                              std::span<model::Observer* const> observers,
                              const model::NextStates* next) const {
  const c10::InferenceMode inference;
  const c10::DeviceGuard device(weights_.device());
  use_threads(threads_);
  Observation observation(quantities_, decompositions_, observers, map_kernels(weights_.device()),
                          attention_kernels(weights_.device()));
  const bool checked = std::any_of(observers.begin(), observers.end(), [](const model::Observer* observer) {
    return observer->checks_identities();
  });
  const bool plain = model::why_no_decompositions(config_).empty();
  const bool decomposes = !model::decoder_decompositions(config_).empty() && !batch.target_offsets.empty();
  const bool both = decomposes && (checked || wants_decoder_decompositions(observation));
  const bool decomposed = both || checked || (plain && observation.wants_decompositions());
  if (decomposed) {
    require_layers("decomposing the encoder exactly");
    require_decomposable(applied, both);
  }
  // Decompositions work on sentences of equal length, without padding.
  const PackedInput input =
      input_of(config_, weights_, applied, batch, decomposed ? Padding{} : padding_for(weights_.device()));
  observation.begin(input);
  std::optional<Decomposer> decomposer;
  if (decomposed && plain) {
    decomposer.emplace(config_, weights_, input, observation, observers);
  }
  Taps* taps = decomposer ? static_cast<Taps*>(&*decomposer) : &observation;
  std::optional<DecoderDecomposer> of_decoder;
  if (both) {
    of_decoder.emplace(config_, weights_, input, observation, *taps, decomposer ? &*decomposer : nullptr,
                       observers);
    taps = &*of_decoder;
  }
  std::optional<TermCuts> cuts;
  Weights own;  // of this pass, where layers come and go
  std::optional<LayerStream::Pass> pass;
  if (layers_) {
    own = weights_;
    pass.emplace(*layers_, own);
  }
  const Weights& weights = layers_ ? own : weights_;
  if (applied.last_cut_layer() > 0) {
    cuts.emplace(config_, weights, applied);
  }
  const ForwardContext context{.config = config_,
                               .weights = weights,
                               .sinusoids = sinusoids_,
                               .applied = applied.empty() ? nullptr : &applied,
                               .taps = taps,
                               .cuts = cuts ? &*cuts : nullptr,
                               .feed = pass ? &*pass : nullptr};
  const bool decodes = input.target && (both || observation.wants_stack(Stack::decoder));
  const SourceStates source = decodes || wants_global(observation) ? encode_source(context, input)
                                                                   : SourceStates{encode(context, input), {}};
  for (const auto& [task, tags] : config_.tasks) {
    if (observation.wants({Stack::heads, 0, Part::none, Quantity::logits, Reduction::full, task})) {
      tag_logits(context, task, source.states);
    }
  }
  show_pair_scores(context, input, source.states);
  if (next != nullptr) {
    observation.finish();
    score_states(context, batch, source.states, *next);
  }
  if (decodes) {
    const at::Tensor target_states = decode(context, input, source);
    if (observation.wants({Stack::decoder, 0, Part::none, Quantity::logits})) {
      output_logits(context, target_states);
    }
  }
  observation.finish();
}

std::vector<std::vector<model::Hypothesis>> EngineModel::translate(const model::PackedBatch& batch,
                                                                   const model::BeamOptions& options,
                                                                   std::stop_token stop) const {
  if (!config_.decoder) {
    throw UsageError("translating: the model has no decoder");
  }
  if (options.beam < 1 || options.max_tokens < 1) {
    throw UsageError(concat("translating: beam ", options.beam, " and max_tokens ", options.max_tokens,
                            " must be at least 1"));
  }
  require_prefix(config_, weights_, options);
  model::PackedBatch source;
  source.ids = batch.ids;
  source.offsets = batch.offsets;
  const AppliedInterventions applied(config_, source, options.interventions);
  require_exact_cuts(weights_, applied);
  std::vector<std::vector<model::Hypothesis>> results;
  if (batch.sentences() == 0) {
    return results;
  }
  translate_errors(concat("translating ", batch.sentences(), " sentences on ", device_text_), [&] {
    const c10::InferenceMode inference;
    const c10::DeviceGuard device(weights_.device());
    use_threads(threads_);
    const PackedInput input = input_of(config_, weights_, applied, source, padding_for(weights_.device()));
    std::optional<TermCuts> cuts;
    if (applied.last_cut_layer() > 0) {
      cuts.emplace(config_, weights_, applied);
    }
    const ForwardContext pass{.config = config_,
                              .weights = weights_,
                              .sinusoids = sinusoids_,
                              .applied = applied.empty() ? nullptr : &applied,
                              .cuts = cuts ? &*cuts : nullptr};
    results = beam_search(pass, encode_source(pass, input), source.offsets, options, stop);
  });
  return results;
}

ForwardContext EngineModel::context() const {
  return {.config = config_, .weights = weights_, .sinusoids = sinusoids_};
}

void EngineModel::differentiating(const model::PackedBatch& batch, const std::function<void()>& work) const {
  if (batch.sentences() == 0) {
    return;
  }
  translate_errors(concat("differentiating ", batch.sentences(), " sentences of ", batch.tokens(),
                          " tokens on ", device_text_),
                   [&] {
                     const c10::DeviceGuard device(weights_.device());
                     use_threads(threads_);
                     work();
                   });
}

model::TokenGradients EngineModel::differentiate(const model::PackedBatch& batch, const model::Relaxation& at,
                                                 const QuantityName& of,
                                                 const model::Cotangent& cotangent) const {
  require_layers("differentiating a model");
  require_differentiable(config_, weights_, batch, at, of);
  model::TokenGradients gradients;
  differentiating(batch, [&] { gradients = token_gradients(context(), batch, at, of, cotangent); });
  return gradients;
}

model::DirectedSlopes EngineModel::differentiate_along(const model::PackedBatch& batch,
                                                       std::span<const double> leaving,
                                                       const QuantityName& of) const {
  require_layers("differentiating a model");
  require_differentiable_along(config_, weights_, batch, leaving, of);
  model::DirectedSlopes slopes;
  differentiating(batch, [&] { slopes = directed_slopes(context(), batch, leaving, of); });
  return slopes;
}

model::PatchEffects EngineModel::patch(const model::PatchRequest& request) const {
  require_layers("patching");
  require_patchable(config_, weights_, request);
  model::PatchEffects effects;
  translate_errors(concat("patching a text of ", request.into.size(), " tokens at ", request.sites.size(),
                          " sites on ", device_text_),
                   [&] {
                     const c10::DeviceGuard device(weights_.device());
                     use_threads(threads_);
                     effects = patched_effects(context(), source_rows(config_, weights_), request);
                   });
  return effects;
}

model::LogitParts EngineModel::logit_parts(const model::LogitPartsRequest& request) const {
  require_layers("taking a logit apart");
  require_logit_parts(config_, weights_, request);
  model::LogitParts parts;
  translate_errors(
      concat("taking a logit of a text of ", request.ids.size(), " tokens apart on ", device_text_), [&] {
        const c10::DeviceGuard device(weights_.device());
        use_threads(threads_);
        parts = engine::logit_parts(context(), source_rows(config_, weights_), request);
      });
  return parts;
}

}  // namespace mog::engine
