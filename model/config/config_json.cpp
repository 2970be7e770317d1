// The configuration as text, and the names of its values.
#include <nlohmann/json.hpp>
#include <tuple>

#include "model/config/config.h"
#include "model/config/config_choices.h"
#include "model/config/config_parts.h"

namespace mog::model {
namespace {

nlohmann::ordered_json recurrent_json(const EncoderConfig& config) {
  nlohmann::ordered_json json = {
      {"kind", text_of(kKinds, config.kind)}, {"layers", config.layers}, {"d_model", config.d_model}};
  if (config.embedding_dim > 0) {
    json["embedding_dim"] = config.embedding_dim;
  }
  json["cell"] = text_of(kCells, config.kind == EncoderKind::lstm ? RecurrentCell::lstm : config.cell);
  if (config.bidirectional) {
    json["bidirectional"] = true;
  }
  json["position"] = text_of(kPositions, config.position);
  json["embed_scale"] = config.embed_scale;
  return json;
}

// The optional keys of an encoder or decoder that are not at their default.
template <class Config>
void add_plain(const Config& config, nlohmann::ordered_json& json) {
  if (config.first_position != 2) {
    json["first_position"] = config.first_position;
  }
  if (config.norm_kind != NormKind::layer) {
    json["norm_kind"] = text_of(kNormKinds, config.norm_kind);
  }
  if (config.final_norm) {
    json["final_norm"] = *config.final_norm;
  }
  if (config.head_dim > 0) {
    json["head_dim"] = config.head_dim;
  }
  for (const auto& [key, value, usual] : {std::tuple{"attention_scale", config.attention_scale, true},
                                          std::tuple{"projection_bias", config.projection_bias, true},
                                          std::tuple{"gated_ffn", config.gated_ffn, false}}) {
    if (value != usual) {
      json[key] = value;
    }
  }
  if (config.relative_buckets > 0) {
    json["relative_buckets"] = config.relative_buckets;
    json["relative_distance"] = config.relative_distance;
  }
}

nlohmann::ordered_json encoder_json(const EncoderConfig& config) {
  if (config.recurrent()) {
    return recurrent_json(config);
  }
  nlohmann::ordered_json json = {{"kind", text_of(kKinds, config.kind)},
                                 {"layers", config.layers},
                                 {"d_model", config.d_model},
                                 {"heads", config.heads},
                                 {"attention_dim", config.attention_dim},
                                 {"ffn_dim", config.ffn_dim},
                                 {"activation", text_of(kActivations, config.activation)},
                                 {"layer_norm_eps", config.layer_norm_eps},
                                 {"norm", text_of(kEncoderNorms, config.norm)},
                                 {"position", text_of(kEncoderPositions, config.position)},
                                 {"embed_scale", config.embed_scale}};
  if (config.embedding_norm) {
    json["embedding_norm"] = true;
  }
  if (config.embedding_dim > 0) {
    json["embedding_dim"] = config.embedding_dim;
  }
  add_plain(config, json);
  add_attention(config, json);
  if (config.graph_input) {
    json["graph_input"] = graph_input_json(*config.graph_input);
  }
  if (config.graph()) {
    json["fusion"] = text_of(kFusions, config.fusion);
    json["gate_form"] = text_of(kGateForms, config.gate_form);
    json["share_qkv"] = config.share_qkv;
    json["first_layer"] = text_of(kFirstLayers, config.first_layer);
    json["self_gate_scale"] = text_of(kSelfGateScales, config.self_gate_scale);
    json["residual"] = text_of(kResiduals, config.residual);
  }
  return json;
}

nlohmann::ordered_json decoder_json(const DecoderConfig& config) {
  nlohmann::ordered_json json = {{"layers", config.layers},
                                 {"d_model", config.d_model},
                                 {"heads", config.heads},
                                 {"ffn_dim", config.ffn_dim},
                                 {"activation", text_of(kActivations, config.activation)},
                                 {"layer_norm_eps", config.layer_norm_eps},
                                 {"norm", text_of(kNorms, config.norm)},
                                 {"position", text_of(kAttentionPositions, config.position)},
                                 {"embed_scale", config.embed_scale},
                                 {"share_output_embedding", config.share_output_embedding}};
  if (config.embedding_norm) {
    json["embedding_norm"] = true;
  }
  add_plain(config, json);
  if (config.output_bias) {
    json["output_bias"] = true;
  }
  if (config.first_id) {
    json["first_id"] = *config.first_id;
  }
  return json;
}

nlohmann::ordered_json gret_json(const GretConfig& config) {
  nlohmann::ordered_json json = {{"capsules", config.capsules},
                                 {"iterations", config.iterations},
                                 {"route_axis", text_of(kRouteAxes, config.route_axis)},
                                 {"pooling", text_of(kPoolings, config.pooling)}};
  if (config.pooling == CapsulePooling::attentive) {
    json["ffn_dim"] = config.ffn_dim;
  }
  json["share_capsules"] = config.share_capsules;
  if (config.pooling != CapsulePooling::mean) {
    json["share_pooling"] = config.share_pooling;
  }
  json["share_gru"] = config.share_gru;
  return json;
}

template <class Value>
std::string_view name_of(const Choices<Value>& choices, Value wanted) noexcept {
  for (const auto& [value, text] : choices) {
    if (value == wanted) {
      return text;
    }
  }
  return "";
}

}  // namespace

std::string_view name(EncoderKind kind) noexcept {
  return name_of(kKinds, kind);
}
std::string_view name(RecurrentCell cell) noexcept {
  return name_of(kCells, cell);
}
std::string_view name(RouteAxis axis) noexcept {
  return name_of(kRouteAxes, axis);
}
std::string_view name(CapsulePooling pooling) noexcept {
  return name_of(kPoolings, pooling);
}
std::string_view name(RelationForm form) noexcept {
  return name_of(kRelationForms, form);
}
std::string_view name(GraphKind kind) noexcept {
  return name_of(kGraphKinds, kind == GraphKind::coreference ? kind : GraphKind::dependencies);
}
std::string_view name(TokenizerKind kind) noexcept {
  return name_of(kTokenizers, kind);
}

std::string to_json(const ModelConfig& config) {
  nlohmann::ordered_json tokenizer = {{"kind", text_of(kTokenizers, config.tokenizer.kind)},
                                      {"lowercase", config.tokenizer.lowercase}};
  if (config.tokenizer.kind == TokenizerKind::bpe) {
    tokenizer["codes"] = config.tokenizer.codes;
  }
  if (has_tokenizer_json(config.tokenizer.kind)) {
    tokenizer["file"] = config.tokenizer.file;
  }
  tokenizer["vocab"] = config.tokenizer.vocab;
  if (config.tokenizer.words != WordCut::automatic) {
    tokenizer["words"] = name(config.tokenizer.words);
  }
  if (!config.tokenizer.sentence_end) {
    tokenizer["sentence_end"] = false;
  }
  nlohmann::ordered_json json = {{"format", "mog-model"},
                                 {"format_version", 1},
                                 {"architecture", config.decoder ? "encoder_decoder" : "encoder"},
                                 {"encoder", encoder_json(config.encoder)}};
  if (config.decoder) {
    json["decoder"] = decoder_json(*config.decoder);
    if (config.gret) {
      json["gret"] = gret_json(*config.gret);
    }
    tokenizer["target_vocab"] = config.tokenizer.target_vocab;
    if (!config.tokenizer.target_file.empty()) {
      tokenizer["target_file"] = config.tokenizer.target_file;
    }
  }
  json["tokenizer"] = tokenizer;
  json["vocab_size"] = config.vocab_size;
  if (config.decoder) {
    json["target_vocab_size"] = config.target_vocab_size;
  }
  json["pad_id"] = config.pad_id;
  json["bos_id"] = config.bos_id;
  json["eos_id"] = config.eos_id;
  json["unk_id"] = config.unk_id;
  if (!config.tasks.empty()) {
    json["tasks"] = config.tasks;
  }
  if (config.graph) {
    json["graph"] = graph_json(*config.graph);
  }
  if (config.language_model) {
    json["language_model"] = language_model_json(*config.language_model);
  }
  return json.dump(2) + "\n";
}

}  // namespace mog::model
