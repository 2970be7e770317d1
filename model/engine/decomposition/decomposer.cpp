// The pass knows nothing of decompositions: it shows quantities as it does to any observation. What shows up
// here is kept, as references, until the layer's flush; then the layer is taken apart, and only the parts of
// its output go on to the next one. Propagation alone needs all layers at once: it keeps of each what it
// needs, and runs at the flush behind the encoder's output. So memory beside the pass is one layer, or with
// propagation all patterns, scales and slopes.
#include "model/engine/decomposition/decomposer.h"

#include <utility>

#include "model/engine/decomposition/layer_maps.h"
#include "model/engine/decomposition/propagation_results.h"
#include "model/engine/modules/attention.h"

namespace mog::engine {
namespace {

// Quantities that a LayerTrace is made of, and the encoder's output.
bool needs(const QuantityName& name) {
  if (name.stack() != Stack::encoder || name.reduction() != Reduction::full) {
    return false;
  }
  if (name.layer() == 0) {
    return name.quantity() == Quantity::output;
  }
  switch (name.quantity()) {
    case Quantity::attention:
      return name.part() == Part::full;
    case Quantity::output:  // of the map, and of the layer
      return name.part() == Part::none || name.part() == Part::full;
    case Quantity::input:
    case Quantity::fused:
    case Quantity::attended:
    case Quantity::feed_forward:
      return name.part() == Part::none;
    default:
      return false;
  }
}

}  // namespace

Decomposer::Decomposer(const model::ModelConfig& config, const Weights& weights, const PackedInput& input,
                       Observation& observation, std::span<model::Observer* const> observers)
    : config_(config),
      weights_(weights),
      source_(input.source),
      observation_(observation),
      identities_(observers, weights.dtype()),
      layers_(observation, source_.self_plan.groups, config.encoder.layers, !identities_.empty()),
      positions_(stack_positions(config.encoder, weights.encoder, source_)) {
  if (source_.arcs) {
    graph_ = graph_trace(*source_.arcs, source_.self_plan, config.encoder.graph_input->form);
  }
  gives_propagation_ = !identities_.empty() || observation.wants_quantity(Quantity::propagation);
  if (gives_propagation_) {
    propagation_.emplace();
  }
}

void Decomposer::keep_for_decoder(bool propagation, bool rollout) {
  if (propagation && !propagation_) {
    propagation_.emplace();
  }
  keeps_rollouts_ = rollout;
}

bool Decomposer::wants(const QuantityName& name) const {
  return needs(name) || observation_.wants(name);
}

void Decomposer::rows(const QuantityName& name, const at::Tensor& values) {
  if (observation_.wants(name)) {
    observation_.rows(name, values);
  }
  if (!needs(name)) {
    return;
  }
  if (name.layer() == 0) {
    output_ = values;
    return;
  }
  switch (name.quantity()) {
    case Quantity::input:
      trace_ = {};
      trace_.layer = name.layer();
      trace_.input = values;
      break;
    case Quantity::fused:
      trace_.attended_sum = values;
      break;
    case Quantity::attended:
      trace_.attended = values;
      break;
    case Quantity::feed_forward:
      trace_.feed_forward = values;
      break;
    default:
      (name.part() == Part::full ? trace_.mapped : trace_.output) = values;
  }
}

void Decomposer::maps(const QuantityName& name, const AttentionPlan& plan, const AttentionGroup& group,
                      const at::Tensor& maps) {
  if (observation_.wants(name)) {
    observation_.maps(name, plan, group, maps);
  }
  if (needs(name)) {
    trace_.patterns.push_back(maps);
  }
}

void Decomposer::flush() {
  observation_.flush();
  if (trace_.output.defined()) {
    complete(trace_);
    finish_layer(trace_);
    trace_ = {};
  }
  if (output_.defined()) {
    finish_encoder(std::exchange(output_, {}));
  }
}

void Decomposer::complete(LayerTrace& trace) const {
  trace.graph = graph_ ? &*graph_ : nullptr;
  begin_trace(config_.encoder, weights_.encoder_layers[static_cast<std::size_t>(trace.layer) - 1], positions_,
              trace);
  freeze_norms(config_.encoder, trace);
}

void Decomposer::finish_layer(const LayerTrace& trace) {
  Results results(observation_, source_, trace.layer);
  identities_.begin_layer(trace.layer);
  state_ = layers_.run(trace, std::move(state_), results, identities_);
  if (propagation_) {
    if (trace.layer == 1) {
      propagation_->begin(trace.input);
    }
    propagation_->add(trace, config_.encoder.activation);
  }
  if (keeps_rollouts_) {
    roll_out(trace);
  }
  results.give();
  identities_.end_layer();
}

void Decomposer::roll_out(const LayerTrace& trace) {
  const GivenVectors given(trace);
  const std::vector<AttentionGroup>& groups = source_.self_plan.groups;
  rollouts_.resize(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const at::Tensor own = given.alti(groups[i], trace.patterns[i]);
    rollouts_[i] = trace.layer == 1 ? own : at::bmm(own, rollouts_[i]);
  }
}

void Decomposer::finish_encoder(const at::Tensor& output) {
  if (!propagation_) {
    return;
  }
  if (config_.encoder.ends_with_norm()) {
    propagation_->add_final(weights_.encoder.final_norm);
  }
  if (gives_propagation_) {
    give_propagation(*propagation_, output, source_, observation_, identities_);
  }
}

}  // namespace mog::engine
