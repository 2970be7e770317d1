#include "model/engine/decomposition/decomposer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "model/engine/modules/attention.h"

namespace mog::engine {
namespace {

constexpr std::array kSplits = {Quantity::split, Quantity::carried};
constexpr std::array kApart = {Quantity::separate_terms};
constexpr std::array kScores = {Quantity::logit_terms, Quantity::separate_terms};
constexpr std::array kShapley = {Quantity::aumann_shapley, Quantity::value_parts, Quantity::pseudo_gate};
constexpr std::array kValues = {Quantity::value_parts, Quantity::pseudo_gate};
constexpr std::array kMaps = {Quantity::kobayashi, Quantity::mixing_ratio, Quantity::globenc, Quantity::alti};

}  // namespace

Decomposer::Decomposer(const model::ModelConfig& config, const Weights& weights, const PackedInput& input,
                       Observation& observation, std::span<model::Observer* const> observers)
    : config_(config),
      weights_(weights),
      source_(input.source),
      groups_(input.source.self_plan.groups),
      observation_(observation),
      identities_(observers, weights.dtype()) {
  const auto anywhere = [&](std::span<const Quantity> quantities) {
    return !identities_.empty() || std::any_of(quantities.begin(), quantities.end(), [&](Quantity quantity) {
      return observation_.wants_quantity(quantity);
    });
  };
  if (weights.encoder.relative.defined()) {
    position_bias_ =
        relative_bias(weights.encoder.relative, source_.longest, config.encoder.relative_distance);
  }
  parts_ = anywhere(kSplits) || anywhere(kApart) || anywhere(kValues);
  splits_ = parts_ || anywhere(kScores) || anywhere(kShapley);
  constexpr std::array kPropagation = {Quantity::propagation};
  if (anywhere(kPropagation)) {
    propagation_.emplace();
  }
}

bool Decomposer::needs(const QuantityName& name) const {
  if (name.stack() != Stack::encoder || name.reduction() != Reduction::full) {
    return false;
  }
  if (name.layer() == 0) {
    return name.quantity() == Quantity::output;
  }
  switch (name.quantity()) {
    case Quantity::attention:
      return name.part() == Part::full;
    case Quantity::input:
    case Quantity::fused:
    case Quantity::attended:
    case Quantity::feed_forward:
    case Quantity::output:
      return name.part() == Part::none;
    default:
      return false;
  }
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
      trace_.output = values;
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
    finish_layer();
    trace_ = {};
  }
  if (output_.defined()) {
    finish_encoder(std::exchange(output_, {}));
  }
}

bool Decomposer::asked(Part part, Quantity quantity, Reduction reduction) const {
  return observation_.wants_exactly({Stack::encoder, layer_, part, quantity, reduction});
}

bool Decomposer::any(std::span<const Quantity> quantities) const {
  return !identities_.empty() || std::any_of(quantities.begin(), quantities.end(), [&](Quantity quantity) {
    return observation_.wants_quantity(quantity, layer_);
  });
}

void Decomposer::give_rows(Part part, Quantity quantity, Reduction reduction, const at::Tensor& rows) {
  std::vector<std::int64_t> offsets = source_.offsets;
  for (std::int64_t& offset : offsets) {
    offset *= rows.numel() / rows.size(0);
  }
  observation_.packed({Stack::encoder, layer_, part, quantity, reduction}, rows, std::move(offsets));
}

void Decomposer::gather(Part part, Quantity quantity, Reduction reduction, const at::Tensor& values) {
  const QuantityName name(Stack::encoder, layer_, part, quantity, reduction);
  if (observation_.wants_exactly(name)) {
    gathered_[name].push_back(values);
  }
}

void Decomposer::give_gathered() {
  for (auto& [name, blocks] : gathered_) {
    std::vector<std::int64_t> offsets = {0};
    for (at::Tensor& block : blocks) {
      const std::int64_t sentences = block.size(0);
      block = block.reshape({-1});
      for (std::int64_t i = 0; i < sentences; ++i) {
        offsets.push_back(offsets.back() + block.numel() / sentences);
      }
    }
    observation_.packed(name, blocks.size() == 1 ? blocks.front() : at::cat(blocks), std::move(offsets));
  }
  gathered_.clear();
}

void Decomposer::finish_layer() {
  layer_ = trace_.layer;
  const auto index = static_cast<std::size_t>(layer_) - 1;
  trace_.pre = config_.encoder.norm == model::NormPlace::pre;
  trace_.position_bias = position_bias_;
  trace_.weights = &weights_.encoder_layers[index];
  trace_.attention = attention_maps(config_.encoder, *trace_.weights);
  freeze_norms(trace_);
  identities_.begin_layer(trace_.layer);
  if (asked(Part::none, Quantity::norm_scale)) {
    for (const AttentionGroup& group : groups_) {
      gather(
          Part::none, Quantity::norm_scale, Reduction::full,
          at::stack({group_rows(trace_.norm1.scale(), group), group_rows(trace_.norm2.scale(), group)}, 1));
    }
  }
  if (splits_) {
    if (trace_.layer == 1) {
      state_ = {.previous = {}, .incremental = trace_.input, .bias = {}};
    }
    const OutputParts parts = parts_ ? split_output(trace_) : OutputParts();
    if (parts_) {
      show_split(parts);
      check_layer(parts);
    }
    if (any(kScores) || any(kShapley)) {
      const ScoreParts joined = score_parts(trace_, state_, /*separate=*/false);
      const bool nine = !identities_.empty() || observation_.wants_quantity(Quantity::separate_terms, layer_);
      const ScoreParts separate = nine ? score_parts(trace_, state_, /*separate=*/true) : ScoreParts();
      const ValueParts values = any(kValues) ? value_parts(trace_, state_) : ValueParts();
      for (std::size_t i = 0; i < groups_.size(); ++i) {
        const AttentionGroup& group = groups_[i];
        show_scores(group, joined, nine ? &separate : nullptr);
        if (any(kShapley)) {
          const at::Tensor terms = score_terms(trace_, joined, group).flatten(0, 1);
          const at::Tensor shapley = show_shapley(group, trace_.patterns[i], terms);
          if (any(kValues)) {
            show_values(group, parts, values, shapley);
          }
        }
      }
    }
    if (trace_.layer < config_.encoder.layers) {
      state_ = parts_ ? next_state(parts) : joined_state(trace_);
    }
  }
  if (any(kMaps)) {
    show_maps();
  }
  if (propagation_) {
    if (trace_.layer == 1) {
      propagation_->begin(trace_.input);
    }
    propagation_->add(trace_, config_.encoder.activation);
  }
  give_gathered();
  identities_.end_layer();
}

}  // namespace mog::engine
