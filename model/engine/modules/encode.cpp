// A pass through an encoder: embedding, the layers of its family, the heads on its output.
#include <string>

#include "io/recording/errors.h"
#include "model/engine/common/text.h"
#include "model/engine/modules/encoder_stack.h"
#include "model/engine/modules/global_representation.h"
#include "model/engine/modules/relations.h"
#include "model/engine/modules/stack.h"

namespace mog::engine {
namespace {

// The one place where an encoder's kind chooses code of the engine.
const EncoderStack& stack_of(const model::EncoderConfig& config) {
  switch (config.kind) {
    case model::EncoderKind::gru:
    case model::EncoderKind::lstm:
      return recurrent_stack();
    case model::EncoderKind::transformer:
    case model::EncoderKind::graph_transformer:
      break;
  }
  return transformer_stack();
}

}  // namespace

at::Tensor RelaxedTokens::enter(const at::Tensor& x) const {
  if (!scale.defined()) {
    return x;
  }
  embedding = x.detach();
  scaled = (embedding * scale).requires_grad_(true);
  return scaled;
}

at::Tensor encode_embedding(const ForwardContext& context, const PackedInput& input) {
  const model::EncoderConfig& config = context.config.encoder;
  at::Tensor embedding = embed(context, context.weights.encoder, input.source,
                               {.position = config.position,
                                .scaled = config.embed_scale,
                                .first_position = config.first_position,
                                .scale = config.embedding_scale,
                                .source = true});
  if (context.relaxed != nullptr) {
    embedding = context.relaxed->enter(embedding);
  }
  show(context, {Stack::encoder, 0, Part::none, Quantity::embedding}, embedding);
  flush(context);
  return embedding;
}

at::Tensor encode(const ForwardContext& context, const PackedInput& input) {
  const at::Tensor embedding = encode_embedding(context, input);
  const QuantityName graph(Stack::encoder, 0, Part::none, Quantity::graph);
  if (input.source.arcs && context.taps != nullptr && context.taps->wants(graph)) {
    show_graph(*context.taps, graph, input.source.self_plan, *input.source.arcs);
  }
  at::Tensor output = stack_of(context.config.encoder).run(context, input, embedding);
  show(context, {Stack::encoder, 0, Part::none, Quantity::output}, output);
  show_next_tokens(context, input.source, 0, output);
  flush(context);
  return output;
}

SourceStates encode_source(const ForwardContext& context, const PackedInput& input) {
  if (!context.config.gret) {
    return {encode(context, input), {}};
  }
  GlobalRepresentation global(context, input.source);
  ForwardContext with_global = context;
  with_global.global = &global;
  const at::Tensor states = encode(with_global, input);
  return {states, global.state()};
}

at::Tensor encode_layer(const ForwardContext& context, const PackedInput& input, std::int64_t layer,
                        const at::Tensor& previous, const at::Tensor& full) {
  return stack_of(context.config.encoder).run_layer(context, input, layer, previous, full, nullptr);
}

at::Tensor encode_edited_layer(const ForwardContext& context, const PackedInput& input, std::int64_t layer,
                               const at::Tensor& previous, const at::Tensor& full, LayerEdits& edits) {
  return stack_of(context.config.encoder).run_layer(context, input, layer, previous, full, &edits);
}

at::Tensor tag_logits(const ForwardContext& context, std::string_view task, const at::Tensor& states) {
  const auto head = context.weights.heads.find(std::string(task));
  if (head == context.weights.heads.end()) {
    throw UsageError(concat("tagging: the model has no task \"", task, "\""));
  }
  at::Tensor logits = head->second(states);
  show(context, {Stack::heads, 0, Part::none, Quantity::logits, Reduction::full, std::string(task)}, logits);
  return logits;
}

}  // namespace mog::engine
