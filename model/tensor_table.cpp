#include "model/tensor_table.h"

#include <initializer_list>

#include "model/parser_states.h"

namespace mog::model {
namespace {

class Table {
 public:
  explicit Table(std::int64_t positions) : positions_(positions) {}

  void tensor(std::string name, std::vector<std::int64_t> shape, bool trained = true) {
    specs_.push_back({std::move(name), std::move(shape), trained});
  }
  void linear(const std::string& name, std::int64_t out, std::int64_t in, bool bias = true) {
    tensor(name + ".weight", {out, in});
    if (bias) {
      tensor(name + ".bias", {out});
    }
  }
  void layer_norm(const std::string& name, std::int64_t d, NormKind kind = NormKind::layer) {
    tensor(name + ".weight", {d});
    if (kind == NormKind::layer) {
      tensor(name + ".bias", {d});
    }
  }
  void projections(const std::string& name, std::int64_t out, std::int64_t in, bool bias = true) {
    for (const char* const map : {".q_proj", ".k_proj", ".v_proj"}) {
      linear(name + map, out, in, bias);
    }
  }
  // Of a plain layer, whose keys and values may have fewer heads.
  void self_attention(const EncoderConfig& config, const std::string& name);
  void encoder_tables(const EncoderConfig& config);
  void language_model(const LanguageModelConfig& head, const ModelConfig& config);
  void embeddings(const std::string& stack, std::int64_t vocabulary, std::int64_t d, Position position) {
    tensor(stack + ".embed_tokens.weight", {vocabulary, d});
    if (has_table(position)) {
      tensor(stack + ".embed_positions.weight", {positions_, d}, position == Position::learned);
    }
  }
  void encoder_layer(const EncoderConfig& config, std::int64_t layer);
  void recurrent_layer(const EncoderConfig& config, std::int64_t layer);
  void decoder_layer(const DecoderConfig& config, std::int64_t layer);
  void gret(const GretConfig& config, std::int64_t layers, std::int64_t d);
  void graph_input(const EncoderConfig& config);
  void pair_head(const PairHead& head, std::int64_t d);
  void state_head(const StateHead& head, std::int64_t d);
  void parser_states(const GraphConfig& graph, std::int64_t width);
  std::vector<TensorSpec> take() { return std::move(specs_); }

 private:
  void graph_attention(const EncoderConfig& config, const std::string& prefix, bool groups);
  void capsule_pooling(const GretConfig& config, const std::string& prefix, std::int64_t d);
  std::int64_t positions_;
  std::vector<TensorSpec> specs_;
};

// `groups`: middle and low parts are there (all layers but a plain first one).
void Table::graph_attention(const EncoderConfig& config, const std::string& prefix, bool groups) {
  const std::int64_t d = config.d_model;
  const std::int64_t a = config.attention_dim;
  const auto each = [&](std::initializer_list<const char*> first, std::initializer_list<const char*> others,
                        auto&& add) {
    for (const char* const part : first) {
      add(prefix + part);
    }
    if (groups) {
      for (const char* const part : others) {
        add(prefix + part);
      }
    }
  };
  const auto project = [&](const std::string& name) { projections(name, a, d); };
  const auto back = [&](const std::string& name) { linear(name + ".out_proj", d, a); };
  if (config.share_qkv) {
    each({"incremental"}, {"previous"}, project);
  } else {
    each({"high"}, {"middle1", "middle2"}, project);
  }
  if (a == d) {
    linear(prefix + "out_proj", d, d);
  } else if (config.share_qkv) {
    each({"high"}, {"middle"}, back);
  } else {
    each({"high"}, {"middle1", "middle2"}, back);
  }
  if (!groups) {
    return;
  }
  linear(prefix + "low", d, d);
  if (config.fusion == Fusion::weight_gate && config.gate_form == GateForm::linear2) {
    linear(prefix + "gate.new", d, d);
    linear(prefix + "gate.low", d, d);
  }
}

void Table::recurrent_layer(const EncoderConfig& config, std::int64_t layer) {
  const std::int64_t d = config.hidden_width();
  for (std::int64_t direction = 0; direction < config.directions(); ++direction) {
    const std::string prefix =
        "encoder.layers." + std::to_string(layer - 1) + (direction == 0 ? "." : ".backward.");
    const auto gate = [&](const std::string& name) {
      linear(prefix + name + ".input", d, config.input_width(layer));
      tensor(prefix + name + ".recurrent.weight", {d, d});
    };
    if (config.kind == EncoderKind::lstm) {
      for (const char* const name : {"input_gate", "forget_gate", "candidate", "output_gate"}) {
        gate(name);
      }
      continue;
    }
    for (const char* const name : {"reset", "update", "candidate"}) {
      gate(name);
    }
    if (config.cell == RecurrentCell::gru) {
      tensor(prefix + "candidate.recurrent.bias", {d});
    }
  }
}

void Table::self_attention(const EncoderConfig& config, const std::string& name) {
  const std::int64_t d = config.d_model;
  const bool bias = config.projection_bias;
  linear(name + ".q_proj", config.attention_dim, d, bias);
  linear(name + ".k_proj", config.key_dim(), d, bias);
  linear(name + ".v_proj", config.key_dim(), d, bias);
  linear(name + ".out_proj", d, config.attention_dim, bias);
  if (config.query_key_norm != QueryKeyNorm::none) {
    layer_norm(name + ".q_norm", config.attention_dim, config.query_key_norm_kind);
    layer_norm(name + ".k_norm", config.key_dim(), config.query_key_norm_kind);
  }
  if (config.disentangled && !config.disentangled->share) {
    if (config.disentangled->content_to_position) {
      linear(name + ".position_key", config.attention_dim, d);
    }
    if (config.disentangled->position_to_content) {
      linear(name + ".position_query", config.attention_dim, d);
    }
  }
}

// What all layers share beside embeddings and norms.
void Table::encoder_tables(const EncoderConfig& config) {
  if (config.relative_buckets > 0) {
    tensor("encoder.relative_bias.weight", {config.relative_buckets, config.heads});
  }
  if (config.rotary) {
    tensor("encoder.rotary.frequencies", {config.rotary->dims / 2}, /*trained=*/false);
    if (config.rotary->local) {
      tensor("encoder.rotary.local_frequencies", {config.rotary->dims / 2}, /*trained=*/false);
    }
  }
  if (config.position == Position::alibi) {
    tensor("encoder.alibi.slopes", {config.heads}, /*trained=*/false);
  }
  if (config.disentangled) {
    tensor("encoder.distances.weight", {2 * config.disentangled->span, config.d_model});
  }
}

void Table::language_model(const LanguageModelConfig& head, const ModelConfig& config) {
  const std::int64_t width = head.width > 0 ? head.width : config.encoder.d_model;
  if (head.width > 0) {
    linear("language_model.projection", width, config.encoder.d_model, /*bias=*/false);
  }
  if (!head.share_embedding) {
    tensor("language_model.weight", {config.next_token_rows(), width});
  }
  if (head.bias) {
    tensor("language_model.bias", {config.next_token_rows()});
  }
}

void Table::encoder_layer(const EncoderConfig& config, std::int64_t layer) {
  if (config.recurrent()) {
    return recurrent_layer(config, layer);
  }
  const std::int64_t d = config.d_model;
  const std::string prefix = "encoder.layers." + std::to_string(layer - 1) + ".";
  if (config.graph()) {
    graph_attention(config, prefix, config.has_groups(layer));
  } else {
    self_attention(config, prefix + "self_attn");
  }
  if (config.norm != NormPlace::output) {
    if (layer > 1 || config.first_norm) {
      layer_norm(prefix + "attn_layer_norm", d, config.norm_kind);
    }
    layer_norm(prefix + "ffn_layer_norm", d, config.norm_kind);
  }
  if (norms_output(config.norm)) {
    layer_norm(prefix + "attn_output_norm", d, config.norm_kind);
    layer_norm(prefix + "ffn_output_norm", d, config.norm_kind);
  }
  linear(prefix + "fc1", config.ffn_dim, d, config.projection_bias);
  if (config.gated_ffn) {
    linear(prefix + "fc1_linear", config.ffn_dim, d, config.projection_bias);
  }
  linear(prefix + "fc2", d, config.ffn_dim, config.projection_bias);
}

void Table::decoder_layer(const DecoderConfig& config, std::int64_t layer) {
  const std::int64_t d = config.d_model;
  const std::int64_t a = config.attention_dim();
  const bool bias = config.projection_bias;
  const std::string prefix = "decoder.layers." + std::to_string(layer - 1) + ".";
  for (const char* const block : {"self_attn", "cross_attn"}) {
    projections(prefix + block, a, d, bias);
    linear(prefix + block + ".out_proj", d, a, bias);
  }
  for (const char* const norm : {"self_attn_layer_norm", "cross_attn_layer_norm", "ffn_layer_norm"}) {
    layer_norm(prefix + norm, d, config.norm_kind);
  }
  linear(prefix + "fc1", config.ffn_dim, d, bias);
  if (config.gated_ffn) {
    linear(prefix + "fc1_linear", config.ffn_dim, d, bias);
  }
  linear(prefix + "fc2", d, config.ffn_dim, bias);
}

void Table::capsule_pooling(const GretConfig& config, const std::string& prefix, std::int64_t d) {
  if (config.pooling == CapsulePooling::concatenation) {
    return linear(prefix + "pool_output", d, config.capsules * d);
  }
  if (config.pooling == CapsulePooling::attentive) {
    for (const char* const block : {"pool_query", "pool_output"}) {
      linear(prefix + block + ".fc1", config.ffn_dim, d);
      linear(prefix + block + ".fc2", d, config.ffn_dim);
    }
  }
}

// Weights that all layers share stand once, without the layer.
void Table::gret(const GretConfig& config, std::int64_t layers, std::int64_t d) {
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    const std::string own = "gret.layers." + std::to_string(layer) + ".";
    const auto prefix = [&](bool shared) { return shared ? std::string("gret.") : own; };
    if (layer == 0 || !config.share_capsules) {
      tensor(prefix(config.share_capsules) + "capsule.weight", {config.capsules, d, d});
    }
    if (layer == 0 || !config.share_pooling) {
      capsule_pooling(config, prefix(config.share_pooling), d);
    }
    if (layer == 0 || !config.share_gru) {
      const std::string gru = prefix(config.share_gru) + "gru.";
      tensor(gru + "weight_ih", {3 * d, d});
      tensor(gru + "weight_hh", {3 * d, d});
      tensor(gru + "bias_ih", {3 * d});
      tensor(gru + "bias_hh", {3 * d});
    }
  }
  linear("gret.gate", d, 2 * d);
}

// Vectors of the relations from 1; that of none stands apart, since it is often not trained or not there.
void Table::graph_input(const EncoderConfig& config) {
  const GraphInputConfig& input = *config.graph_input;
  const std::int64_t width = config.attention_dim / config.heads;
  for (std::int64_t layer = 0; layer < (input.share ? 1 : config.layers); ++layer) {
    const std::string prefix =
        input.share ? "encoder." : "encoder.layers." + std::to_string(layer) + ".self_attn.";
    const auto vectors = [&](const char* name) {
      tensor(prefix + name + ".weight", {input.relations - 1, width});
      if (input.none != NoRelation::zero) {
        tensor(prefix + name + ".none", {width}, input.none == NoRelation::learned);
      }
    };
    vectors("relation_key");
    if (input.form == RelationForm::three_term) {
      vectors("relation_query");
    }
    vectors("relation_value");
    if (input.key_norm) {
      layer_norm(prefix + "relation_key_layer_norm", width);
    }
    if (input.value_norm) {
      layer_norm(prefix + "relation_value_layer_norm", width);
    }
  }
}

void Table::state_head(const StateHead& head, std::int64_t d) {
  const std::string prefix = "heads." + head.name + ".";
  if (head.pools) {
    linear(prefix + "pool", d, head.tokens * d);
  }
  linear(prefix + "hidden", head.width, (head.pools ? d : head.tokens * d) + head.history);
  linear(prefix + "output", head.classes, head.width);
}

// What a parser that reads states adds to the embeddings (`width`), and its memory of transitions.
void Table::parser_states(const GraphConfig& graph, std::int64_t width) {
  const auto labels = static_cast<std::int64_t>(graph.labels.size());
  tensor("parser.segments.weight", {kStateSegments, width});
  if (graph.composition != Composition::none) {
    tensor("parser.composition.labels.weight", {labels, width});
    linear("parser.composition.join", width, 3 * width);
    linear("parser.composition.output", width, width);
  }
  if (graph.history > 0) {
    constexpr std::int64_t kGates = 4;
    tensor("parser.history.actions.weight", {kParserActions, graph.history});
    tensor("parser.history.labels.weight", {labels, graph.history});
    tensor("parser.history.first_state", {kHistoryLayers, graph.history});
    tensor("parser.history.first_cell", {kHistoryLayers, graph.history});
    for (std::int64_t layer = 0; layer < kHistoryLayers; ++layer) {
      const std::string prefix = "parser.history.layers." + std::to_string(layer);
      linear(prefix + ".input", kGates * graph.history, graph.history);
      linear(prefix + ".recurrent", kGates * graph.history, graph.history, /*bias=*/false);
    }
  }
}

void Table::pair_head(const PairHead& head, std::int64_t d) {
  const std::string prefix = "heads." + head.name + ".";
  linear(prefix + "query", head.width, d);
  linear(prefix + "key", head.width, d);
  if (head.classes > 0) {
    tensor(prefix + "weight", {head.classes, head.width + 1, head.width + 1});
  } else {
    tensor(prefix + "weight", {head.width + 1, head.width});
  }
}

}  // namespace

bool scales_positions(std::string_view tensor) noexcept {
  return tensor.starts_with("encoder.rotary.") || tensor.starts_with("encoder.alibi.");
}

std::vector<TensorSpec> tensor_table(const ModelConfig& config, std::int64_t positions) {
  Table table(positions);
  const std::int64_t d = config.encoder.d_model;
  table.embeddings("encoder", config.embedding_rows(), config.encoder.embedding_width(),
                   config.encoder.position);
  if (config.encoder.embedding_norm) {
    table.layer_norm("encoder.embed_layer_norm",
                     config.encoder.recurrent() ? d : config.encoder.embedding_width(),
                     config.encoder.norm_kind);
  }
  if (!config.encoder.recurrent() && config.encoder.embedding_dim > 0) {
    table.linear("encoder.embed_projection", d, config.encoder.embedding_dim);
  }
  table.encoder_tables(config.encoder);
  for (std::int64_t layer = 1; layer <= config.encoder.layers; ++layer) {
    table.encoder_layer(config.encoder, layer);
  }
  if (config.encoder.graph_input) {
    table.graph_input(config.encoder);
  }
  if (config.encoder.ends_with_norm()) {
    table.layer_norm("encoder.layer_norm", d, config.encoder.norm_kind);
  }
  if (config.decoder) {
    table.embeddings("decoder", config.target_vocab_size, d, config.decoder->position);
    if (config.decoder->embedding_norm) {
      table.layer_norm("decoder.embed_layer_norm", d, config.decoder->norm_kind);
    }
    if (config.decoder->relative_buckets > 0) {
      table.tensor("decoder.relative_bias.weight", {config.decoder->relative_buckets, config.decoder->heads});
    }
    for (std::int64_t layer = 1; layer <= config.decoder->layers; ++layer) {
      table.decoder_layer(*config.decoder, layer);
    }
    if (config.decoder->ends_with_norm()) {
      table.layer_norm("decoder.layer_norm", d, config.decoder->norm_kind);
    }
    if (!config.decoder->share_output_embedding) {
      table.tensor("decoder.output_projection.weight", {config.target_vocab_size, d});
    }
    if (config.decoder->output_bias) {
      table.tensor("decoder.output_projection.bias", {config.target_vocab_size});
    }
  }
  if (config.language_model) {
    table.language_model(*config.language_model, config);
  }
  if (config.gret) {
    table.gret(*config.gret, config.encoder.layers, d);
  }
  for (const auto& [task, tags] : config.tasks) {
    table.linear("heads." + task, static_cast<std::int64_t>(tags.size()), d);
  }
  if (config.graph) {
    for (const PairHead& head : pair_heads(*config.graph)) {
      table.pair_head(head, d);
    }
    for (const StateHead& head : state_heads(*config.graph)) {
      table.state_head(head, d);
    }
    if (config.graph->by_transitions()) {
      table.tensor("heads.actions.missing", {d});
    }
    if (config.graph->reads_states()) {
      table.parser_states(*config.graph, config.encoder.embedding_width());
    }
  }
  return table.take();
}

std::int64_t parameter_count(const ModelConfig& config, std::int64_t positions) {
  std::int64_t total = 0;
  for (const TensorSpec& spec : tensor_table(config, positions)) {
    if (spec.trained) {
      std::int64_t product = 1;
      for (const std::int64_t extent : spec.shape) {
        product *= extent;
      }
      total += product;
    }
  }
  return total;
}

}  // namespace mog::model
