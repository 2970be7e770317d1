// Readers from left to right before and beside Llama: GPT-2 and its successors, OPT, BLOOM, MPT, Falcon.
// Learned positions, rotary ones in part of a head, or scores that fall with the distance (ALiBi); queries,
// keys and values in one map whose rows each family has in its own order.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "io/recording/errors.h"
#include "model/foreign/causal_stack.h"

namespace mog::model {
namespace {

using Json = nlohmann::ordered_json;

// The first of these keys that is given; the last of them where none is, so that its absence is told.
const char* key_of(HfConfig& config, std::initializer_list<const char*> keys) {
  for (const char* const key : keys) {
    if (config.given(key)) {
      config.harmless(keys);
      return key;
    }
  }
  return *(keys.end() - 1);
}

// layers, d_model and heads under any of their names; ffn_dim = 4 d_model unless `inner` says it.
EncoderConfig gpt_stack(HfConfig& config, const char* inner) {
  EncoderConfig encoder;
  encoder.kind = EncoderKind::transformer;
  encoder.mask = Mask::causal;
  encoder.layers = config.layers(key_of(config, {"n_layer", "num_layers", "n_layers", "num_hidden_layers"}));
  encoder.d_model = config.size(key_of(config, {"n_embd", "n_embed", "d_model", "hidden_size"}));
  encoder.heads = config.size(key_of(config, {"n_head", "num_heads", "n_heads", "num_attention_heads"}));
  encoder.ffn_dim = config.size(inner, 4 * encoder.d_model);
  encoder.attention_dim = encoder.d_model;
  if (encoder.d_model % encoder.heads != 0) {
    throw ModelError(fmt::format("{}: {} heads do not divide the width {}", config.file(), encoder.heads,
                                 encoder.d_model));
  }
  encoder.norm = NormPlace::pre;
  encoder.position = Position::none;
  encoder.embed_scale = false;
  config.harmless({"n_ctx", "embd_pdrop", "resid_pdrop", "attn_pdrop", "hidden_dropout", "embed_dropout",
                   "resid_dropout", "is_decoder", "summary_activation", "summary_first_dropout",
                   "summary_proj_to_labels"});
  config.require_flag("add_cross_attention", false, "it stands alone");
  config.require_flag("is_encoder_decoder", false, "it stands alone");
  check_is_causal(config, encoder.mask);
  return encoder;
}

StackNames gpt_names() {
  StackNames names;
  names.own = "h.";
  names.embeddings = "wte";
  names.layer = "h.{}.";
  names.attention_norm = "ln_1";
  names.ffn_norm = "ln_2";
  names.final_norm = "ln_f";
  names.up = "mlp.c_fc";
  names.down = "mlp.c_proj";
  return names;
}

const std::vector<std::string> kPrefixes = {"transformer.", ""};

// Slopes of ALiBi in BLOOM: powers of 2^(-8 / n), and for other counts of heads those between.
std::vector<float> bloom_slopes(std::int64_t heads) {
  const auto power = [](std::int64_t n) { return std::pow(2.0, -8.0 / static_cast<double>(n)); };
  std::int64_t closest = 1;
  while (closest * 2 <= heads) {
    closest *= 2;
  }
  std::vector<float> slopes;
  for (std::int64_t i = 1; i <= closest; ++i) {
    slopes.push_back(static_cast<float>(std::pow(power(closest), static_cast<double>(i))));
  }
  for (std::int64_t i = 1; static_cast<std::int64_t>(slopes.size()) < heads; i += 2) {
    slopes.push_back(static_cast<float>(std::pow(power(2 * closest), static_cast<double>(i))));
  }
  return slopes;
}

std::vector<float> mpt_slopes(std::int64_t heads, double greatest) {
  std::int64_t above = 1;
  while (above < heads) {
    above *= 2;
  }
  std::vector<float> all;
  for (std::int64_t i = 1; i <= above; ++i) {
    all.push_back(
        static_cast<float>(std::pow(2.0, -static_cast<double>(i) * greatest / static_cast<double>(above))));
  }
  if (above == heads) {
    return all;
  }
  std::vector<float> slopes;
  for (const std::size_t first : {std::size_t{1}, std::size_t{0}}) {
    for (std::size_t i = first; i < all.size() && static_cast<std::int64_t>(slopes.size()) < heads; i += 2) {
      slopes.push_back(all[i]);
    }
  }
  return slopes;
}

// Falcon adds slope · place in bfloat16 to the scores before these are divided by √(width of a head). A power
// of two divides what is rounded as it divides the slopes.
std::vector<float> falcon_slopes(HfConfig& config, const EncoderConfig& encoder) {
  const std::int64_t width = encoder.d_model / encoder.heads;
  const auto root = static_cast<std::int64_t>(std::lround(std::sqrt(static_cast<double>(width))));
  if (root * root != width || !std::has_single_bit(static_cast<std::uint64_t>(root))) {
    config.refuse("alibi", fmt::format("with it heads are 4, 16, 64 or 256 wide, not {}, so that rounding to "
                                       "bfloat16 and dividing by the root of the width may change places",
                                       width));
  }
  std::vector<float> slopes = bloom_slopes(encoder.heads);
  for (float& slope : slopes) {
    slope = to_float(to_bfloat16(slope)) / static_cast<float>(root);
  }
  return slopes;
}

}  // namespace

void plan_slopes(TensorPlan& plan, const std::vector<float>& slopes) {
  plan.made("encoder.alibi.slopes", [slopes] {
    HostTensor tensor(DType::float32, {static_cast<std::int64_t>(slopes.size())});
    std::copy(slopes.begin(), slopes.end(), tensor.mutable_values<float>().begin());
    return tensor;
  });
}

std::vector<float> alibi_slopes(std::int64_t heads) {
  return bloom_slopes(heads);
}

Blueprint gpt2_blueprint(HfConfig& config) {
  const bool code = config.model_type() == "gpt_bigcode";
  EncoderConfig encoder = gpt_stack(config, "n_inner");
  encoder.position = Position::learned;
  encoder.layer_norm_eps = config.epsilon("layer_norm_epsilon", 1e-5);
  encoder.activation = config.activation("activation_function", code ? "gelu_pytorch_tanh" : "gelu_new");
  encoder.attention_scale = config.flag("scale_attn_weights", true);
  config.require_flag("scale_attn_by_inverse_layer_idx", false, "scores do not depend on the layer");
  config.harmless({"reorder_and_upcast_attn", "attention_softmax_in_fp32", "scale_attention_softmax_in_fp32",
                   "runner_max_sequence_length", "inference_runner", "pad_key_length",
                   "pre_allocate_kv_cache", "validate_runner_input", "max_batch_size",
                   "max_sequence_length"});
  StackNames names = gpt_names();
  names.transposed = !code && !config.is_gguf();
  names.positions = "wpe";
  names.fused = "attn.c_attn";
  names.out = "attn.c_proj";
  if (code && config.flag("multi_query", true)) {
    encoder.kv_heads = encoder.heads > 1 ? 1 : 0;
  } else if (code) {
    names.fused_rows = FusedRows::by_head;
  }
  config.harmless({"num_key_value_heads"});
  return causal_blueprint(config, encoder, names, {.what = "GPT-2", .tied = true, .prefixes = kPrefixes}, {},
                          config.size("n_positions", 1024));
}

// Scores are not divided, and every other layer sees the last 256 tokens alone.
Blueprint gpt_neo_blueprint(HfConfig& config) {
  EncoderConfig encoder = gpt_stack(config, "intermediate_size");
  encoder.position = Position::learned;
  encoder.layer_norm_eps = config.epsilon("layer_norm_epsilon", 1e-5);
  encoder.activation = config.activation("activation_function", "gelu_new");
  encoder.attention_scale = false;
  const std::int64_t window = config.size("window_size", 256);
  std::vector<std::string> kinds = config.texts("attention_layers", encoder.layers);
  config.harmless({"attention_types"});
  if (kinds.empty()) {
    const Json* const types = config.value("attention_types");
    for (const Json& entry : types != nullptr && types->is_array() ? *types : Json::array()) {
      const bool sound =
          entry.is_array() && entry.size() == 2 && entry[0].is_array() && entry[1].is_number_integer();
      for (std::int64_t i = 0; sound && i < std::min(entry[1].get<std::int64_t>(), encoder.layers); ++i) {
        for (const Json& kind : entry[0]) {
          kinds.push_back(kind.is_string() ? kind.get<std::string>() : "");
        }
      }
    }
  }
  if (static_cast<std::int64_t>(kinds.size()) != encoder.layers) {
    config.refuse("attention_types", fmt::format("global or local for each of {} layers is", encoder.layers));
  }
  for (const std::string& kind : kinds) {
    if (kind != "global" && kind != "local") {
      config.refuse("attention_types", "global and local are");
    }
    encoder.windows.push_back(kind == "local" ? window - 1 : 0);
  }
  StackNames names = gpt_names();
  names.positions = "wpe";
  names.query = "attn.attention.q_proj";
  names.key = "attn.attention.k_proj";
  names.value = "attn.attention.v_proj";
  names.out = "attn.attention.out_proj";
  return causal_blueprint(config, encoder, names, {.what = "GPT-Neo", .tied = true, .prefixes = kPrefixes},
                          {}, config.size("max_position_embeddings", 2048));
}

Blueprint gpt_neox_blueprint(HfConfig& config) {
  EncoderConfig encoder = gpt_stack(config, "intermediate_size");
  encoder.layer_norm_eps = config.epsilon("layer_norm_eps", 1e-5);
  encoder.activation = config.activation("hidden_act", "gelu");
  encoder.parallel = config.flag("use_parallel_residual", true);
  config.flag("attention_bias", true);
  StackNames names;
  names.embeddings = "embed_in";
  names.fused = "attention.query_key_value";
  names.fused_rows = FusedRows::by_head;
  names.out = "attention.dense";
  names.up = "mlp.dense_h_to_4h";
  names.down = "mlp.dense_4h_to_h";
  names.final_norm = "final_layer_norm";
  const auto frequencies = read_rotary_positions(config, encoder, {.part = 0.25}, RotaryPairs::halves);
  return causal_blueprint(config, encoder, names, {.what = "GPT-NeoX", .prefixes = {"gpt_neox.", ""}},
                          [frequencies](TensorPlan& plan) { plan_rotary(plan, frequencies); });
}

Blueprint gptj_blueprint(HfConfig& config) {
  EncoderConfig encoder = gpt_stack(config, "n_inner");
  encoder.layer_norm_eps = config.epsilon("layer_norm_epsilon", 1e-5);
  encoder.activation = config.activation("activation_function", "gelu_new");
  encoder.parallel = true;
  config.harmless({"rotary", "n_positions"});
  config.require_flag("scale_attn_weights", true, "scores are divided by the root of the width of a head");
  const std::int64_t dims = config.size("rotary_dim", encoder.head_width());
  StackNames names = gpt_names();
  names.ffn_norm = "ln_1";
  names.query = "attn.q_proj";
  names.key = "attn.k_proj";
  names.value = "attn.v_proj";
  names.out = "attn.out_proj";
  names.up = "mlp.fc_in";
  names.down = "mlp.fc_out";
  const auto frequencies = read_rotary_positions(
      config, encoder,
      {.part = static_cast<double>(dims) / static_cast<double>(encoder.head_width()), .any_part = true},
      RotaryPairs::neighbours);
  return causal_blueprint(config, encoder, names, {.what = "GPT-J", .prefixes = kPrefixes},
                          [frequencies](TensorPlan& plan) { plan_rotary(plan, frequencies); });
}

// Embeddings may be narrower than the layers; a map leads in, which is written out since positions come
// behind it, and one out again before the vocabulary.
Blueprint opt_blueprint(HfConfig& config) {
  EncoderConfig encoder = gpt_stack(config, "ffn_dim");
  encoder.position = Position::learned;
  encoder.layer_norm_eps = 1e-5;
  encoder.activation = config.activation("activation_function", "relu");
  encoder.projection_bias = config.flag("enable_bias", true);
  const bool before = config.flag("do_layer_norm_before", true);
  encoder.norm = before ? NormPlace::pre : NormPlace::post;
  if (before && config.flag("_remove_final_layer_norm", false)) {
    encoder.final_norm = false;
  }
  config.harmless({"intermediate_size", "prefix", "fsdp_min_num_params", "hidden_size"});
  const std::int64_t width = config.size("word_embed_proj_dim", encoder.d_model);
  const std::int64_t narrow = width == encoder.d_model ? 0 : width;
  StackNames names;
  names.own = "decoder.";
  names.embeddings = "decoder.embed_tokens";
  names.positions = "decoder.embed_positions";
  names.first_position = 2;
  names.embedding_map = "decoder.project_in";
  names.embedding_width = narrow;
  names.layer = "decoder.layers.{}.";
  names.out = "self_attn.out_proj";
  names.attention_norm = "self_attn_layer_norm";
  names.ffn_norm = "final_layer_norm";
  names.up = "fc1";
  names.down = "fc2";
  names.final_norm = "decoder.final_layer_norm";
  names.plain_norms = !config.flag("layer_norm_elementwise_affine", true);
  const std::int64_t positions = config.size("max_position_embeddings", 2048) + 2;
  Blueprint blueprint = causal_blueprint(
      config, encoder, names, {.what = "OPT", .tied = true},
      [narrow, d = encoder.d_model](TensorPlan& plan) {
        if (narrow > 0) {
          plan.tensor("language_model.projection.weight", {"decoder.project_out.weight"}, {narrow, d});
        }
      },
      positions);
  LanguageModelConfig& head = *blueprint.language_model;
  head.width = narrow;
  if (narrow > 0 && head.share_embedding) {  // the table is no longer that of the file
    head.share_embedding = false;
    blueprint.plan = [plan_all = blueprint.plan, narrow, rows = blueprint.vocabulary](TensorPlan& plan) {
      plan_all(plan);
      if (!plan.has("/lm_head.weight")) {
        plan.tensor("language_model.weight", {"decoder.embed_tokens.weight"}, {rows, narrow});
      }
    };
    blueprint.own_head = true;
  }
  return blueprint;
}

Blueprint bloom_blueprint(HfConfig& config) {
  EncoderConfig encoder = gpt_stack(config, "n_inner");
  encoder.position = Position::alibi;
  encoder.embedding_norm = true;
  encoder.layer_norm_eps = config.epsilon("layer_norm_epsilon", 1e-5);
  encoder.activation = Activation::gelu_tanh;
  config.require_flag("apply_residual_connection_post_layernorm", false, "what is carried on is not normed");
  config.harmless({"pretraining_tp", "slow_but_exact", "masked_softmax_fusion", "bias_dropout_fusion",
                   "offset_alibi", "seq_length", "skip_bias_add", "skip_bias_add_qkv", "unk_token_id",
                   "attention_softmax_in_fp32", "num_attention_heads", "hidden_size", "n_embed"});
  StackNames names = gpt_names();
  names.embeddings = "word_embeddings";
  names.embedding_norm = "word_embeddings_layernorm";
  names.attention_norm = "input_layernorm";
  names.ffn_norm = "post_attention_layernorm";
  names.fused = "self_attention.query_key_value";
  names.fused_rows = FusedRows::by_head;
  names.out = "self_attention.dense";
  names.up = "mlp.dense_h_to_4h";
  names.down = "mlp.dense_4h_to_h";
  const std::vector<float> slopes = bloom_slopes(encoder.heads);
  return causal_blueprint(config, encoder, names, {.what = "BLOOM", .tied = true, .prefixes = kPrefixes},
                          [slopes](TensorPlan& plan) { plan_slopes(plan, slopes); });
}

Blueprint mpt_blueprint(HfConfig& config) {
  EncoderConfig encoder = gpt_stack(config, "n_inner");
  encoder.ffn_dim = config.size("expansion_ratio", 4) * encoder.d_model;
  encoder.position = Position::alibi;
  encoder.layer_norm_eps = config.epsilon("layer_norm_epsilon", 1e-5);
  encoder.activation = Activation::gelu;
  encoder.projection_bias = false;
  config.require_flag("no_bias", true, "maps and norms have no biases");
  config.require_flag("use_norm_bias", false, "norms have no biases");
  if (config.given("logit_scale")) {
    config.refuse("logit_scale", "logits are not scaled");
  }
  config.harmless({"max_seq_len", "learned_pos_emb", "norm_type", "emb_pdrop", "embedding_fraction",
                   "init_device", "init_config", "verbose", "attn_config", "tokenizer_name", "ffn_config",
                   "fc_type"});
  double greatest = 8.0;
  if (const Json* const attention = config.value("attn_config");
      attention != nullptr && attention->is_object()) {
    const auto refuse = [&](const char* why) { config.refuse("attn_config", why); };
    const auto off = [&](const char* key) {
      return !attention->contains(key) || (*attention)[key].is_null() || (*attention)[key] == false;
    };
    if (attention->contains("alibi") && (*attention)["alibi"] == false) {
      refuse("positions are those of alibi");
    }
    if (!off("clip_qkv") || !off("qk_ln") || !off("prefix_lm")) {
      refuse("clip_qkv, qk_ln and prefix_lm are off");
    }
    const auto number = [&](const char* key, double otherwise) {
      constexpr double kMost = 1e6;
      const auto found = attention->find(key);
      if (found == attention->end() || found->is_null()) {
        return otherwise;
      }
      const double value = found->is_number() ? found->get<double>() : 0.0;
      if (!(value > 0.0 && value <= kMost)) {
        config.refuse("attn_config", fmt::format("{} is a number above 0, at most {}", key, kMost));
      }
      return value;
    };
    greatest = number("alibi_bias_max", greatest);
    encoder.score_scale = number("softmax_scale", 0.0);
  }
  StackNames names;
  names.own = "blocks.";
  names.embeddings = "wte";
  names.layer = "blocks.{}.";
  names.attention_norm = "norm_1";
  names.ffn_norm = "norm_2";
  names.fused = "attn.Wqkv";
  names.out = "attn.out_proj";
  names.up = "ffn.up_proj";
  names.down = "ffn.down_proj";
  names.final_norm = "norm_f";
  const std::vector<float> slopes = mpt_slopes(encoder.heads, greatest);
  return causal_blueprint(config, encoder, names, {.what = "MPT", .tied = true, .prefixes = kPrefixes},
                          [slopes](TensorPlan& plan) { plan_slopes(plan, slopes); });
}

Blueprint falcon_blueprint(HfConfig& config) {
  EncoderConfig encoder = gpt_stack(config, "ffn_hidden_size");
  encoder.layer_norm_eps = config.epsilon("layer_norm_epsilon", 1e-5);
  encoder.activation = config.activation("activation", "gelu");
  encoder.projection_bias = config.flag("bias", false);
  if (config.given("ff_factor") && config.size("ff_factor", 4) * encoder.d_model != encoder.ffn_dim) {
    config.refuse("ff_factor", fmt::format("the feed-forward block is {} wide", encoder.ffn_dim));
  }
  const bool alibi = config.flag("alibi", false);
  config.require_flag("apply_residual_connection_post_layernorm", false, "what is carried on is not normed");
  const bool newer = config.flag("new_decoder_architecture", false);
  const bool single = config.flag("multi_query", true);
  const std::int64_t groups = config.size(key_of(config, {"n_head_kv", "num_kv_heads"}), encoder.heads);
  const std::int64_t used = newer ? groups : single ? 1 : encoder.heads;
  if (encoder.heads % used != 0) {
    config.refuse("num_kv_heads", "a divisor of the heads is");
  }
  encoder.kv_heads = used == encoder.heads ? 0 : used;
  const bool parallel = config.flag("parallel_attn", true);
  encoder.parallel = newer || parallel;
  config.harmless(
      {"parallel_attn", "intermediate_size", "num_ln_in_parallel_attn", "n_head_kv", "num_kv_heads"});
  StackNames names = gpt_names();
  names.embeddings = "word_embeddings";
  const bool two = newer && config.count("num_ln_in_parallel_attn", 2) == 2;
  names.attention_norm = two ? "ln_attn" : "input_layernorm";
  names.ffn_norm = two ? "ln_mlp" : encoder.parallel ? "input_layernorm" : "post_attention_layernorm";
  names.fused = "self_attention.query_key_value";
  names.fused_rows = newer || single ? FusedRows::by_group : FusedRows::by_head;
  names.out = "self_attention.dense";
  names.up = "mlp.dense_h_to_4h";
  names.down = "mlp.dense_4h_to_h";
  const CausalModel model{.what = "Falcon", .tied = true, .prefixes = kPrefixes};
  if (alibi) {
    config.harmless({"max_position_embeddings", "rope_theta", "rope_parameters", "rope_scaling"});
    encoder.position = Position::alibi;
    encoder.rounded_alibi = true;
    const std::vector<float> slopes = falcon_slopes(config, encoder);
    return causal_blueprint(config, encoder, names, model,
                            [slopes](TensorPlan& plan) { plan_slopes(plan, slopes); });
  }
  const auto frequencies = read_rotary_positions(config, encoder, {}, RotaryPairs::halves);
  return causal_blueprint(config, encoder, names, model,
                          [frequencies](TensorPlan& plan) { plan_rotary(plan, frequencies); });
}

}  // namespace mog::model
