// T5 (1.0 and 1.1) and mT5: pre-norm with rms norms, no biases, unscaled attention, one table of relative
// positions for all layers of a stack. In a decoder it belongs to the self-attention, the attention to the
// source has none.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/recording/errors.h"
#include "model/foreign/blueprint.h"

namespace mog::model {
namespace {

void plan_attention(TensorPlan& plan, const std::string& ours, const std::string& theirs, std::int64_t a,
                    std::int64_t d) {
  for (const char which : {'q', 'k', 'v'}) {
    plan.linear(fmt::format("{}.{}_proj", ours, which), fmt::format("{}.{}", theirs, which), a, d, false);
  }
  plan.linear(ours + ".out_proj", theirs + ".o", d, a, false);
}

template <class Config>
void plan_feed_forward(TensorPlan& plan, const Config& config, const std::string& ours,
                       const std::string& block) {
  const std::int64_t d = config.d_model;
  plan.linear(ours + "fc1", block + (config.gated_ffn ? "DenseReluDense.wi_0" : "DenseReluDense.wi"),
              config.ffn_dim, d, false);
  if (config.gated_ffn) {
    plan.linear(ours + "fc1_linear", block + "DenseReluDense.wi_1", config.ffn_dim, d, false);
  }
  plan.linear(ours + "fc2", block + "DenseReluDense.wo", d, config.ffn_dim, false);
  plan.norm(ours + "ffn_layer_norm", {block + "layer_norm"}, d, false);
}

// `stack`: "encoder" or "decoder".
template <class Config>
void plan_tables(TensorPlan& plan, const Config& config, const std::string& stack, std::int64_t vocabulary) {
  plan.own(stack + ".");
  plan.tensor(stack + ".embed_tokens.weight", embedding_names(stack, /*shared=*/true),
              {vocabulary, config.d_model});
  plan.tensor(stack + ".relative_bias.weight",
              {stack + ".block.0.layer.0.SelfAttention.relative_attention_bias.weight"},
              {config.relative_buckets, config.heads});
  plan.norm(stack + ".layer_norm", {stack + ".final_layer_norm"}, config.d_model, false);
}

void plan_encoder(TensorPlan& plan, const EncoderConfig& encoder, std::int64_t vocabulary) {
  const std::int64_t d = encoder.d_model;
  plan_tables(plan, encoder, "encoder", vocabulary);
  plan.ignore("shared.weight");
  for (std::int64_t layer = 0; layer < encoder.layers; ++layer) {
    const std::string ours = fmt::format("encoder.layers.{}.", layer);
    const std::string theirs = fmt::format("encoder.block.{}.layer.", layer);
    plan_attention(plan, ours + "self_attn", theirs + "0.SelfAttention", encoder.attention_dim, d);
    plan.norm(ours + "attn_layer_norm", {theirs + "0.layer_norm"}, d, false);
    plan_feed_forward(plan, encoder, ours, theirs + "1.");
  }
}

// `scaled`: T5 1.0 divides the last states by the root of their width before they meet the vocabulary; the
// map has that in it here.
void plan_decoder(TensorPlan& plan, const DecoderConfig& decoder, std::int64_t vocabulary, bool tied,
                  bool scaled) {
  const std::int64_t d = decoder.d_model;
  const std::int64_t a = decoder.attention_dim();
  plan_tables(plan, decoder, "decoder", vocabulary);
  // Saved by old versions and read by none.
  plan.ignore("decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight");
  for (std::int64_t layer = 0; layer < decoder.layers; ++layer) {
    const std::string ours = fmt::format("decoder.layers.{}.", layer);
    const std::string theirs = fmt::format("decoder.block.{}.layer.", layer);
    plan_attention(plan, ours + "self_attn", theirs + "0.SelfAttention", a, d);
    plan_attention(plan, ours + "cross_attn", theirs + "1.EncDecAttention", a, d);
    plan.norm(ours + "self_attn_layer_norm", {theirs + "0.layer_norm"}, d, false);
    plan.norm(ours + "cross_attn_layer_norm", {theirs + "1.layer_norm"}, d, false);
    plan_feed_forward(plan, decoder, ours, theirs + "2.");
  }
  std::vector<std::string> names =
      tied ? embedding_names("decoder", /*shared=*/true) : std::vector<std::string>();
  names.insert(names.begin(), "/lm_head.weight");
  const double factor = scaled ? 1.0 / std::sqrt(static_cast<double>(d)) : 1.0;
  plan.tensor("decoder.output_projection.weight", names, {vocabulary, d}, [factor](const HostTensor& rows) {
    HostTensor times(DType::float32, rows.shape());  // `rows` may be the embeddings' own memory
    const auto from = rows.values<float>();
    std::transform(from.begin(), from.end(), times.mutable_values<float>().begin(),
                   [factor](float value) { return static_cast<float>(value * factor); });
    return times;
  });
}

// "relu", "gated-gelu": transformers takes the tanh form for gated-gelu.
void read_activation(HfConfig& config, EncoderConfig& encoder) {
  const bool mt5 = config.model_type() == "mt5";
  const std::string form = config.text("feed_forward_proj", mt5 ? "gated-gelu" : "relu");
  encoder.gated_ffn = form.starts_with("gated-");
  std::string name = encoder.gated_ffn ? form.substr(6) : form;
  if (form == "gated-gelu") {
    name = "gelu_new";
  }
  encoder.activation = config.activation_named("feed_forward_proj", name);
  if (config.flag("is_gated_act", encoder.gated_ffn) != encoder.gated_ffn) {
    config.refuse("is_gated_act", fmt::format("feed_forward_proj is {}", form));
  }
  if (config.activation("dense_act_fn", name.c_str()) != encoder.activation) {
    config.refuse("dense_act_fn", fmt::format("feed_forward_proj is {}", form));
  }
}

// A decoder differs from its encoder in its layers alone.
void read_target(HfConfig& config, Blueprint& blueprint) {
  const EncoderConfig& encoder = blueprint.encoder;
  TargetBlueprint target;
  DecoderConfig& decoder = target.decoder;
  decoder.layers = config.given("num_decoder_layers") ? config.layers("num_decoder_layers") : encoder.layers;
  decoder.d_model = encoder.d_model;
  decoder.heads = encoder.heads;
  decoder.head_dim = encoder.head_dim;
  decoder.ffn_dim = encoder.ffn_dim;
  decoder.activation = encoder.activation;
  decoder.layer_norm_eps = encoder.layer_norm_eps;
  decoder.norm = encoder.norm;
  decoder.norm_kind = encoder.norm_kind;
  decoder.position = encoder.position;
  decoder.relative_buckets = encoder.relative_buckets;
  decoder.relative_distance = encoder.relative_distance;
  decoder.embed_scale = false;
  decoder.attention_scale = false;
  decoder.projection_bias = false;
  decoder.gated_ffn = encoder.gated_ffn;
  target.vocabulary = blueprint.vocabulary;
  if (decoder.relative_distance <= decoder.relative_buckets / 2) {
    config.refuse(
        "relative_attention_max_distance",
        fmt::format("more than half of relative_attention_num_buckets = {} is", decoder.relative_buckets));
  }
  // Newer files say it themselves; in older ones 1.1 is known by its map of its own. mT5 is as 1.1.
  const bool tied = config.flag("tie_word_embeddings", true);
  const bool scaled = config.flag("scale_decoder_outputs", tied) && config.model_type() != "mt5";
  target.plan = [decoder, vocabulary = target.vocabulary, tied, scaled](TensorPlan& plan) {
    plan_decoder(plan, decoder, vocabulary, tied, scaled);
  };
  blueprint.target = std::move(target);
}

}  // namespace

Blueprint t5_blueprint(HfConfig& config) {
  Blueprint blueprint;
  EncoderConfig& encoder = blueprint.encoder;
  encoder.kind = EncoderKind::transformer;
  encoder.layers = config.layers("num_layers");
  encoder.d_model = config.size("d_model");
  encoder.heads = config.size("num_heads");
  encoder.head_dim = config.size("d_kv", 64);
  encoder.attention_dim = encoder.heads * encoder.head_dim;
  encoder.ffn_dim = config.size("d_ff");
  encoder.layer_norm_eps = config.epsilon("layer_norm_epsilon", 1e-6);
  encoder.norm = NormPlace::pre;
  encoder.norm_kind = NormKind::rms;
  encoder.position = Position::relative;
  encoder.relative_buckets = config.size("relative_attention_num_buckets", 32);
  encoder.relative_distance = config.size("relative_attention_max_distance", 128);
  encoder.embed_scale = false;
  encoder.attention_scale = false;
  encoder.projection_bias = false;
  read_activation(config, encoder);
  if (encoder.relative_buckets % 4 != 0 || encoder.relative_distance <= encoder.relative_buckets / 4) {
    config.refuse(
        "relative_attention_num_buckets",
        fmt::format("a multiple of 4 and less than four times relative_attention_max_distance = {} is",
                    encoder.relative_distance));
  }
  config.require_flag("is_decoder", false, "an encoder comes first");
  config.harmless({"n_positions", "output_past", "max_new_tokens"});
  blueprint.pad_id = config.id("pad_token_id");
  blueprint.vocabulary = config.vocabulary("vocab_size");
  blueprint.prefixes = {"", "transformer."};
  blueprint.anchors = {"encoder.block.0.layer.0.SelfAttention.q.weight"};
  if (has_decoder(config)) {
    read_target(config, blueprint);
  }
  blueprint.what = name_of("T5", blueprint);
  blueprint.plan = [config = encoder, vocabulary = blueprint.vocabulary](TensorPlan& plan) {
    plan_encoder(plan, config, vocabulary);
  };
  return blueprint;
}

}  // namespace mog::model
