// Readers from left to right of Llama's kin: rotary positions, norms before the blocks (or behind them, or
// both), gated feed-forward blocks, fewer heads of keys and values than of queries. What each family has of
// its own stands in its function; the rest is in causal_stack().
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "io/recording/errors.h"
#include "model/foreign/causal_stack.h"

namespace mog::model {
namespace {

// What most of them call heads, widths and norms.
EncoderConfig llama_like(HfConfig& config, NormKind norm, const char* epsilon, double otherwise) {
  EncoderConfig encoder = causal_stack(config);
  encoder.norm_kind = norm;
  encoder.layer_norm_eps = config.epsilon(epsilon, otherwise);
  encoder.gated_ffn = true;
  encoder.activation = config.activation("hidden_act", "silu");
  encoder.projection_bias = false;
  return encoder;
}

Blueprint rotary_model(HfConfig& config, EncoderConfig encoder, const RotaryDefaults& defaults,
                       const StackNames& names, const CausalModel& model,
                       RotaryPairs pairs = RotaryPairs::halves) {
  const std::vector<RotaryFrequencies> frequencies = read_rotary_positions(config, encoder, defaults, pairs);
  StackNames own = names;
  own.global_norm_factor = frequencies.front().norm_factor;
  return causal_blueprint(config, encoder, own, model,
                          [frequencies](TensorPlan& plan) { plan_rotary(plan, frequencies); });
}

}  // namespace

Blueprint llama_blueprint(HfConfig& config) {
  const std::string type = config.model_type();
  EncoderConfig encoder = llama_like(config, NormKind::rms, "rms_norm_eps", 1e-6);
  const bool attention = config.flag("attention_bias", type == "seed_oss");
  const bool out = config.flag("attention_out_bias", false);
  const bool blocks = config.flag("mlp_bias", false);
  encoder.projection_bias = attention || out || blocks;
  config.harmless(
      {"pretraining_tp", "is_llama_config", "residual_dropout", "rms_norm_eps", "max_sequence_length"});
  if (config.text("activation", "swiglu") != "swiglu") {  // Falcon 3 says it beside hidden_act
    config.refuse("activation", "swiglu is");
  }
  config.require_flag("rope_interleaved", false, "pairs of dimensions are half a head apart");
  if (type == "mistral" || type == "ministral") {
    set_windows(config, encoder, [](std::int64_t) { return true; }, {.width = 4096});
  } else if (type == "smollm3") {
    const std::int64_t interval = config.size("no_rope_layer_interval", 4);
    const std::vector<std::int64_t> turned = config.whole_numbers("no_rope_layers", encoder.layers);
    std::vector<std::int64_t> without;
    for (std::int64_t layer = 1; layer <= encoder.layers; ++layer) {
      const auto at = static_cast<std::size_t>(layer) - 1;
      if (turned.empty() ? layer % interval == 0 : turned[at] == 0) {
        without.push_back(layer);
      }
    }
    set_windows(config, encoder,
                [&](std::int64_t layer) {
                  return std::find(without.begin(), without.end(), layer + 1) != without.end();
                },
                {.used = false});
    Blueprint blueprint =
        rotary_model(config, encoder, {.base = 2000000.0}, {}, {.what = "SmolLM3", .tied = true});
    blueprint.encoder.rotary->without = without;
    return blueprint;
  }
  return rotary_model(config, encoder, {}, {}, {.what = "Llama"});
}

Blueprint qwen_blueprint(HfConfig& config) {
  const bool third = config.model_type() == "qwen3";
  EncoderConfig encoder = llama_like(config, NormKind::rms, "rms_norm_eps", 1e-6);
  encoder.projection_bias = third ? config.flag("attention_bias", false) : true;
  const std::int64_t first = config.count("max_window_layers", 28);
  set_windows(config, encoder, [&](std::int64_t layer) { return layer >= first; },
              {.width = 4096, .used = false});
  StackNames names;
  if (third) {
    encoder.query_key_norm = QueryKeyNorm::head;
    encoder.query_key_norm_kind = NormKind::rms;
    names.query_norm = "self_attn.q_norm";
    names.key_norm = "self_attn.k_norm";
  }
  return rotary_model(config, encoder, {}, names, {.what = third ? "Qwen 3" : "Qwen 2"});
}

// Norms store what is added to 1, embeddings are times the root of their width.
Blueprint gemma_blueprint(HfConfig& config) {
  const std::string type = config.model_type();
  EncoderConfig encoder = causal_stack(config);
  encoder.norm_kind = NormKind::rms;
  encoder.layer_norm_eps = config.epsilon("rms_norm_eps", 1e-6);
  encoder.gated_ffn = true;
  // Files of the first Gemma say "gelu" and mean its tanh form, which hidden_activation says.
  const std::string old = config.text("hidden_act", "gelu_pytorch_tanh");
  encoder.activation =
      config.activation("hidden_activation", old == "gelu" ? "gelu_pytorch_tanh" : old.c_str());
  encoder.embed_scale = true;
  encoder.projection_bias = config.flag("attention_bias", false);
  config.require_flag("use_bidirectional_attention", false, "a token sees itself and those before it");
  StackNames names;
  names.norms_from_one = !config.is_gguf();
  RotaryDefaults rotary;
  CausalModel model{.what = "Gemma", .tied = true};
  if (type != "gemma") {
    encoder.norm = NormPlace::sandwich;
    names.attention_output_norm = "post_attention_layernorm";
    names.ffn_norm = "pre_feedforward_layernorm";
    names.ffn_output_norm = "post_feedforward_layernorm";
    encoder.score_scale = 1.0 / std::sqrt(config.number("query_pre_attn_scalar", 256.0));
    // Null is none; Gemma 2 has caps where the file leaves them out.
    const auto cap = [&](const char* key, double usual) {
      return config.given(key) ? config.number(key) : config.value(key) != nullptr ? 0.0 : usual;
    };
    const bool second = type == "gemma2";
    encoder.score_cap = cap("attn_logit_softcapping", second ? 50.0 : 0.0);
    model.cap = cap("final_logit_softcapping", second ? 30.0 : 0.0);
    model.what = "Gemma 2";
    config.harmless({"attn_logit_softcapping", "final_logit_softcapping", "cache_implementation"});
  }
  if (type == "gemma2") {
    if (config.given("sliding_window_size") &&
        config.length("sliding_window_size", 4096) != config.length("sliding_window", 4096)) {
      config.refuse("sliding_window_size", "the same as sliding_window is");
    }
    set_windows(config, encoder, [](std::int64_t layer) { return layer % 2 == 0; }, {.width = 4096});
  } else if (type == "gemma3_text") {
    config.harmless({"_sliding_window_pattern"});
    const std::int64_t every = config.size("sliding_window_pattern", 6);
    set_windows(config, encoder, [every](std::int64_t layer) { return (layer + 1) % every != 0; },
                {.width = 4096});
    encoder.query_key_norm = QueryKeyNorm::head;
    encoder.query_key_norm_kind = NormKind::rms;
    names.query_norm = "self_attn.q_norm";
    names.key_norm = "self_attn.k_norm";
    rotary = {.base = 1000000.0, .local_base = 10000.0};
    model.what = "Gemma 3";
  }
  return rotary_model(config, encoder, rotary, names, model);
}

// One norm, which attention and the feed-forward block read side by side.
Blueprint phi_blueprint(HfConfig& config) {
  EncoderConfig encoder = causal_stack(config);
  encoder.layer_norm_eps = config.epsilon("layer_norm_eps", 1e-5);
  encoder.activation = config.activation("hidden_act", "gelu_new");
  encoder.parallel = true;
  StackNames names;
  names.out = "self_attn.dense";
  names.ffn_norm = "input_layernorm";
  names.up = "mlp.fc1";
  names.down = "mlp.fc2";
  names.final_norm = "final_layernorm";
  if (config.flag("qk_layernorm", false)) {
    encoder.query_key_norm = QueryKeyNorm::head;
    names.query_norm = "self_attn.q_layernorm";
    names.key_norm = "self_attn.k_layernorm";
  }
  return rotary_model(config, encoder, {.part = 0.5}, names, {.what = "Phi"});
}

Blueprint phi3_blueprint(HfConfig& config) {
  EncoderConfig encoder = llama_like(config, NormKind::rms, "rms_norm_eps", 1e-5);
  set_windows(config, encoder, [](std::int64_t) { return true; });
  for (const char* const key : {"interpolate_factor", "full_attn_mod"}) {
    if (config.size(key, 1) != 1) {
      config.refuse(key, "1 is");
    }
  }
  StackNames names;
  names.fused = "self_attn.qkv_proj";
  names.fused_up = "mlp.gate_up_proj";
  return rotary_model(config, encoder, {.any_part = true}, names, {.what = "Phi 3"});
}

Blueprint olmo_blueprint(HfConfig& config) {
  const std::string type = config.model_type();
  const bool first = type == "olmo";
  EncoderConfig encoder = first ? llama_like(config, NormKind::layer, "layer_norm_eps", 1e-5)
                                : llama_like(config, NormKind::rms, "rms_norm_eps", 1e-5);
  encoder.projection_bias = config.flag("attention_bias", false);
  if (config.given("clip_qkv")) {
    config.refuse("clip_qkv", "queries, keys and values are not clipped");
  }
  StackNames names;
  names.plain_norms = first;
  if (!first) {
    encoder.norm = NormPlace::output;
    encoder.query_key_norm = QueryKeyNorm::row;
    encoder.query_key_norm_kind = NormKind::rms;
    names.attention_output_norm = "post_attention_layernorm";
    names.ffn_output_norm = "post_feedforward_layernorm";
    names.query_norm = "self_attn.q_norm";
    names.key_norm = "self_attn.k_norm";
  }
  if (type == "olmo3") {
    set_windows(config, encoder, [](std::int64_t layer) { return (layer + 1) % 4 != 0; }, {.width = 4096});
  }
  const bool third = type == "olmo3";
  return rotary_model(config, encoder, {.base = third ? 500000.0 : 10000.0, .scaling_is_global = third},
                      names, {.what = "OLMo"});
}

Blueprint stablelm_blueprint(HfConfig& config) {
  EncoderConfig encoder = llama_like(config, NormKind::layer, "layer_norm_eps", 1e-5);
  encoder.projection_bias = config.flag("use_qkv_bias", false);
  encoder.parallel = config.flag("use_parallel_residual", false);
  StackNames names;
  if (encoder.parallel) {
    names.ffn_norm = "input_layernorm";
  }
  if (config.flag("qk_layernorm", false)) {
    encoder.query_key_norm = QueryKeyNorm::head;
    names.query_norm = "self_attn.q_layernorm.norms.{}";
    names.key_norm = "self_attn.k_layernorm.norms.{}";
  }
  return rotary_model(config, encoder, {.part = 0.25}, names, {.what = "StableLM"});
}

Blueprint starcoder2_blueprint(HfConfig& config) {
  EncoderConfig encoder = causal_stack(config);
  encoder.layer_norm_eps = config.epsilon("norm_epsilon", 1e-5);
  encoder.activation = config.activation("hidden_act", "gelu_pytorch_tanh");
  encoder.projection_bias = config.flag("use_bias", true);
  config.harmless({"embedding_dropout", "residual_dropout", "mlp_type", "norm_type", "activation_function",
                   "attention_softmax_in_fp32", "scale_attention_softmax_in_fp32", "scale_attn_weights",
                   "layer_norm_epsilon"});
  set_windows(config, encoder, [](std::int64_t) { return true; });
  StackNames names;
  names.up = "mlp.c_fc";
  names.down = "mlp.c_proj";
  return rotary_model(config, encoder, {}, names, {.what = "StarCoder 2", .tied = true});
}

// One norm for both blocks, pairs of neighbouring dimensions; the second turns only where it has a window.
Blueprint cohere_blueprint(HfConfig& config) {
  const bool second = config.model_type() == "cohere2";
  EncoderConfig encoder = llama_like(config, NormKind::layer, "layer_norm_eps", 1e-5);
  encoder.projection_bias = config.flag("attention_bias", false);
  encoder.parallel = true;
  StackNames names;
  names.ffn_norm = "input_layernorm";
  if (config.flag("use_qk_norm", false)) {
    encoder.query_key_norm = QueryKeyNorm::head;
    names.query_norm = "self_attn.q_norm";
    names.key_norm = "self_attn.k_norm";
  }
  std::vector<std::int64_t> without;
  if (second) {
    config.harmless({"_sliding_window_pattern", "cache_implementation", "rotary_pct", "use_embedding_sharing",
                     "use_gated_activation", "use_parallel_block", "use_parallel_embedding",
                     "position_embedding_type", "order_of_interleaved_layers", "layer_switch"});
    const std::int64_t every = config.size("sliding_window_pattern", 4);
    set_windows(config, encoder, [every](std::int64_t layer) { return (layer + 1) % every != 0; },
                {.width = 4096});
    for (std::int64_t layer = 1; layer <= encoder.layers; ++layer) {
      if (encoder.window(layer) == 0) {
        without.push_back(layer);
      }
    }
  }
  Blueprint blueprint =
      rotary_model(config, encoder, {}, names,
                   {.what = "Cohere", .tied = true, .scale = config.number("logit_scale", 0.0625)},
                   RotaryPairs::neighbours);
  blueprint.encoder.rotary->without = without;
  return blueprint;
}

Blueprint granite_blueprint(HfConfig& config) {
  EncoderConfig encoder = llama_like(config, NormKind::rms, "rms_norm_eps", 1e-6);
  const bool attention = config.flag("attention_bias", false);
  const bool blocks = config.flag("mlp_bias", false);
  encoder.projection_bias = attention || blocks;
  encoder.embedding_scale = config.number("embedding_multiplier", 1.0);
  encoder.residual_scale = config.number("residual_multiplier", 1.0);
  encoder.score_scale = config.number("attention_multiplier", 1.0);
  return rotary_model(config, encoder, {}, {},
                      {.what = "Granite", .scale = 1.0 / config.number("logits_scaling", 1.0)});
}

// A Llama whose embeddings, blocks and logits have factors, as its authors publish it (openbmb/MiniCPM).
Blueprint minicpm_blueprint(HfConfig& config) {
  EncoderConfig encoder = llama_like(config, NormKind::rms, "rms_norm_eps", 1e-6);
  encoder.projection_bias = config.flag("attention_bias", false);
  encoder.embedding_scale = config.number("scale_emb", 1.0);
  encoder.residual_scale = config.number("scale_depth", 1.0) / std::sqrt(static_cast<double>(encoder.layers));
  const double base = config.number("dim_model_base", 1.0);
  return rotary_model(
      config, encoder, {}, {},
      {.what = "MiniCPM", .tied = true, .scale = base / static_cast<double>(encoder.d_model)});
}

Blueprint glm_blueprint(HfConfig& config) {
  const bool fourth = config.model_type() == "glm4";
  EncoderConfig encoder = llama_like(config, NormKind::rms, "rms_norm_eps", 1.5625e-7);
  encoder.projection_bias = config.flag("attention_bias", false);
  StackNames names;
  names.fused_up = "mlp.gate_up_proj";
  if (fourth) {
    encoder.norm = NormPlace::sandwich;
    names.attention_output_norm = "post_self_attn_layernorm";
    names.ffn_output_norm = "post_mlp_layernorm";
  }
  return rotary_model(config, encoder, {.part = 0.5}, names, {.what = "GLM"}, RotaryPairs::neighbours);
}

}  // namespace mog::model
