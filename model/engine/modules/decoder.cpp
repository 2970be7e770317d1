// The Transformer decoder, all target positions at once (teacher forcing). The step-by-step form of the
// search is in beam_decoder.cpp.
#include <vector>

#include "model/engine/modules/global_representation.h"
#include "model/engine/modules/stack.h"

namespace mog::engine {
namespace {

class DecoderLayerPass {
 public:
  // `bias`: of relative positions.
  DecoderLayerPass(const ForwardContext& context, const PackedInput& input, const PositionBias& bias,
                   std::int64_t layer)
      : context_(context),
        config_(*context.config.decoder),
        weights_(context.weights.decoder_layers[static_cast<std::size_t>(layer) - 1]),
        input_(input),
        bias_(bias),
        layer_(layer) {}

  at::Tensor run(const at::Tensor& x, const at::Tensor& memory) const {
    show(context_, name(Part::none, Quantity::input), x);
    at::Tensor state = residual(x, weights_.self_norm, [&](const at::Tensor& inner) {
      return output_of(Part::self, self_context(inner), weights_.self_output);
    });
    state = residual(state, weights_.cross_norm, [&](const at::Tensor& inner) {
      return output_of(Part::cross, cross_context(inner, memory), weights_.cross_output);
    });
    state = residual(state, weights_.feed_forward.norm, [&](const at::Tensor& inner) {
      return feed_forward(context_, weights_.feed_forward, config_.activation, inner);
    });
    show(context_, name(Part::none, Quantity::output), state);
    flush(context_);
    return state;
  }

 private:
  QuantityName name(Part part, Quantity quantity) const { return {Stack::decoder, layer_, part, quantity}; }

  template <class Block>
  at::Tensor residual(const at::Tensor& x, const LayerNorm& norm, const Block& block) const {
    return config_.norm == model::NormPlace::pre ? x + block(norm(x)) : norm(x + block(x));
  }

  at::Tensor output_of(Part part, const at::Tensor& heads, const Linear& map) const {
    const at::Tensor output =
        scale_part(context_, layer_, part, map(scale_heads(context_, layer_, part, config_.heads, heads)));
    return context_.dropout == nullptr ? output : context_.dropout->apply(output, context_.dropout->hidden);
  }

  at::Tensor self_context(const at::Tensor& x) const {
    const std::vector<at::Tensor> projected = weights_.self_projections(x).split(config_.attention_dim(), 1);
    AttentionOptions options = attention(Part::self);
    options.bias = bias_;
    return attend(projected[0], projected[1], projected[2], input_.target->self_plan, options);
  }
  at::Tensor cross_context(const at::Tensor& x, const at::Tensor& memory) const {
    const std::vector<at::Tensor> projected =
        weights_.cross_key_value(memory).split(config_.attention_dim(), 1);
    return attend(weights_.cross_query(x), projected[0], projected[1], *input_.cross_plan,
                  attention(Part::cross));
  }
  AttentionOptions attention(Part part) const {
    return {config_.heads, context_.dropout, context_.taps, name(part, Quantity::attention),
            config_.attention_scale ? 0.0 : 1.0};
  }

  const ForwardContext& context_;
  const model::DecoderConfig& config_;
  const DecoderLayer& weights_;
  const PackedInput& input_;
  const PositionBias& bias_;
  std::int64_t layer_;
};

PositionBias bias_of(const ForwardContext& context, const StackInput& input) {
  const at::Tensor& table = context.weights.decoder.relative;
  return table.defined() ? relative_bias(table, input.longest,
                                         {context.config.decoder->relative_distance, /*causal=*/true})
                         : PositionBias();
}

// [target token]: its sentence.
at::Tensor sentences_of(const StackInput& input) {
  std::vector<std::int64_t> rows;
  for (std::size_t s = 0; s + 1 < input.offsets.size(); ++s) {
    rows.insert(rows.end(), static_cast<std::size_t>(input.offsets[s + 1] - input.offsets[s]),
                static_cast<std::int64_t>(s));
  }
  return at::tensor(rows, at::kLong).to(input.ids.device());
}

}  // namespace

at::Tensor decode(const ForwardContext& context, const PackedInput& input, const SourceStates& source) {
  const model::DecoderConfig& config = *context.config.decoder;
  at::Tensor x = embed(context, context.weights.decoder, *input.target,
                       {config.position, config.embed_scale, config.first_position});
  const PositionBias bias = bias_of(context, *input.target);
  for (std::int64_t layer = 1; layer <= config.layers; ++layer) {
    x = DecoderLayerPass(context, input, bias, layer).run(x, source.states);
  }
  if (config.ends_with_norm()) {
    x = context.weights.decoder.final_norm(x);
  }
  if (source.global.defined()) {
    x = with_global(context, x, source.global.rows(sentences_of(*input.target)));
  }
  show(context, {Stack::decoder, 0, Part::none, Quantity::output}, x);
  flush(context);
  return x;
}

at::Tensor output_logits(const ForwardContext& context, const at::Tensor& states) {
  at::Tensor logits = at::linear(states, context.weights.output_projection, context.weights.output_bias);
  show(context, {Stack::decoder, 0, Part::none, Quantity::logits}, logits);
  flush(context);
  return logits;
}

}  // namespace mog::engine
