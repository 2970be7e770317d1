// The plain Transformer and the Graph-Transformer encoder (MoG paper §3; docs/model-directory.md,
// Arithmetic).
//
// Cost: a layer with order groups has nine projections of [d, a]. Those that read I are one product, those
// that read P (with `low`) another. The three output maps become one product over the summed (a = d) or
// joined (a < d) contexts as long as nobody asks for the single parts: W·c1 + W·c2 + W·c3 = W·(c1 + c2 + c3).
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "io/recording/errors.h"
#include "model/engine/common/text.h"
#include "model/engine/modules/encoder_stack.h"
#include "model/engine/modules/global_representation.h"
#include "model/engine/modules/layer_feed.h"
#include "model/engine/modules/query_key.h"
#include "model/engine/modules/relations.h"
#include "model/engine/modules/score_cuts.h"
#include "model/engine/modules/stack.h"

namespace mog::engine {
namespace {

constexpr std::array kParts = {Part::high, Part::middle1, Part::middle2, Part::low};

struct State {
  at::Tensor previous;     // P; undefined stands for zeros
  at::Tensor incremental;  // I
  at::Tensor full;         // F = P + I
};

// One layer of one pass.
class LayerPass {
 public:
  // `cuts`: of logit terms, or nullptr; so are `edits`.
  LayerPass(const ForwardContext& context, const StackInput& input, const StackPositions& positions,
            std::int64_t layer, ScoreCuts* cuts = nullptr, LayerEdits* edits = nullptr)
      : context_(context),
        config_(context.config.encoder),
        weights_(context.weights.encoder_layers[static_cast<std::size_t>(layer) - 1]),
        input_(input),
        plan_(input.self_plan),
        positions_(positions),
        layer_(layer),
        cuts_(cuts),
        edits_(edits) {}

  State run(const State& state) {
    show_state(state);
    if (cuts_ != nullptr) {
      removed_ = cuts_->begin_layer(layer_, positions_, state.full);
    }
    const bool before = model::reads_normed(config_.norm);
    const bool groups = config_.has_groups(layer_);
    at::Tensor z =
        groups ? fuse(state) : plain_attention(before ? weights_.attention_norm(state.full) : state.full);
    z = scaled(weights_.attention_output_norm(z));
    if (context_.applied != nullptr) {
      z = context_.applied->scale_layer(layer_, z);
    }
    if (edits_ != nullptr) {
      z = edits_->attention(z);
    }
    show(context_, name(Part::none, Quantity::fused), z);
    State next = after_attention(state, dropped(z));
    show(context_, name(Part::none, Quantity::output), next.full);
    flush(context_);
    return next;
  }

 private:
  QuantityName name(Part part, Quantity quantity) const { return {Stack::encoder, layer_, part, quantity}; }
  at::Tensor dropped(const at::Tensor& z) const {
    return context_.dropout == nullptr ? z : context_.dropout->apply(z, context_.dropout->hidden);
  }

  void show_state(const State& state) const {
    show(context_, name(Part::none, Quantity::input), state.full);
    if (!config_.graph() || context_.taps == nullptr) {
      return;
    }
    if (context_.taps->wants(name(Part::none, Quantity::previous))) {
      context_.taps->rows(name(Part::none, Quantity::previous),
                          state.previous.defined() ? state.previous : at::zeros_like(state.full));
    }
    show(context_, name(Part::none, Quantity::incremental), state.incremental);
  }

  // What a block adds.
  at::Tensor scaled(const at::Tensor& output) const {
    return config_.residual_scale == 1.0 ? output : output * config_.residual_scale;
  }

  State after_attention(const State& state, const at::Tensor& z) const {
    const bool update = config_.graph() && config_.residual == model::Residual::update;
    const bool post = config_.norm == model::NormPlace::post;
    at::Tensor attended = update ? z : state.full + z;
    if (post) {
      attended = weights_.attention_norm(attended);
    }
    show(context_, name(Part::none, Quantity::attended), attended);
    const FeedForward& block = weights_.feed_forward;
    const at::Tensor& read = config_.parallel ? state.full : attended;
    const at::Tensor inner = model::reads_normed(config_.norm) ? block.norm(read) : read;
    at::Tensor fed = scaled(block.output_norm(feed_forward(context_, block, config_.activation, inner)));
    if (context_.applied != nullptr) {
      fed = context_.applied->scale_feed_forward(layer_, fed);
    }
    if (edits_ != nullptr) {
      fed = edits_->feed_forward(fed);
    }
    show(context_, name(Part::none, Quantity::feed_forward), fed);
    at::Tensor full = attended + fed;
    if (post) {
      full = block.norm(full);
    }
    if (update) {
      full = state.full + full;
    }
    if (cuts_ != nullptr) {
      cuts_->end_layer(mapped_, z, attended, fed, full);
    }
    return {state.full, config_.graph() ? full - state.full : at::Tensor(), full};
  }

  at::Tensor plain_attention(const at::Tensor& x) {
    const Part part = config_.graph() ? Part::high : Part::full;
    const at::Tensor heads = plain_context(part, x);
    show_head_norms(part, heads, weights_.outputs.front());
    at::Tensor output = scale_part(context_, layer_, part, weights_.outputs.front()(heads));
    mapped_ = output;
    show(context_, name(part, Quantity::output), output);
    if (shows_contributions()) {
      context_.taps->contribution(name(part, Quantity::output), output);
    }
    return output;
  }

  // [token, a]: the heads of a layer with one attention. Keys and values may have fewer heads.
  at::Tensor plain_context(Part part, const at::Tensor& x) const {
    const std::int64_t groups = config_.key_heads();
    const std::vector<at::Tensor> projected = at::split_with_sizes(
        weights_.from_incremental(x), {config_.attention_dim, config_.key_dim(), config_.key_dim()}, 1);
    const Rotation& rotation = positions_.of_layer(config_, layer_);
    const auto prepared = [&](const at::Tensor& rows, const LayerNorm& norm, std::int64_t heads) {
      const at::Tensor normed =
          norm_heads(norm, rows, config_.query_key_norm == model::QueryKeyNorm::row ? 1 : heads);
      return rotation.defined() ? rotate(normed, heads, config_.rotary->pairs, rotation) : normed;
    };
    return context_of(part, prepared(projected[0], weights_.query_norm, config_.heads),
                      repeat_heads(prepared(projected[1], weights_.key_norm, groups), groups, config_.heads),
                      repeat_heads(projected[2], groups, config_.heads));
  }

  // The columns of a joined projection, attention_dim each (the last piece takes what is left): one cut,
  // whose gradient is one join, where single narrow() calls would each fill and add a tensor of the whole
  // width.
  std::vector<at::Tensor> pieces(const at::Tensor& projected, std::int64_t last) const {
    std::vector<std::int64_t> sizes(
        static_cast<std::size_t>((projected.size(1) - last) / config_.attention_dim), config_.attention_dim);
    if (last > 0) {
      sizes.push_back(last);
    }
    return at::split_with_sizes(projected, sizes, 1);
  }
  const at::Tensor& slot(const ProjectionSlot& slot, const std::vector<at::Tensor>& incremental,
                         const std::vector<at::Tensor>& previous) const {
    return (slot.of_previous ? previous
                             : incremental)[static_cast<std::size_t>(slot.begin / config_.attention_dim)];
  }

  KeptTerms kept_terms() const {
    if (context_.applied == nullptr) {
      return {};
    }
    const auto heads = [&](model::GraphTerm term) {
      return context_.applied->heads_with(layer_, term, config_.heads, weights_.relations.key.options());
    };
    return {.content = heads(model::GraphTerm::content),
            .key = heads(model::GraphTerm::relation_key),
            .query = heads(model::GraphTerm::relation_query),
            .value = heads(model::GraphTerm::relation_value)};
  }

  // [token, a]: the heads of one part, before its output map.
  at::Tensor part_context(std::size_t index, Part part, const std::vector<at::Tensor>& incremental,
                          const std::vector<at::Tensor>& previous) const {
    const PartSlots& slots = weights_.parts[index];
    return context_of(part, slot(slots.query, incremental, previous), slot(slots.key, incremental, previous),
                      slot(slots.value, incremental, previous));
  }

  // query, key, value: [token, a].
  at::Tensor context_of(Part part, const at::Tensor& query, const at::Tensor& key,
                        const at::Tensor& value) const {
    std::optional<RelationTerms> relations;
    if (config_.graph_input) {
      relations.emplace(weights_.relations, *input_.arcs, config_.graph_input->form, config_.heads,
                        kept_terms());
    }
    std::optional<DistanceTerms> distances;
    if (config_.disentangled) {
      const auto vectors = [&](const at::Tensor& all) {
        return all.defined() ? all.index_select(0, positions_.distances) : at::Tensor();
      };
      distances.emplace(DistanceTerms{vectors(weights_.distances.key), vectors(weights_.distances.query)});
    }
    const AttentionOptions options{.heads = config_.heads,
                                   .dropout = context_.dropout,
                                   .taps = context_.taps,
                                   .name = name(part, Quantity::attention),
                                   .scale = config_.scale(),
                                   .cap = config_.score_cap,
                                   .window = config_.window(layer_),
                                   .bias = positions_.bias,
                                   .removed = removed_,
                                   .relaxed = context_.relaxed,
                                   .relations = relations ? &*relations : nullptr,
                                   .distances = distances ? &*distances : nullptr};
    at::Tensor heads =
        scale_heads(context_, layer_, part, config_.heads, attend(query, key, value, plan_, options));
    if (edits_ != nullptr) {
      heads = edits_->heads(part, heads);
    }
    show(context_, name(part, Quantity::context), heads);
    return heads;
  }

  // Norms of what each head adds to the output of a part: its columns of the output map, without the bias.
  void show_head_norms(Part part, const at::Tensor& heads, const Linear& output) const {
    const QuantityName quantity = name(part, Quantity::attention).with(Reduction::norm);
    if (context_.taps == nullptr || !context_.taps->wants(quantity)) {
      return;
    }
    const std::int64_t width = heads.size(1) / config_.heads;
    std::vector<at::Tensor> norms;
    for (std::int64_t head = 0; head < config_.heads; ++head) {
      const at::Tensor context = heads.narrow(1, head * width, width).to(at::kFloat);
      const at::Tensor map = output.weight.narrow(1, head * width, width).to(at::kFloat);
      norms.push_back(at::linalg_vector_norm(at::matmul(context, map.t()), 2, -1));
    }
    context_.taps->rows(quantity, at::stack(norms));  // [head, token]
  }

  bool shows_contributions() const {
    return context_.taps != nullptr && context_.taps->wants_contributions(Stack::encoder, layer_);
  }
  bool parts_are_needed() const {
    if (config_.fusion == model::Fusion::self_gate || shows_contributions() ||
        (context_.applied != nullptr && context_.applied->scales_parts(layer_)) ||
        weights_.outputs.front().eight.defined()) {  // rounded one by one, whatever is looked at
      return true;
    }
    for (std::size_t i = 0; i < 3; ++i) {
      if (context_.taps != nullptr && context_.taps->wants(name(kParts[i], Quantity::output))) {
        return true;
      }
    }
    return false;
  }

  // P = 0: the projections are their biases, and the weights have no gradient.
  at::Tensor project_previous(const State& state) const {
    const Linear& map = weights_.from_previous;
    if (state.previous.defined()) {
      return map(state.previous);
    }
    return map.bias.expand({state.full.size(0), map.bias.size(0)});
  }

  // Z of a layer with order groups.
  at::Tensor fuse(const State& state) const {
    const std::int64_t d = config_.d_model;
    const std::vector<at::Tensor> incremental = pieces(weights_.from_incremental(state.incremental), 0);
    const std::vector<at::Tensor> previous = pieces(project_previous(state), d);
    std::vector<at::Tensor> contexts;
    for (std::size_t i = 0; i < 3; ++i) {
      contexts.push_back(part_context(i, kParts[i], incremental, previous));
      show_head_norms(kParts[i], contexts.back(), weights_.outputs[i]);
    }
    const at::Tensor low = scale_part(context_, layer_, Part::low, previous.back());
    show(context_, name(Part::low, Quantity::output), low);
    if (!parts_are_needed()) {
      const at::Tensor joined =
          weights_.summed_contexts ? contexts[0] + contexts[1] + contexts[2] : at::cat(contexts, 1);
      return gated({}, weights_.output_sum(joined), low);
    }
    std::vector<at::Tensor> parts;
    for (std::size_t i = 0; i < 3; ++i) {
      parts.push_back(scale_part(context_, layer_, kParts[i], weights_.outputs[i](contexts[i])));
      show(context_, name(kParts[i], Quantity::output), parts.back());
    }
    parts.push_back(low);
    if (config_.fusion == model::Fusion::self_gate) {
      return self_gated(parts);
    }
    return gated(parts, parts[0] + parts[1] + parts[2], low);
  }

  // sum and weight_gate. parts: empty when nobody looks at them; fresh = i_h + i_m1 + i_m2.
  at::Tensor gated(const std::vector<at::Tensor>& parts, const at::Tensor& fresh,
                   const at::Tensor& low) const {
    if (config_.fusion == model::Fusion::sum) {
      contributions(parts, [&](std::size_t i) { return parts[i]; });
      return fresh + low;
    }
    at::Tensor gate = config_.gate_form == model::GateForm::linear2
                          ? at::sigmoid(weights_.gate_new(fresh) + weights_.gate_low(low))
                          : at::sigmoid(fresh + low);
    if (context_.applied != nullptr) {
      gate = context_.applied->set_gate(layer_, gate);
    }
    show(context_, name(Part::none, Quantity::gate), gate);
    contributions(parts, [&](std::size_t i) { return parts[i] * (i < 3 ? gate : 1.0 - gate); });
    return at::lerp(low, fresh, gate);  // low + gate * (fresh - low)
  }

  // Every row of S·R is summed and divided by 4, so part j enters with the mean of column j of S.
  at::Tensor self_gated(const std::vector<at::Tensor>& parts) const {
    const at::Tensor rows = at::stack(parts, 1);  // [token, 4, d]
    const auto d = static_cast<double>(config_.d_model);
    const double scale = config_.self_gate_scale == model::SelfGateScale::d ? d : std::sqrt(d);
    const at::Tensor gate = at::softmax(at::bmm(rows, rows.transpose(1, 2)) / scale, -1);  // [token, 4, 4]
    show(context_, name(Part::none, Quantity::self_gate), gate);
    const at::Tensor shares = gate.mean(1);  // [token, 4]
    contributions(
        parts, [&](std::size_t i) { return parts[i] * shares.narrow(1, static_cast<std::int64_t>(i), 1); });
    return at::bmm(shares.unsqueeze(1), rows).squeeze(1);
  }

  template <class Entering>
  void contributions(const std::vector<at::Tensor>& parts, const Entering& entering) const {
    if (!shows_contributions()) {
      return;
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      context_.taps->contribution(name(kParts[i], Quantity::output), entering(i));
    }
  }

  const ForwardContext& context_;
  const model::EncoderConfig& config_;
  const EncoderLayer& weights_;
  const StackInput& input_;
  const AttentionPlan& plan_;
  const StackPositions& positions_;
  std::int64_t layer_;
  ScoreCuts* cuts_;
  LayerEdits* edits_;
  at::Tensor mapped_;  // of a plain layer: the output of its attention's map
  std::vector<AttentionOptions::Product> removed_;
};

class TransformerStack final : public EncoderStack {
 public:
  at::Tensor run(const ForwardContext& context, const PackedInput& input,
                 const at::Tensor& embedding) const override {
    const model::EncoderConfig& config = context.config.encoder;
    const StackPositions positions = stack_positions(config, context.weights.encoder, input.source);
    State state{{}, embedding, embedding};
    for (std::int64_t layer = 1; layer <= config.layers; ++layer) {
      {
        const LayerTurn turn(context.feed, layer);
        state = LayerPass(context, input.source, positions, layer, context.cuts).run(state);
      }
      show_next_tokens(context, input.source, layer, state.full);
      if (context.global != nullptr) {
        context.global->add_layer(layer, state.full);
      }
    }
    return config.ends_with_norm() ? context.weights.encoder.final_norm(state.full) : state.full;
  }
  at::Tensor run_layer(const ForwardContext& context, const PackedInput& input, std::int64_t layer,
                       const at::Tensor& previous, const at::Tensor& full, LayerEdits* edits) const override {
    const bool incremental = context.config.encoder.graph() && previous.defined();
    const State state{previous, incremental ? full - previous : full, full};
    const StackPositions positions =
        stack_positions(context.config.encoder, context.weights.encoder, input.source);
    return LayerPass(context, input.source, positions, layer, nullptr, edits).run(state).full;
  }
};

}  // namespace

const EncoderStack& transformer_stack() {
  static const TransformerStack stack;
  return stack;
}

}  // namespace mog::engine
