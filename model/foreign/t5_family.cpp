// The encoder of T5 (1.0 and 1.1) and mT5: pre-norm with rms norms, no biases, unscaled attention, one table
// of relative positions for all layers.
#include <fmt/format.h>

#include "io/recording/errors.h"
#include "model/foreign/blueprint.h"

namespace mog::model {
namespace {

void plan_t5(TensorPlan& plan, const EncoderConfig& encoder, std::int64_t vocabulary) {
  const std::int64_t d = encoder.d_model;
  const std::int64_t a = encoder.attention_dim;
  plan.own("encoder.");
  plan.tensor("encoder.embed_tokens.weight", {"encoder.embed_tokens.weight", "shared.weight"},
              {vocabulary, d});
  plan.ignore("shared.weight");
  plan.tensor("encoder.relative_bias.weight",
              {"encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"},
              {encoder.relative_buckets, encoder.heads});
  for (std::int64_t layer = 0; layer < encoder.layers; ++layer) {
    const std::string ours = fmt::format("encoder.layers.{}.", layer);
    const std::string attention = fmt::format("encoder.block.{}.layer.0.", layer);
    const std::string block = fmt::format("encoder.block.{}.layer.1.", layer);
    for (const char which : {'q', 'k', 'v'}) {
      plan.linear(fmt::format("{}self_attn.{}_proj", ours, which),
                  fmt::format("{}SelfAttention.{}", attention, which), a, d, false);
    }
    plan.linear(ours + "self_attn.out_proj", attention + "SelfAttention.o", d, a, false);
    plan.norm(ours + "attn_layer_norm", {attention + "layer_norm"}, d, false);
    plan.linear(ours + "fc1", block + (encoder.gated_ffn ? "DenseReluDense.wi_0" : "DenseReluDense.wi"),
                encoder.ffn_dim, d, false);
    if (encoder.gated_ffn) {
      plan.linear(ours + "fc1_linear", block + "DenseReluDense.wi_1", encoder.ffn_dim, d, false);
    }
    plan.linear(ours + "fc2", block + "DenseReluDense.wo", d, encoder.ffn_dim, false);
    plan.norm(ours + "ffn_layer_norm", {block + "layer_norm"}, d, false);
  }
  plan.norm("encoder.layer_norm", {"encoder.final_layer_norm"}, d, false);
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
  config.require_flag("is_decoder", false, "only encoders are read");
  config.harmless({"n_positions", "num_decoder_layers", "output_past", "max_new_tokens"});
  blueprint.pad_id = config.id("pad_token_id");
  blueprint.vocabulary = config.vocabulary("vocab_size");
  blueprint.prefixes = {"", "transformer."};
  blueprint.anchors = {"encoder.block.0.layer.0.SelfAttention.q.weight"};
  blueprint.what = fmt::format("the encoder of T5 with {} layers", encoder.layers);
  blueprint.plan = [config = encoder, vocabulary = blueprint.vocabulary](TensorPlan& plan) {
    plan_t5(plan, config, vocabulary);
  };
  return blueprint;
}

}  // namespace mog::model
