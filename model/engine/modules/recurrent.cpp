// Recurrent layers over a packed batch.
//
// A step needs the states of the step before, so a layer is a loop over steps; all sentences that have a step
// take it together. With the sentences sorted by falling length these are the first rows of the state, and
// with the tokens in the order of steps ("time order") the rows of one step are one slice: no padding is
// computed. The backward direction of a bidirectional layer is the same loop over another time order, in
// which the first step of every sentence is its own last token. W x of all steps is one product before the
// loop. States and gates are float32 also where the weights are narrower (a state adds up over the whole
// sentence); only the factors of products are narrow.
#include <algorithm>
#include <numeric>
#include <vector>

#include "io/recording/system.h"
#include "model/engine/modules/encoder_stack.h"
#include "model/engine/modules/stack.h"

namespace mog::engine {
namespace {

struct TimeOrder {
  at::Tensor to_time;                // [token] packed row of each row in time order
  at::Tensor to_packed;              // [token] the inverse
  std::vector<std::int64_t> active;  // [step] sentences that have this step
};

at::Tensor on_device(const std::vector<std::int64_t>& values, at::Device device) {
  return at::tensor(values, at::kLong).to(device);
}

// backward: the first step of a sentence is its last token.
TimeOrder time_order(const std::vector<std::int64_t>& offsets, bool backward, at::Device device) {
  const auto length = [&](std::size_t sentence) { return offsets[sentence + 1] - offsets[sentence]; };
  std::vector<std::size_t> sorted(offsets.size() - 1);
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](std::size_t left, std::size_t right) { return length(left) > length(right); });
  TimeOrder order;
  std::vector<std::int64_t> to_time;
  std::vector<std::int64_t> to_packed(static_cast<std::size_t>(offsets.back()));
  for (std::int64_t step = 0; step < length(sorted.front()); ++step) {
    std::int64_t count = 0;
    for (; static_cast<std::size_t>(count) < sorted.size(); ++count) {
      const std::size_t sentence = sorted[static_cast<std::size_t>(count)];
      if (length(sentence) <= step) {
        break;
      }
      const std::int64_t row = backward ? offsets[sentence + 1] - 1 - step : offsets[sentence] + step;
      to_packed[static_cast<std::size_t>(row)] = static_cast<std::int64_t>(to_time.size());
      to_time.push_back(row);
    }
    order.active.push_back(count);
  }
  order.to_time = on_device(to_time, device);
  order.to_packed = on_device(to_packed, device);
  return order;
}

// Rows of every step, one after another: kept only where somebody looks.
class Rows {
 public:
  explicit Rows(bool wanted) : wanted_(wanted) {}
  bool wanted() const { return wanted_; }
  void add(const at::Tensor& rows) {
    if (wanted_) {
      rows_.push_back(rows);
    }
  }
  at::Tensor packed(const TimeOrder& order) const { return at::cat(rows_).index_select(0, order.to_packed); }

 private:
  bool wanted_;
  std::vector<at::Tensor> rows_;
};

// A direction of the encoder: in which order it takes the tokens, its weights and its names.
struct Direction {
  TimeOrder order;
  const std::vector<RecurrentLayer>& layers;
  DirectionParts parts;
  bool backward = false;
};

// One direction of one layer of one pass.
class RecurrentPass {
 public:
  RecurrentPass(const ForwardContext& context, const AttentionPlan& plan, const Direction& direction,
                std::int64_t layer)
      : context_(context),
        config_(context.config.encoder),
        weights_(direction.layers[static_cast<std::size_t>(layer) - 1]),
        plan_(plan),
        order_(direction.order),
        parts_(direction.parts),
        backward_(direction.backward),
        layer_(layer),
        lstm_(config_.kind == model::EncoderKind::lstm),
        wide_(weights_.recurrent.scalar_type() == at::kDouble ? at::kDouble : at::kFloat),
        below_factor_(part_factor(parts_.below)),
        recurrent_factor_(part_factor(parts_.recurrent)),
        carry_(wants(parts_.carry, Quantity::carry)),
        gate_(carry_ || wants(parts_.state, Quantity::gate) || wants(Part::none, Quantity::gate)),
        reset_(!lstm_ && wants(parts_.state, Quantity::reset)),
        input_gate_(lstm_ && (gate_.wanted() || wants(parts_.state, Quantity::input_gate))),
        forget_gate_(lstm_ && (gate_.wanted() || wants(parts_.state, Quantity::forget_gate))),
        output_gate_(lstm_ && wants(parts_.state, Quantity::output_gate)),
        candidate_(wants(parts_.state, Quantity::candidate)),
        cell_(lstm_ && wants(parts_.state, Quantity::cell)),
        recurrent_(shows_contributions() || wants(parts_.recurrent, Quantity::output)) {}

  // packed: [token, in]; returns h [token, hidden width], packed.
  at::Tensor run(const at::Tensor& input) {
    const std::int64_t d = config_.hidden_width();
    const at::Tensor x = input.index_select(0, order_.to_time);
    at::Tensor products = weights_.input(x).to(wide_);  // W x
    const std::int64_t candidate = 2 * d;               // rows of n and of g
    at::Tensor below = products.narrow(1, candidate, d);
    if (below_factor_ != 1.0) {
      std::vector<at::Tensor> gates = products.split(d, 1);
      gates[2] = below = below * below_factor_;
      products = at::cat(gates, 1);
    }
    const at::Tensor entering = products + weights_.bias.to(wide_);
    const at::Tensor set = set_gates(x);
    at::Tensor state = at::zeros({order_.active.front(), d}, entering.options().requires_grad(false));
    at::Tensor cell = state;
    std::vector<at::Tensor> states;
    std::int64_t row = 0;
    for (const std::int64_t active : order_.active) {
      const at::Tensor step = entering.narrow(0, row, active);
      state = state.narrow(0, 0, active);
      if (lstm_) {
        cell = cell.narrow(0, 0, active);
        lstm_step(step, state, cell);
      } else {
        state = gru_step(step, state, set.defined() ? set.narrow(0, row, active) : at::Tensor());
      }
      states.push_back(state);
      row += active;
    }
    at::Tensor output = packed(at::cat(states)).to(x.scalar_type());
    show_direction(below);
    return output;
  }

  // [token, hidden width], packed: the share of the new value. Only where it is wanted.
  at::Tensor gate() const {
    if (!lstm_) {
      return gate_.packed(order_);
    }
    const at::Tensor in = input_gate_.packed(order_);
    return in / (in + forget_gate_.packed(order_));
  }

 private:
  QuantityName name(Part part, Quantity quantity) const { return {Stack::encoder, layer_, part, quantity}; }
  bool wants(Part part, Quantity quantity) const {
    return context_.taps != nullptr && context_.taps->wants(name(part, quantity));
  }
  bool shows_contributions() const {
    return context_.taps != nullptr && context_.taps->wants_contributions(Stack::encoder, layer_);
  }
  double part_factor(Part part) const {
    return context_.applied == nullptr ? 1.0 : context_.applied->part_factor(layer_, part);
  }

  // h·Uᵀ for the gates [first, first + count).
  at::Tensor times_recurrent(const at::Tensor& state, std::int64_t first, std::int64_t count) const {
    const std::int64_t d = config_.hidden_width();
    const at::Tensor u = weights_.recurrent.narrow(0, first * d, count * d);
    return at::linear(state.to(u.scalar_type()), u).to(wide_);
  }

  // [token, 1] in time order: the gate where it was set, -1 elsewhere; undefined when nothing was set.
  at::Tensor set_gates(const at::Tensor& x) const {
    if (context_.applied == nullptr || !context_.applied->sets_gate(layer_)) {
      return {};
    }
    const at::Tensor unset = at::full({x.size(0), 1}, -1.0, x.options().dtype(wide_));
    return context_.applied->set_gate(layer_, unset).index_select(0, order_.to_time);
  }

  // entering: [active, 3 d] W x + b of r, z, n; state: h of the step before. Returns the new h.
  at::Tensor gru_step(const at::Tensor& entering, const at::Tensor& state, const at::Tensor& set) {
    const std::int64_t d = config_.hidden_width();
    const bool reset_first = config_.cell == model::RecurrentCell::gru_reset;
    const at::Tensor products = times_recurrent(state, 0, reset_first ? 2 : 3);
    const at::Tensor gates = at::sigmoid(entering.narrow(1, 0, 2 * d) + products.narrow(1, 0, 2 * d));
    const at::Tensor reset = gates.narrow(1, 0, d);
    at::Tensor update = gates.narrow(1, d, d);
    at::Tensor recurrent = reset_first ? times_recurrent(reset * state, 2, 1) : products.narrow(1, 2 * d, d);
    if (config_.cell == model::RecurrentCell::gru) {
      update = 1.0 - update;  // LibTorch's z is the share that stays
      recurrent = reset * recurrent;
    }
    if (recurrent_factor_ != 1.0) {
      recurrent = recurrent * recurrent_factor_;
    }
    at::Tensor sum = entering.narrow(1, 2 * d, d) + recurrent;
    if (weights_.recurrent_bias.defined()) {
      sum = sum + reset * weights_.recurrent_bias.to(wide_);
    }
    if (set.defined()) {
      update = at::where(set >= 0, set, update);
    }
    const at::Tensor fresh = at::tanh(sum);
    gate_.add(update);
    reset_.add(reset);
    candidate_.add(fresh);
    recurrent_.add(recurrent);
    return at::lerp(state, fresh, update);  // h + z (n - h)
  }

  // entering: [active, 4 d] W x + b of i, f, g, o; `state` and `cell` become the new ones.
  void lstm_step(const at::Tensor& entering, at::Tensor& state, at::Tensor& cell) {
    const std::int64_t d = config_.hidden_width();
    at::Tensor products = times_recurrent(state, 0, 4);
    if (recurrent_factor_ != 1.0) {
      std::vector<at::Tensor> gates = products.split(d, 1);
      gates[2] = gates[2] * recurrent_factor_;
      products = at::cat(gates, 1);
    }
    const std::vector<at::Tensor> sums = (entering + products).split(d, 1);
    const at::Tensor input = at::sigmoid(sums[0]);
    const at::Tensor forget = at::sigmoid(sums[1]);
    const at::Tensor fresh = at::tanh(sums[2]);
    const at::Tensor output = at::sigmoid(sums[3]);
    cell = forget * cell + input * fresh;
    state = output * at::tanh(cell);
    input_gate_.add(input);
    forget_gate_.add(forget);
    output_gate_.add(output);
    candidate_.add(fresh);
    cell_.add(cell);
    recurrent_.add(products.narrow(1, 2 * d, d));
  }

  at::Tensor packed(const at::Tensor& in_time) const { return in_time.index_select(0, order_.to_packed); }
  void show_rows(Quantity quantity, const Rows& rows) const {
    if (rows.wanted() && wants(parts_.state, quantity)) {
      context_.taps->rows(name(parts_.state, quantity), rows.packed(order_));
    }
  }

  // below: W x of the candidate, in time order.
  void show_direction(const at::Tensor& below) const {
    if (context_.taps == nullptr) {
      return;
    }
    show_gates();
    show_rows(Quantity::candidate, candidate_);
    show_rows(Quantity::cell, cell_);
    show_part(parts_.below, [&] { return packed(below); });
    show_part(parts_.recurrent, [&] { return recurrent_.packed(order_); });
    flush(context_);
  }

  void show_gates() const {
    at::Tensor mean;  // [token]
    if (gate_.wanted()) {
      const at::Tensor shown = gate();
      show(context_, name(parts_.state, Quantity::gate), shown);
      if (lstm_) {
        const at::Tensor in = input_gate_.packed(order_).mean(-1);
        mean = in / (in + forget_gate_.packed(order_).mean(-1));
      } else {
        mean = shown.mean(-1);
      }
    }
    show_rows(Quantity::reset, reset_);
    show_rows(Quantity::input_gate, input_gate_);
    show_rows(Quantity::forget_gate, forget_gate_);
    show_rows(Quantity::output_gate, output_gate_);
    if (carry_) {
      for (const AttentionGroup& group : plan_.groups) {
        context_.taps->maps(name(parts_.carry, Quantity::carry), plan_, group, carry_map(mean, group));
      }
    }
  }

  template <class Values>
  void show_part(Part part, const Values& values) const {
    const bool contributes = shows_contributions();
    const bool rows = wants(part, Quantity::output);
    if (!contributes && !rows) {
      return;
    }
    const at::Tensor output = values();
    if (rows) {
      context_.taps->rows(name(part, Quantity::output), output);
    }
    if (contributes) {
      context_.taps->contribution(name(part, Quantity::output), output);
    }
  }

  // α[t, s] = m_s · Π over u in s+1..t of (1 - m_u), 0 above the diagonal; backward m_s · Π over u in t..s-1,
  // 0 below it: [sentences, 1, steps, steps]. mean: m [token], the share of the new value.
  at::Tensor carry_map(const at::Tensor& mean, const AttentionGroup& group) const {
    const at::Tensor rows = group.padded ? mean.index_select(0, group.gather_queries)
                                         : mean.narrow(0, group.first_query, group.query_rows);
    const at::Tensor m = rows.to(at::kDouble).view({group.sentences, 1, group.queries});
    constexpr double kLeast = 1e-300;
    const at::Tensor left = (1.0 - m).clamp_min(kLeast).log();
    const at::Tensor kept = left.cumsum(-1);
    if (backward_) {
      const at::Tensor before = kept - left;  // padding comes last and is not in it
      const at::Tensor spans = before.unsqueeze(-2) - before.unsqueeze(-1);
      return (spans.triu().exp() * m.unsqueeze(-2)).triu().to(wide_).contiguous();
    }
    const at::Tensor spans = kept.unsqueeze(-1) - kept.unsqueeze(-2);
    return (spans.tril().exp() * m.unsqueeze(-2)).tril().to(wide_).contiguous();
  }

  const ForwardContext& context_;
  const model::EncoderConfig& config_;
  const RecurrentLayer& weights_;
  const AttentionPlan& plan_;
  const TimeOrder& order_;
  DirectionParts parts_;
  bool backward_;
  std::int64_t layer_;
  bool lstm_;
  at::ScalarType wide_;  // of states and gates
  double below_factor_;
  double recurrent_factor_;
  bool carry_;
  Rows gate_;
  Rows reset_;
  Rows input_gate_;
  Rows forget_gate_;
  Rows output_gate_;
  Rows candidate_;
  Rows cell_;
  Rows recurrent_;
};

// All directions of the layers, one layer after the other.
class RecurrentLayers {
 public:
  RecurrentLayers(const ForwardContext& context, const PackedInput& input, at::Device device)
      : context_(context), config_(context.config.encoder), plan_(input.source.self_plan) {
    const std::vector<std::int64_t>& offsets = input.source.offsets;
    const Weights& weights = context.weights;
    if (!config_.bidirectional) {
      directions_.push_back({time_order(offsets, false, device), weights.recurrent_layers, kOnlyDirection});
      return;
    }
    directions_.push_back({time_order(offsets, false, device), weights.recurrent_layers, kForward});
    directions_.push_back({time_order(offsets, true, device), weights.backward_layers, kBackward, true});
  }

  // x: [token, in]; returns [token, d_model]: the state, or those of both directions side by side.
  at::Tensor layer(std::int64_t layer, const at::Tensor& x) const {
    show(context_, name(layer, Part::none, Quantity::input), x);
    std::vector<at::Tensor> states;
    std::vector<at::Tensor> gates;
    const bool joined = config_.bidirectional && wants(name(layer, Part::none, Quantity::gate));
    for (const Direction& direction : directions_) {
      RecurrentPass pass(context_, plan_, direction, layer);
      states.push_back(scale_part(context_, layer, direction.parts.state, pass.run(x)));
      if (joined) {
        gates.push_back(pass.gate());
      }
    }
    if (joined) {
      context_.taps->rows(name(layer, Part::none, Quantity::gate), at::cat(gates, 1));
    }
    if (config_.bidirectional) {
      show_halves(layer, states);
    }
    at::Tensor output = states.size() == 1 ? states.front() : at::cat(states, 1);
    const double factor = context_.applied == nullptr ? 1.0 : context_.applied->layer_factor(layer);
    if (factor != 1.0) {
      output = x + (output - x) * factor;
    }
    show(context_, name(layer, Part::none, Quantity::output), output);
    flush(context_);
    return output;
  }

 private:
  static QuantityName name(std::int64_t layer, Part part, Quantity quantity) {
    return {Stack::encoder, layer, part, quantity};
  }
  bool wants(const QuantityName& name) const {
    return context_.taps != nullptr && context_.taps->wants(name);
  }
  void show_halves(std::int64_t layer, const std::vector<at::Tensor>& states) const {
    const bool contributes =
        context_.taps != nullptr && context_.taps->wants_contributions(Stack::encoder, layer);
    for (std::size_t i = 0; i < states.size(); ++i) {
      const QuantityName half = name(layer, directions_[i].parts.state, Quantity::output);
      show(context_, half, states[i]);
      if (contributes) {
        context_.taps->contribution(half, states[i]);
      }
    }
    flush(context_);
  }

  const ForwardContext& context_;
  const model::EncoderConfig& config_;
  const AttentionPlan& plan_;
  std::vector<Direction> directions_;
};

class RecurrentStack final : public EncoderStack {
 public:
  // With two directions the forward state and the backward state side by side: a sentence's vector is the row
  // of its last token (the backward half: of its first). Dropout (hidden) falls between layers.
  at::Tensor run(const ForwardContext& context, const PackedInput& input,
                 const at::Tensor& embedding) const override {
    const RecurrentLayers layers(context, input, embedding.device());
    at::Tensor state = embedding;
    for (std::int64_t layer = 1; layer <= context.config.encoder.layers; ++layer) {
      if (layer > 1 && context.dropout != nullptr) {
        state = context.dropout->apply(state, context.dropout->hidden);
      }
      state = layers.layer(layer, state);
    }
    return state;
  }
  at::Tensor run_layer(const ForwardContext& context, const PackedInput& input, std::int64_t layer,
                       const at::Tensor& /*previous*/, const at::Tensor& full,
                       LayerEdits* /*edits*/) const override {
    return RecurrentLayers(context, input, full.device()).layer(layer, full);
  }
};

}  // namespace

const EncoderStack& recurrent_stack() {
  static const RecurrentStack stack;
  return stack;
}

}  // namespace mog::engine
