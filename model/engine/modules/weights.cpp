// Weights by name become matrices by use. Projections that read the same vectors are joined into one: three
// to six products of moderate width become one wide one, and a part only knows at which column of which
// product its query, key and value begin (ProjectionSlot). The output maps of the three parts of a graph
// layer are one product, too: of the summed contexts where they share their map, else of the joined
// contexts. So a layer of group attention makes few large products.
//
// A table of tensors is joined by copying: until it is gone, joined weights are in memory twice. Weights that
// are read from their files go straight to their place in what is joined (stored_source.cpp). Names and
// shapes are checked when a tensor is taken and nowhere later. Where the table's tensors are leaves of a
// training step, at::cat leads gradients back to them.
//
// Trap: decomposition/layer_trace.cpp takes the joined products apart again and knows their order.
#include "model/engine/modules/weights.h"

#include <utility>

#include "model/engine/common/text.h"
#include "model/engine/modules/mixed_product.h"
#include "model/engine/modules/weight_source.h"
#include "model/parser_states.h"
#include "model/tensor_table.h"

namespace mog::engine {
namespace {

// A map by name, before it is taken.
struct NamedLinear {
  std::string name;
  std::int64_t out = 0;
  std::int64_t in = 0;
  bool bias = true;
};

// Takes tensors by name.
class Binder {
 public:
  Binder(const model::ModelConfig& config, const WeightSource& source) : config_(config), source_(source) {}

  // A size of -1 is free.
  at::Tensor tensor(const std::string& name, std::vector<std::int64_t> shape) const {
    return source_.get({name, std::move(shape)});
  }
  Linear linear(const NamedLinear& map) const { return linear(map.name, map.out, map.in, map.bias); }
  // One map of several that read the same: their rows one below the other.
  Linear join(const std::vector<NamedLinear>& maps) const {
    std::vector<WantedTensor> weights;
    std::vector<WantedTensor> biases;
    for (const NamedLinear& map : maps) {
      weights.push_back({map.name + ".weight", {map.out, map.in}});
      if (map.bias) {
        biases.push_back({map.name + ".bias", {map.out}});
      }
    }
    return {source_.stacked(weights), biases.empty() ? at::Tensor() : source_.stacked(biases)};
  }
  Linear linear(const std::string& name, std::int64_t out, std::int64_t in, bool bias = true) const {
    return {tensor(name + ".weight", {out, in}), bias ? tensor(name + ".bias", {out}) : at::Tensor()};
  }
  LayerNorm layer_norm(const std::string& name, std::int64_t d_model, double epsilon,
                       bool rms = false) const {
    return {tensor(name + ".weight", {d_model}), rms ? at::Tensor() : tensor(name + ".bias", {d_model}),
            epsilon, rms};
  }
  // Of an encoder's or a decoder's layer.
  template <class Config>
  FeedForward feed_forward(const Config& config, const std::string& layer) const {
    const bool bias = config.projection_bias;
    FeedForward block;
    if (config.norm != model::NormPlace::output) {
      block.norm = norm_of(config, layer + ".ffn_layer_norm");
    }
    if (model::norms_output(config.norm)) {
      block.output_norm = norm_of(config, layer + ".ffn_output_norm");
    }
    block.up = linear(layer + ".fc1", config.ffn_dim, config.d_model, bias);
    block.down = linear(layer + ".fc2", config.d_model, config.ffn_dim, bias);
    if (config.gated_ffn) {
      block.linear = linear(layer + ".fc1_linear", config.ffn_dim, config.d_model, bias);
    }
    return block;
  }
  template <class Config>
  LayerNorm norm_of(const Config& config, const std::string& name) const {
    return layer_norm(name, config.d_model, config.layer_norm_eps, config.norm_kind == model::NormKind::rms);
  }
  StackWeights stack(const std::string& name, std::int64_t vocabulary, std::int64_t width,
                     model::Position position) const {
    StackWeights result;
    result.embedding = tensor(name + ".embed_tokens.weight", {vocabulary, width});
    if (model::has_table(position)) {
      result.positions = tensor(name + ".embed_positions.weight", {-1, width});
    }
    return result;
  }

  EncoderLayer encoder_layer(std::int64_t index) const;
  RecurrentLayer recurrent_layer(std::int64_t index, bool backward) const;
  DecoderLayer decoder_layer(std::int64_t index) const;
  GretWeights gret() const;
  void encoder_tables(StackWeights& stack) const;
  NextTokenWeights next_token(const at::Tensor& embedding) const;
  RelationVectors relations(std::int64_t index) const;
  PairScorer pair_head(const model::PairHead& head) const;
  StateScorer state_head(const model::StateHead& head) const;
  void parser_states(const model::GraphConfig& graph, Weights& weights) const;

 private:
  void bind_groups(EncoderLayer& layer, const std::string& name) const;
  void bind_outputs(EncoderLayer& layer, const std::string& name) const;
  void bind_positions(EncoderLayer& layer, const std::string& part) const;
  PoolingBlock pooling_block(const std::string& name) const;
  void bind_pooling(GretLayer& layer, const std::string& prefix) const;
  HistoryWeights history(std::int64_t width, std::int64_t labels) const;

  const model::ModelConfig& config_;
  const WeightSource& source_;
};

EncoderLayer Binder::encoder_layer(std::int64_t index) const {
  const model::EncoderConfig& encoder = config_.encoder;
  const std::int64_t d = encoder.d_model;
  const std::int64_t a = encoder.attention_dim;
  const std::string name = concat("encoder.layers.", index);
  EncoderLayer layer;
  if (encoder.norm != model::NormPlace::output && (index > 0 || encoder.first_norm)) {
    layer.attention_norm = norm_of(encoder, name + ".attn_layer_norm");
  }
  if (model::norms_output(encoder.norm)) {
    layer.attention_output_norm = norm_of(encoder, name + ".attn_output_norm");
  }
  layer.feed_forward = feed_forward(encoder, name);
  if (encoder.has_groups(index + 1)) {
    bind_groups(layer, name);
  } else {
    const std::string part =
        name + (!encoder.graph() ? ".self_attn" : (encoder.share_qkv ? ".incremental" : ".high"));
    const bool bias = encoder.projection_bias;
    const std::int64_t keys = encoder.key_dim();
    layer.from_incremental = join({{part + ".q_proj", a, d, bias},
                                   {part + ".k_proj", keys, d, bias},
                                   {part + ".v_proj", keys, d, bias}});
    layer.parts = {{{false, 0}, {false, a}, {false, a + keys}}};
    if (!encoder.graph()) {
      bind_positions(layer, part);
    }
  }
  bind_outputs(layer, name);
  if (encoder.graph_input) {
    layer.relations = relations(index);
  }
  return layer;
}

// Norms of queries and keys, and vectors of distances: made here once, as they are the same for every text.
void Binder::bind_positions(EncoderLayer& layer, const std::string& part) const {
  const model::EncoderConfig& encoder = config_.encoder;
  if (encoder.query_key_norm != model::QueryKeyNorm::none) {
    const bool rms = encoder.query_key_norm_kind == model::NormKind::rms;
    const double epsilon = encoder.layer_norm_eps;
    layer.query_norm = layer_norm(part + ".q_norm", encoder.attention_dim, epsilon, rms);
    layer.key_norm = layer_norm(part + ".k_norm", encoder.key_dim(), epsilon, rms);
  }
  if (!encoder.disentangled) {
    return;
  }
  const model::DisentangledConfig& config = *encoder.disentangled;
  const at::Tensor distances = tensor("encoder.distances.weight", {2 * config.span, encoder.d_model});
  const auto vectors = [&](const char* shared, const char* own) {
    return linear(part + (config.share ? shared : own), encoder.attention_dim, encoder.d_model)(distances);
  };
  if (config.content_to_position) {
    layer.distances.key = vectors(".k_proj", ".position_key");
  }
  if (config.position_to_content) {
    layer.distances.query = vectors(".q_proj", ".position_query");
  }
}

RelationVectors Binder::relations(std::int64_t index) const {
  const model::GraphInputConfig& input = *config_.encoder.graph_input;
  const std::int64_t width = config_.encoder.attention_dim / config_.encoder.heads;
  const std::string prefix =
      input.share ? std::string("encoder.") : concat("encoder.layers.", index, ".self_attn.");
  const auto vectors = [&](const char* name, bool norm) {
    const at::Tensor rows = tensor(prefix + name + ".weight", {input.relations - 1, width});
    constexpr double kEpsilon = 1e-5;
    const auto normed = [&](const at::Tensor& x) {
      return norm ? layer_norm(prefix + name + "_layer_norm", width, kEpsilon)(x) : x;
    };
    if (input.none == model::NoRelation::zero) {  // zero whatever the norm's bias
      return at::cat({at::zeros({1, width}, rows.options().requires_grad(false)), normed(rows)});
    }
    return normed(at::cat({tensor(prefix + name + ".none", {width}).unsqueeze(0), rows}));
  };
  RelationVectors result;
  result.key = vectors("relation_key", input.key_norm);
  if (input.form == model::RelationForm::three_term) {
    result.query = vectors("relation_query", false);
  }
  result.value = vectors("relation_value", input.value_norm);
  result.none_is_zero = input.none == model::NoRelation::zero;
  return result;
}

PairScorer Binder::pair_head(const model::PairHead& head) const {
  const std::string prefix = "heads." + head.name + ".";
  const std::int64_t d = config_.encoder.d_model;
  const std::int64_t w = head.width;
  return {linear(prefix + "query", w, d), linear(prefix + "key", w, d),
          head.classes > 0 ? tensor(prefix + "weight", {head.classes, w + 1, w + 1})
                           : tensor(prefix + "weight", {w + 1, w})};
}

StateScorer Binder::state_head(const model::StateHead& head) const {
  const std::string prefix = "heads." + head.name + ".";
  const std::int64_t d = config_.encoder.d_model;
  const std::int64_t tokens = head.tokens * d;
  return {head.pools ? linear(prefix + "pool", d, tokens) : Linear(),
          linear(prefix + "hidden", head.width, (head.pools ? d : tokens) + head.history),
          linear(prefix + "output", head.classes, head.width)};
}

void Binder::parser_states(const model::GraphConfig& graph, Weights& weights) const {
  const std::int64_t e = config_.encoder.embedding_width();
  const auto labels = static_cast<std::int64_t>(graph.labels.size());
  weights.segments = tensor("parser.segments.weight", {model::kStateSegments, e});
  if (graph.composition != model::Composition::none) {
    const std::string prefix = "parser.composition.";
    weights.composition = {tensor(prefix + "labels.weight", {labels, e}), linear(prefix + "join", e, 3 * e),
                           linear(prefix + "output", e, e)};
  }
  if (graph.history > 0) {
    weights.history = history(graph.history, labels);
  }
}

HistoryWeights Binder::history(std::int64_t width, std::int64_t labels) const {
  constexpr std::int64_t kGates = 4;
  const std::string prefix = "parser.history.";
  HistoryWeights weights;
  weights.actions = tensor(prefix + "actions.weight", {model::kParserActions, width});
  weights.labels = tensor(prefix + "labels.weight", {labels, width});
  weights.first_state = tensor(prefix + "first_state", {model::kHistoryLayers, width});
  weights.first_cell = tensor(prefix + "first_cell", {model::kHistoryLayers, width});
  for (std::int64_t layer = 0; layer < model::kHistoryLayers; ++layer) {
    const std::string name = concat(prefix, "layers.", layer);
    weights.layers.push_back({linear(name + ".input", kGates * width, width),
                              tensor(name + ".recurrent.weight", {kGates * width, width})});
  }
  return weights;
}

void Binder::bind_groups(EncoderLayer& layer, const std::string& name) const {
  const model::EncoderConfig& encoder = config_.encoder;
  const std::int64_t d = encoder.d_model;
  const std::int64_t a = encoder.attention_dim;
  const auto projection = [&](const char* part, const char* which) {
    return NamedLinear{name + "." + part + "." + which + "_proj", a, d};
  };
  const NamedLinear low{name + ".low", d, d};
  if (encoder.share_qkv) {
    layer.from_incremental = join(
        {projection("incremental", "q"), projection("incremental", "k"), projection("incremental", "v")});
    layer.from_previous =
        join({projection("previous", "q"), projection("previous", "k"), projection("previous", "v"), low});
    layer.parts = {{{false, 0}, {false, a}, {false, 2 * a}},
                   {{false, 0}, {true, a}, {true, 2 * a}},
                   {{true, 0}, {false, a}, {false, 2 * a}}};
  } else {
    layer.from_incremental =
        join({projection("high", "q"), projection("high", "k"), projection("high", "v"),
              projection("middle1", "q"), projection("middle2", "k"), projection("middle2", "v")});
    layer.from_previous =
        join({projection("middle2", "q"), projection("middle1", "k"), projection("middle1", "v"), low});
    layer.parts = {{{false, 0}, {false, a}, {false, 2 * a}},
                   {{false, 3 * a}, {true, a}, {true, 2 * a}},
                   {{true, 0}, {false, 4 * a}, {false, 5 * a}}};
  }
  if (encoder.fusion == model::Fusion::weight_gate && encoder.gate_form == model::GateForm::linear2) {
    layer.gate_new = linear(name + ".gate.new", d, d);
    layer.gate_low = linear(name + ".gate.low", d, d);
  }
}

void Binder::bind_outputs(EncoderLayer& layer, const std::string& name) const {
  const model::EncoderConfig& encoder = config_.encoder;
  const std::int64_t d = encoder.d_model;
  const std::int64_t a = encoder.attention_dim;
  const bool one_map = !encoder.graph() || a == d;
  const bool groups = layer.parts.size() == 3;
  if (!encoder.graph()) {
    layer.outputs = {linear(name + ".self_attn.out_proj", d, a, encoder.projection_bias)};
  } else if (one_map) {
    layer.outputs.assign(layer.parts.size(), linear(name + ".out_proj", d, d));
  } else {
    layer.outputs = {linear(name + ".high.out_proj", d, a)};
    if (groups && encoder.share_qkv) {
      layer.outputs.resize(3, linear(name + ".middle.out_proj", d, a));
    } else if (groups) {
      layer.outputs.push_back(linear(name + ".middle1.out_proj", d, a));
      layer.outputs.push_back(linear(name + ".middle2.out_proj", d, a));
    }
  }
  if (!groups) {
    return;
  }
  const std::vector<Linear>& out = layer.outputs;
  const at::Tensor bias = out[0].bias + out[1].bias + out[2].bias;
  layer.summed_contexts = one_map;
  layer.output_sum = {one_map ? out[0].weight : at::cat({out[0].weight, out[1].weight, out[2].weight}, 1),
                      bias};
}

RecurrentLayer Binder::recurrent_layer(std::int64_t index, bool backward) const {
  const model::EncoderConfig& encoder = config_.encoder;
  const std::int64_t d = encoder.hidden_width();
  const std::string name = concat("encoder.layers.", index, backward ? ".backward." : ".");
  const std::vector<const char*> gates =
      encoder.kind == model::EncoderKind::lstm
          ? std::vector<const char*>{"input_gate", "forget_gate", "candidate", "output_gate"}
          : std::vector<const char*>{"reset", "update", "candidate"};
  std::vector<NamedLinear> inputs;
  std::vector<WantedTensor> recurrent;
  for (const char* const gate : gates) {
    inputs.push_back({name + gate + ".input", d, encoder.input_width(index + 1)});
    recurrent.push_back({name + gate + ".recurrent.weight", {d, d}});
  }
  const Linear joined = join(inputs);
  RecurrentLayer layer;
  layer.input.weight = joined.weight;
  layer.bias = joined.bias;
  layer.recurrent = source_.stacked(recurrent);
  if (encoder.kind == model::EncoderKind::gru && encoder.cell == model::RecurrentCell::gru) {
    layer.recurrent_bias = tensor(name + "candidate.recurrent.bias", {d});
  }
  return layer;
}

DecoderLayer Binder::decoder_layer(std::int64_t index) const {
  const model::DecoderConfig& decoder = *config_.decoder;
  const std::int64_t d = decoder.d_model;
  const std::int64_t a = decoder.attention_dim();
  const std::string name = concat("decoder.layers.", index);
  const auto projection = [&](const char* attention, const char* which) {
    return NamedLinear{name + "." + attention + "." + which + "_proj", a, d, decoder.projection_bias};
  };
  const auto output = [&](const char* attention) {
    return linear(name + "." + attention + ".out_proj", d, a, decoder.projection_bias);
  };
  DecoderLayer layer;
  layer.self_projections =
      join({projection("self_attn", "q"), projection("self_attn", "k"), projection("self_attn", "v")});
  layer.self_output = output("self_attn");
  layer.cross_query = linear(projection("cross_attn", "q"));
  layer.cross_key_value = join({projection("cross_attn", "k"), projection("cross_attn", "v")});
  layer.cross_output = output("cross_attn");
  layer.self_norm = norm_of(decoder, name + ".self_attn_layer_norm");
  layer.cross_norm = norm_of(decoder, name + ".cross_attn_layer_norm");
  layer.feed_forward = feed_forward(decoder, name);
  return layer;
}

// Positions that stand in the scores, or turn queries and keys.
void Binder::encoder_tables(StackWeights& stack) const {
  const model::EncoderConfig& encoder = config_.encoder;
  if (encoder.relative_buckets > 0) {
    stack.relative = tensor("encoder.relative_bias.weight", {encoder.relative_buckets, encoder.heads});
  }
  if (encoder.rotary) {
    const std::int64_t pairs = encoder.rotary->dims / 2;
    stack.frequencies = tensor("encoder.rotary.frequencies", {pairs});
    if (encoder.rotary->local) {
      stack.local_frequencies = tensor("encoder.rotary.local_frequencies", {pairs});
    }
  }
  if (encoder.position == model::Position::alibi) {
    stack.slopes = tensor("encoder.alibi.slopes", {encoder.heads});
  }
}

NextTokenWeights Binder::next_token(const at::Tensor& embedding) const {
  const model::LanguageModelConfig& head = *config_.language_model;
  const std::int64_t d = config_.encoder.d_model;
  const std::int64_t width = head.width > 0 ? head.width : d;
  NextTokenWeights weights;
  if (head.width > 0) {
    weights.projection = linear("language_model.projection", width, d, /*bias=*/false);
  }
  weights.weight =
      head.share_embedding ? embedding : tensor("language_model.weight", {config_.next_token_rows(), width});
  if (head.bias) {
    weights.bias = tensor("language_model.bias", {config_.next_token_rows()});
  }
  return weights;
}

PoolingBlock Binder::pooling_block(const std::string& name) const {
  const std::int64_t d = config_.encoder.d_model;
  const std::int64_t width = config_.gret->ffn_dim;
  return {linear(name + ".fc1", width, d), linear(name + ".fc2", d, width)};
}

void Binder::bind_pooling(GretLayer& layer, const std::string& prefix) const {
  const model::GretConfig& config = *config_.gret;
  const std::int64_t d = config_.encoder.d_model;
  if (config.pooling == model::CapsulePooling::attentive) {
    layer.pool_query = pooling_block(prefix + "pool_query");
    layer.pool_output = pooling_block(prefix + "pool_output");
  } else if (config.pooling == model::CapsulePooling::concatenation) {
    layer.pool_output.down = linear(prefix + "pool_output", d, config.capsules * d);
  }
}

GretWeights Binder::gret() const {
  const model::GretConfig& config = *config_.gret;
  const std::int64_t d = config_.encoder.d_model;
  GretWeights weights;
  for (std::int64_t i = 0; i < config_.encoder.layers; ++i) {
    const auto prefix = [&](bool shared) {
      return shared ? std::string("gret.") : concat("gret.layers.", i, ".");
    };
    const std::string gru = prefix(config.share_gru) + "gru.";
    GretLayer layer;
    layer.capsules.weight =
        tensor(prefix(config.share_capsules) + "capsule.weight", {config.capsules, d, d}).view({-1, d});
    bind_pooling(layer, prefix(config.share_pooling));
    layer.gru_input = {tensor(gru + "weight_ih", {3 * d, d}), tensor(gru + "bias_ih", {3 * d})};
    layer.gru_state = {tensor(gru + "weight_hh", {3 * d, d}), tensor(gru + "bias_hh", {3 * d})};
    weights.layers.push_back(std::move(layer));
  }
  const Linear gate = linear("gret.gate", d, 2 * d);
  weights.gate_of_state.weight = gate.weight.narrow(1, 0, d).contiguous();
  weights.gate_of_global = {gate.weight.narrow(1, d, d).contiguous(), gate.bias};
  return weights;
}

}  // namespace

at::Tensor PoolingBlock::operator()(const at::Tensor& x) const {
  return down(at::relu(up(x)));
}

at::Tensor Linear::operator()(const at::Tensor& x) const {
  if (mixed) {
    const at::Tensor product = mixed_product(x, weight);
    return bias.defined() ? product + bias : product;
  }
  if (eight.defined()) {
    return eight_bit_product(x, eight, bias);
  }
  return at::linear(x, weight, bias);
}

at::Tensor LayerNorm::operator()(const at::Tensor& x) const {
  if (!weight.defined()) {
    return x;
  }
  return rms ? at::rms_norm(x, {weight.size(0)}, weight, epsilon)
             : at::layer_norm(x, {weight.size(0)}, weight, bias, epsilon);
}

EncoderLayer bind_encoder_layer(const model::ModelConfig& config, const WeightSource& source,
                                std::int64_t index) {
  return Binder(config, source).encoder_layer(index);
}

Weights bind_weights(const model::ModelConfig& config, const WeightSource& source, bool layers) {
  const Binder binder(config, source);
  const model::EncoderConfig& encoder = config.encoder;
  Weights weights;
  weights.encoder =
      binder.stack("encoder", config.embedding_rows(), encoder.embedding_width(), encoder.position);
  if (encoder.embedding_norm) {
    weights.encoder.embedding_norm = binder.layer_norm(
        "encoder.embed_layer_norm", encoder.recurrent() ? encoder.d_model : encoder.embedding_width(),
        encoder.layer_norm_eps, encoder.norm_kind == model::NormKind::rms);
  }
  if (!encoder.recurrent() && encoder.embedding_dim > 0) {
    weights.encoder.embedding_map =
        binder.linear("encoder.embed_projection", encoder.d_model, encoder.embedding_dim);
  }
  binder.encoder_tables(weights.encoder);
  if (!encoder.recurrent() && encoder.ends_with_norm()) {
    weights.encoder.final_norm = binder.norm_of(encoder, "encoder.layer_norm");
  }
  for (std::int64_t i = 0; i < encoder.layers; ++i) {
    if (encoder.recurrent()) {
      weights.recurrent_layers.push_back(binder.recurrent_layer(i, false));
      if (encoder.bidirectional) {
        weights.backward_layers.push_back(binder.recurrent_layer(i, true));
      }
    } else {
      weights.encoder_layers.push_back(layers ? binder.encoder_layer(i) : EncoderLayer());
    }
  }
  if (config.decoder) {
    const model::DecoderConfig& decoder = *config.decoder;
    weights.decoder = binder.stack("decoder", config.target_vocab_size, decoder.d_model, decoder.position);
    if (decoder.embedding_norm) {
      weights.decoder.embedding_norm = binder.norm_of(decoder, "decoder.embed_layer_norm");
    }
    if (decoder.relative_buckets > 0) {
      weights.decoder.relative =
          binder.tensor("decoder.relative_bias.weight", {decoder.relative_buckets, decoder.heads});
    }
    if (decoder.ends_with_norm()) {
      weights.decoder.final_norm = binder.norm_of(decoder, "decoder.layer_norm");
    }
    if (decoder.output_bias) {
      weights.output_bias = binder.tensor("decoder.output_projection.bias", {config.target_vocab_size});
    }
    for (std::int64_t i = 0; i < decoder.layers; ++i) {
      weights.decoder_layers.push_back(binder.decoder_layer(i));
    }
    weights.output_projection =
        decoder.share_output_embedding
            ? weights.decoder.embedding
            : binder.tensor("decoder.output_projection.weight", {config.target_vocab_size, decoder.d_model});
  }
  if (config.language_model) {
    weights.next_token = binder.next_token(weights.encoder.embedding);
  }
  if (config.gret) {
    weights.gret = binder.gret();
  }
  for (const auto& [task, tags] : config.tasks) {
    weights.heads[task] =
        binder.linear("heads." + task, static_cast<std::int64_t>(tags.size()), encoder.d_model);
  }
  if (config.graph) {
    for (const model::PairHead& head : model::pair_heads(*config.graph)) {
      weights.pair_heads[head.name] = binder.pair_head(head);
    }
    for (const model::StateHead& head : model::state_heads(*config.graph)) {
      weights.state_heads[head.name] = binder.state_head(head);
    }
    if (config.graph->by_transitions()) {
      weights.missing_token = binder.tensor("heads.actions.missing", {encoder.d_model});
    }
    if (config.graph->reads_states()) {
      binder.parser_states(*config.graph, weights);
    }
  }
  return weights;
}

}  // namespace mog::engine
