// The encoders of BART, mBART and Marian. BART and mBART count learned positions from row 2, as we do;
// Marian's sinusoids count from 0 and have frequencies of their own.
#include <fmt/format.h>

#include <cmath>

#include "io/recording/errors.h"
#include "model/foreign/blueprint.h"

namespace mog::model {
namespace {

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
  config.require_flag("is_decoder", false, "only encoders are read");
  // Old spellings of the same sizes.
  for (const auto& [key, value] : {std::pair{"num_hidden_layers", encoder.layers},
                                   {"hidden_size", encoder.d_model},
                                   {"num_attention_heads", encoder.heads}}) {
    if (config.size(key, value) != value) {
      config.refuse(key, fmt::format("the encoder has {}", value));
    }
  }
  config.require_flag("extra_layer_norm", false, "no layer norm more than usual is known");
  config.harmless({"add_bias_logits", "force_bos_token_to_be_generated", "decoder_vocab_size",
                   "share_encoder_decoder_embeddings", "extra_pos_embeddings", "num_return_sequences"});
  blueprint.pad_id = config.id("pad_token_id");
  blueprint.vocabulary = config.vocabulary("vocab_size");
  blueprint.prefixes = {"model.", ""};
  blueprint.anchors = {"encoder.layers.0.fc1.weight"};
  blueprint.what = fmt::format("the encoder of {} with {} layers", name, encoder.layers);
  return blueprint;
}

void plan_layers(TensorPlan& plan, const EncoderConfig& encoder, std::int64_t vocabulary) {
  const std::int64_t d = encoder.d_model;
  plan.own("encoder.");
  plan.tensor("encoder.embed_tokens.weight", {"encoder.embed_tokens.weight", "shared.weight"},
              {vocabulary, d});
  plan.ignore("shared.weight");
  for (std::int64_t layer = 0; layer < encoder.layers; ++layer) {
    const std::string name = fmt::format("encoder.layers.{}.", layer);
    for (const char* const map : {"q_proj", "k_proj", "v_proj", "out_proj"}) {
      plan.linear(name + "self_attn." + map, name + "self_attn." + map, d, d);
    }
    plan.norm(name + "attn_layer_norm", {name + "self_attn_layer_norm"}, d);
    plan.linear(name + "fc1", name + "fc1", encoder.ffn_dim, d);
    plan.linear(name + "fc2", name + "fc2", d, encoder.ffn_dim);
    plan.norm(name + "ffn_layer_norm", {name + "final_layer_norm"}, d);
  }
}

// Row p: sin(p / 10000^(2k/d)) for k below d/2, then the cosines.
HostTensor marian_sinusoids(std::int64_t rows, std::int64_t d) {
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
  blueprint.plan = [=, config = encoder, vocabulary = blueprint.vocabulary](TensorPlan& plan) {
    plan_layers(plan, config, vocabulary);
    plan.tensor("encoder.embed_positions.weight", {"encoder.embed_positions.weight"},
                {positions + kFirstRow, config.d_model});
    plan.norm("encoder.embed_layer_norm", {"encoder.layernorm_embedding"}, config.d_model);
    if (mbart) {
      plan.norm("encoder.layer_norm", {"encoder.layer_norm"}, config.d_model);
    }
  };
  return blueprint;
}

Blueprint marian_blueprint(HfConfig& config) {
  Blueprint blueprint = seq2seq_blueprint(config, "Marian");
  EncoderConfig& encoder = blueprint.encoder;
  encoder.norm = NormPlace::post;
  encoder.position = Position::fixed;
  config.require_flag("normalize_before", false, "Marian is post-norm");
  config.require_flag("add_final_layer_norm", false, "Marian has no layer norm after the last layer");
  config.require_flag("normalize_embedding", false, "Marian does not normalise embeddings");
  config.require_flag("static_position_embeddings", true, "Marian's positions are sinusoids");
  const std::int64_t positions = config.size("max_position_embeddings");
  blueprint.positions = positions + kFirstRow;
  blueprint.notes = {fmt::format("Marian's sinusoids are written out as a table of {} positions", positions)};
  blueprint.plan = [=, config = encoder, vocabulary = blueprint.vocabulary](TensorPlan& plan) {
    plan_layers(plan, config, vocabulary);
    plan.ignore("encoder.embed_positions.weight");  // the same sinusoids, where a file has them
    plan.made("encoder.embed_positions.weight", [=] { return marian_sinusoids(positions, config.d_model); });
  };
  return blueprint;
}

}  // namespace mog::model
