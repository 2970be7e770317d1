// Routing is attention turned round: a capsule is a query that is found while it looks. It starts from equal
// weights, takes the squashed mean of what it sees, and gives more weight to positions that agree with it;
// three times (Sabour et al. 2017). A batch walks through it group by group, as through attention
// (attention.cpp): capsules are heads, and the weights c of a group are maps with one query a sentence.
//
// Cost: ĥ = W_k h is the product [token, d] × [d, K·d], K times a projection of attention, and most of the
// time of a pass; routing itself is O(iterations · K · tokens · d). ĥ is kept for the way back, K times the
// states of a layer. All after the capsules is per sentence: s is computed once for a source, also in a beam
// search, and of the gate the columns that read s are a product a sentence, so that a step of the search pays
// one product [d, d].
//
// Gradients flow through all iterations, the weights c included.
//
// Traps: squash and softmax are float32 even where the products are bfloat16. Tokens that are masked have
// weight 0, as padding has.
#include "model/engine/modules/global_representation.h"

#include <limits>
#include <vector>

#include "model/engine/modules/head_layout.h"
#include "model/engine/modules/stack.h"

namespace mog::engine {
namespace {

QuantityName of_layer(std::int64_t layer, Quantity quantity) {
  return {Stack::encoder, layer, Part::none, quantity};
}

// |t|²/(1 + |t|²) · t/|t|, 0 for 0 (GRET eq. 4); over the last dimension.
at::Tensor squash(const at::Tensor& t) {
  const at::Tensor length = at::linalg_vector_norm(t, 2, at::IntArrayRef{-1}, /*keepdim=*/true);
  return t * (length / (1.0 + length * length));
}

// c [sentence, capsule, token] of logits b. blocked: [sentence or 1, 1, token], or undefined.
at::Tensor route(const at::Tensor& logits, model::RouteAxis axis, const at::Tensor& blocked) {
  if (axis == model::RouteAxis::positions) {
    constexpr double kNever = -std::numeric_limits<double>::infinity();
    return at::softmax(blocked.defined() ? logits.masked_fill(blocked, kNever) : logits, -1);
  }
  const at::Tensor weights = at::softmax(logits, 1);
  return blocked.defined() ? weights.masked_fill(blocked, 0.0) : weights;
}

struct Routed {
  at::Tensor weights;   // c [sentence, capsule, token]
  at::Tensor capsules;  // u [sentence, capsule, d_model]
};

// hat: ĥ [sentence, capsule, token, d_model] (GRET algorithm 1).
Routed dynamic_routing(const at::Tensor& hat, const model::GretConfig& config, const at::Tensor& blocked) {
  const std::int64_t sentences = hat.size(0);
  const std::int64_t capsules = hat.size(1);
  const std::int64_t tokens = hat.size(2);
  const at::Tensor flat = hat.view({sentences * capsules, tokens, hat.size(3)});
  at::Tensor logits = at::zeros({sentences, capsules, tokens}, hat.options().requires_grad(false));
  Routed routed;
  for (std::int64_t iteration = 1; iteration <= config.iterations; ++iteration) {
    routed.weights = route(logits, config.route_axis, blocked);
    const at::Tensor u = squash(at::bmm(routed.weights.view({sentences * capsules, 1, tokens}), flat));
    if (iteration < config.iterations) {
      logits = logits + at::bmm(flat, u.transpose(1, 2)).view(logits.sizes());
    }
    routed.capsules = u.view({sentences, capsules, hat.size(3)});
  }
  return routed;
}

// LibTorch's GRU: n = tanh(W x + b + r*(U h + c)), h' = (1 - z)*n + z*h.
at::Tensor gru_step(const GretLayer& weights, const at::Tensor& x, const at::Tensor& h) {
  const std::vector<at::Tensor> input = weights.gru_input(x).chunk(3, 1);  // r, z, n
  const std::vector<at::Tensor> state = weights.gru_state(h).chunk(3, 1);
  const at::Tensor reset = at::sigmoid(input[0] + state[0]);
  const at::Tensor update = at::sigmoid(input[1] + state[1]);
  const at::Tensor candidate = at::tanh(input[2] + reset * state[2]);
  return at::lerp(candidate, h, update);
}

}  // namespace

GlobalRepresentation::GlobalRepresentation(const ForwardContext& context, const StackInput& source)
    : context_(context), config_(*context.config.gret), plan_(source.self_plan) {
  if (context.taps != nullptr) {
    one_query_ = one_query_plan(plan_, context.weights.device());
  }
}

void GlobalRepresentation::add_layer(std::int64_t layer, const at::Tensor& states) {
  at::Tensor capsules = routed(layer, states);
  if (context_.applied != nullptr) {
    capsules = context_.applied->scale_capsules(layer, capsules);
  }
  show_capsules(layer, capsules);
  const at::Tensor input = pooled(layer, capsules.to(states.scalar_type()));
  state_ = gru_step(context_.weights.gret.layers[static_cast<std::size_t>(layer) - 1], input,
                    state_.defined() ? state_ : at::zeros_like(input));
}

// u [sentence, capsule, d_model].
at::Tensor GlobalRepresentation::routed(std::int64_t layer, const at::Tensor& states) const {
  const QuantityName name = of_layer(layer, Quantity::routing);
  const bool shown = context_.taps != nullptr && context_.taps->wants(name);
  const at::Tensor hat = context_.weights.gret.layers[static_cast<std::size_t>(layer) - 1].capsules(states);
  std::vector<at::Tensor> capsules;
  for (std::size_t i = 0; i < plan_.groups.size(); ++i) {
    const AttentionGroup& group = plan_.groups[i];
    at::Tensor block = split_heads(hat, plan_, group, Side::key, config_.capsules);
    if (block.scalar_type() == at::kBFloat16) {
      block = block.to(at::kFloat);
    }
    const Routed found =
        dynamic_routing(block.view({group.sentences, config_.capsules, group.keys, states.size(1)}), config_,
                        group.blocked.defined() ? group.blocked.squeeze(2) : at::Tensor());
    if (shown) {
      context_.taps->maps(name, one_query_, one_query_.groups[i], found.weights.unsqueeze(2));
    }
    capsules.push_back(found.capsules);
  }
  return capsules.size() == 1 ? capsules.front() : at::cat(capsules);
}

void GlobalRepresentation::show_capsules(std::int64_t layer, const at::Tensor& capsules) const {
  if (context_.taps == nullptr) {
    return;
  }
  const QuantityName name = of_layer(layer, Quantity::capsules);
  if (context_.taps->wants(name)) {
    context_.taps->sentences(name, capsules);
  }
  if (context_.taps->wants(name.with(Reduction::norm))) {
    context_.taps->sentences(name.with(Reduction::norm), at::linalg_vector_norm(capsules, 2, -1));
  }
}

// [sentence, d_model]: what the GRU reads of the layer (GRET eq. 7-9).
at::Tensor GlobalRepresentation::pooled(std::int64_t layer, const at::Tensor& capsules) const {
  const GretLayer& weights = context_.weights.gret.layers[static_cast<std::size_t>(layer) - 1];
  switch (config_.pooling) {
    case model::CapsulePooling::mean:
      return capsules.mean(1);
    case model::CapsulePooling::concatenation:
      return weights.pool_output.down(capsules.flatten(1));
    case model::CapsulePooling::attentive:
      break;
  }
  const at::Tensor query = weights.pool_query(capsules.mean(1));
  const at::Tensor attention = at::softmax(at::bmm(capsules, query.unsqueeze(2)).squeeze(2), -1);
  if (context_.taps != nullptr && context_.taps->wants(of_layer(layer, Quantity::pooling))) {
    context_.taps->sentences(of_layer(layer, Quantity::pooling), attention);
  }
  return weights.pool_output(at::bmm(attention.unsqueeze(1), capsules).squeeze(1));
}

GlobalState GlobalRepresentation::state() const {
  return {state_, context_.weights.gret.gate_of_global(state_)};
}

GlobalState GlobalState::repeated(std::int64_t width) const {
  return defined()
             ? GlobalState{at::repeat_interleave(state, width, 0), at::repeat_interleave(gate, width, 0)}
             : GlobalState{};
}

GlobalState GlobalState::rows(const at::Tensor& index) const {
  return defined() ? GlobalState{state.index_select(0, index), gate.index_select(0, index)} : GlobalState{};
}

at::Tensor with_global(const ForwardContext& context, const at::Tensor& states, const GlobalState& of_rows) {
  if (!of_rows.defined()) {
    return states;
  }
  const at::Tensor gate = at::sigmoid(context.weights.gret.gate_of_state(states) + of_rows.gate);
  show(context, {Stack::decoder, 0, Part::none, Quantity::global_gate}, gate);
  const double factor = context.applied == nullptr ? 1.0 : context.applied->global_factor();
  return at::addcmul(states, of_rows.state, gate, factor);
}

}  // namespace mog::engine
