// BART, mBART, Marian, Pegasus and M2M100 (NLLB): a decoder has the form of its encoder. BART and mBART count
// learned positions from row 2, as we do; the sinusoids of Marian and Pegasus count from 0 and have
// frequencies of their own, those of M2M100 are fairseq's, which are ours.
#include <fmt/format.h>

#include <cmath>

#include "io/recording/errors.h"
#include "model/foreign/blueprint.h"

namespace mog::model {
namespace {

// Row p: sin(p / 10000^(2k/d)) for k below d/2, then the cosines.
HostTensor sinusoid_table(std::int64_t rows, std::int64_t d) {
  HostTensor table(DType::float32, {rows + kFirstRow, d});
  const auto values = table.mutable_values<float>();
  const std::int64_t sines = (d + 1) / 2;
  for (std::int64_t row = 0; row < rows + kFirstRow; ++row) {
    for (std::int64_t column = 0; column < d; ++column) {
      const std::int64_t pair = column < sines ? column : column - sines;
      const double angle = static_cast<double>(row - kFirstRow) /
                           std::pow(10000.0, 2.0 * static_cast<double>(pair) / static_cast<double>(d));
      values[static_cast<std::size_t>(row * d + column)] =
          row < kFirstRow ? 0.0F : static_cast<float>(column < sines ? std::sin(angle) : std::cos(angle));
    }
  }
  return table;
}

void plan_positions(TensorPlan& plan, const std::string& stack, Position position, std::int64_t rows,
                    std::int64_t d) {
  const std::string table = stack + ".embed_positions.weight";
  if (position == Position::learned) {
    plan.tensor(table, {table}, {rows, d});
    return;
  }
  if (position == Position::fixed) {
    plan.made(table, [=] { return sinusoid_table(rows - kFirstRow, d); });
  }
  for (const std::string& same : {table, table + "s"}) {
    plan.ignore(same);  // the same sinusoids, where a file has them
  }
}

// Sizes, and which tables are shared.
void read_target(HfConfig& config, Blueprint& blueprint) {
  if (!has_decoder(config)) {
    config.harmless({"share_encoder_decoder_embeddings", "decoder_vocab_size"});
    return;
  }
  const bool shared = config.flag("share_encoder_decoder_embeddings", true);
  const bool own_rows = config.given("decoder_vocab_size") && !shared;
  config.harmless({"decoder_vocab_size"});
  TargetBlueprint target;
  target.shared = blueprint.shared = shared;
  DecoderConfig& decoder = target.decoder;
  decoder.layers = config.layers("decoder_layers");
  decoder.d_model = blueprint.encoder.d_model;
  decoder.heads = config.size("decoder_attention_heads");
  decoder.ffn_dim = config.size("decoder_ffn_dim");
  decoder.share_output_embedding = config.flag("tie_word_embeddings", true);
  target.vocabulary = own_rows ? config.vocabulary("decoder_vocab_size") : blueprint.vocabulary;
  if (decoder.d_model % decoder.heads != 0) {
    config.refuse("decoder_attention_heads", fmt::format("d_model is {}", decoder.d_model));
  }
  blueprint.target = std::move(target);
}

void plan_attention(TensorPlan& plan, const std::string& ours, const std::string& theirs, std::int64_t d) {
  for (const char* const map : {"q_proj", "k_proj", "v_proj", "out_proj"}) {
    plan.linear(ours + map, theirs + map, d, d);
  }
}

// Of the layer whose names begin with `layer`, in both the same.
void plan_feed_forward(TensorPlan& plan, const std::string& layer, std::int64_t width, std::int64_t d) {
  plan.linear(layer + "fc1", layer + "fc1", width, d);
  plan.linear(layer + "fc2", layer + "fc2", d, width);
  plan.norm(layer + "ffn_layer_norm", {layer + "final_layer_norm"}, d);
}

template <class Config>
void plan_stack_norms(TensorPlan& plan, const std::string& stack, const Config& config, std::int64_t d) {
  if (config.embedding_norm) {
    plan.norm(stack + ".embed_layer_norm", {stack + ".layernorm_embedding"}, d);
  }
  if (config.ends_with_norm()) {
    plan.norm(stack + ".layer_norm", {stack + ".layer_norm"}, d);
  }
}

void plan_decoder(TensorPlan& plan, const TargetBlueprint& target) {
  const DecoderConfig& decoder = target.decoder;
  const std::int64_t d = decoder.d_model;
  plan.own("decoder.");
  plan.tensor("decoder.embed_tokens.weight", embedding_names("decoder", target.shared),
              {target.vocabulary, d});
  for (std::int64_t layer = 0; layer < decoder.layers; ++layer) {
    const std::string name = fmt::format("decoder.layers.{}.", layer);
    plan_attention(plan, name + "self_attn.", name + "self_attn.", d);
    plan_attention(plan, name + "cross_attn.", name + "encoder_attn.", d);
    plan.norm(name + "self_attn_layer_norm", {name + "self_attn_layer_norm"}, d);
    plan.norm(name + "cross_attn_layer_norm", {name + "encoder_attn_layer_norm"}, d);
    plan_feed_forward(plan, name, decoder.ffn_dim, d);
  }
  plan_stack_norms(plan, "decoder", decoder, d);
  plan_positions(plan, "decoder", decoder.position, target.positions, d);
  if (decoder.share_output_embedding) {
    plan.ignore("/lm_head.weight");
  } else {
    plan.tensor("decoder.output_projection.weight", {"/lm_head.weight"}, {target.vocabulary, d});
  }
}

Blueprint seq2seq_blueprint(HfConfig& config, const char* name) {
  Blueprint blueprint;
  EncoderConfig& encoder = blueprint.encoder;
  encoder.kind = EncoderKind::transformer;
  encoder.layers = config.layers("encoder_layers");
  encoder.d_model = config.size("d_model");
  encoder.heads = config.size("encoder_attention_heads");
  encoder.attention_dim = encoder.d_model;
  encoder.ffn_dim = config.size("encoder_ffn_dim");
  encoder.activation = config.activation("activation_function", "gelu");
  encoder.layer_norm_eps = 1e-5;
  encoder.embed_scale = config.flag("scale_embedding", false);
  if (encoder.d_model % encoder.heads != 0) {
    throw ModelError(fmt::format("{}: encoder_attention_heads = {} does not divide d_model = {}",
                                 config.file(), encoder.heads, encoder.d_model));
  }
  config.require_flag("is_decoder", false, "an encoder comes first");
  // Old spellings of the same sizes.
  for (const auto& [key, value] : {std::pair{"num_hidden_layers", encoder.layers},
                                   {"hidden_size", encoder.d_model},
                                   {"num_attention_heads", encoder.heads}}) {
    if (config.size(key, value) != value) {
      config.refuse(key, fmt::format("the encoder has {}", value));
    }
  }
  config.require_flag("extra_layer_norm", false, "no layer norm more than usual is known");
  config.harmless(
      {"add_bias_logits", "force_bos_token_to_be_generated", "extra_pos_embeddings", "num_return_sequences"});
  blueprint.pad_id = config.id("pad_token_id");
  blueprint.vocabulary = config.vocabulary("vocab_size");
  blueprint.prefixes = {"model.", ""};
  blueprint.anchors = {"encoder.layers.0.fc1.weight"};
  read_target(config, blueprint);
  blueprint.what = name_of(name, blueprint);
  return blueprint;
}

void plan_encoder(TensorPlan& plan, const Blueprint& blueprint) {
  const EncoderConfig& encoder = blueprint.encoder;
  const std::int64_t d = encoder.d_model;
  plan.own("encoder.");
  plan.tensor("encoder.embed_tokens.weight", embedding_names("encoder", blueprint.shared),
              {blueprint.vocabulary, d});
  plan.ignore("shared.weight");
  for (std::int64_t layer = 0; layer < encoder.layers; ++layer) {
    const std::string name = fmt::format("encoder.layers.{}.", layer);
    plan_attention(plan, name + "self_attn.", name + "self_attn.", d);
    plan.norm(name + "attn_layer_norm", {name + "self_attn_layer_norm"}, d);
    plan_feed_forward(plan, name, encoder.ffn_dim, d);
  }
  plan_stack_norms(plan, "encoder", encoder, d);
  plan_positions(plan, "encoder", encoder.position, blueprint.positions, d);
}

// Once the family has said what its encoder is.
void finish(Blueprint& blueprint) {
  const EncoderConfig& encoder = blueprint.encoder;
  if (blueprint.target) {
    TargetBlueprint& target = *blueprint.target;
    DecoderConfig& decoder = target.decoder;
    decoder.activation = encoder.activation;
    decoder.layer_norm_eps = encoder.layer_norm_eps;
    decoder.norm = encoder.norm;
    decoder.position = encoder.position;
    decoder.first_position = encoder.first_position;
    decoder.embed_scale = encoder.embed_scale;
    decoder.embedding_norm = encoder.embedding_norm;
    target.positions = blueprint.positions;
    target.plan = [own = target](TensorPlan& plan) { plan_decoder(plan, own); };
  }
  blueprint.plan = [own = blueprint](TensorPlan& plan) { plan_encoder(plan, own); };
}

// Marian and Pegasus differ in where their layer norms stand.
Blueprint table_of_sinusoids(HfConfig& config, const char* name, NormPlace norm) {
  Blueprint blueprint = seq2seq_blueprint(config, name);
  EncoderConfig& encoder = blueprint.encoder;
  const bool pre = norm == NormPlace::pre;
  encoder.norm = norm;
  encoder.position = Position::fixed;
  config.require_flag("normalize_before", pre, "layer norms stand where the model type has them");
  config.require_flag("add_final_layer_norm", pre, "as the model type has it");
  config.require_flag("normalize_embedding", false, "embeddings are not normalised");
  config.require_flag("static_position_embeddings", true, "positions are sinusoids");
  const std::int64_t positions = config.size("max_position_embeddings");
  blueprint.positions = positions + kFirstRow;
  blueprint.notes = {
      fmt::format("{}'s sinusoids are written out as a table of {} positions", name, positions)};
  finish(blueprint);
  return blueprint;
}

}  // namespace

Blueprint bart_blueprint(HfConfig& config) {
  const bool mbart = config.model_type() == "mbart";
  Blueprint blueprint = seq2seq_blueprint(config, mbart ? "mBART" : "BART");
  EncoderConfig& encoder = blueprint.encoder;
  encoder.norm = mbart ? NormPlace::pre : NormPlace::post;
  encoder.position = Position::learned;
  encoder.embedding_norm = true;
  config.require_flag("normalize_before", mbart, "layer norms stand where the model type has them");
  config.require_flag("add_final_layer_norm", mbart, "as the model type has it");
  config.require_flag("normalize_embedding", true, "embeddings are normalised");
  config.require_flag("static_position_embeddings", false, "positions are learned");
  const std::int64_t positions = config.size("max_position_embeddings");
  blueprint.positions = positions + kFirstRow;
  finish(blueprint);
  return blueprint;
}

Blueprint marian_blueprint(HfConfig& config) {
  return table_of_sinusoids(config, "Marian", NormPlace::post);
}

Blueprint pegasus_blueprint(HfConfig& config) {
  return table_of_sinusoids(config, "Pegasus", NormPlace::pre);
}

Blueprint m2m_100_blueprint(HfConfig& config) {
  Blueprint blueprint = seq2seq_blueprint(config, "M2M100");
  EncoderConfig& encoder = blueprint.encoder;
  encoder.activation = config.activation("activation_function", "relu");
  encoder.embed_scale = config.flag("scale_embedding", true);
  encoder.norm = NormPlace::pre;
  encoder.position = Position::sinusoidal;
  // The row of the first token follows that of padding.
  encoder.first_position = blueprint.pad_id.value_or(1) + 1;
  config.harmless({"max_position_embeddings"});  // sinusoids go on
  if (encoder.d_model % 2 != 0 || encoder.d_model < 4) {
    config.refuse("d_model", "sinusoids need an even number, at least 4");
  }
  finish(blueprint);
  return blueprint;
}

}  // namespace mog::model
