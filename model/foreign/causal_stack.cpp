#include "model/foreign/causal_stack.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/recording/errors.h"

namespace mog::model {

void check_is_causal(HfConfig& config, Mask mask) {
  const bool causal = mask == Mask::causal;
  config.require_flag(
      "is_causal", causal,
      causal ? "a token sees itself and those before it" : "a token sees those of both sides");
}

EncoderConfig causal_stack(HfConfig& config, Mask mask) {
  EncoderConfig encoder;
  encoder.kind = EncoderKind::transformer;
  encoder.mask = mask;
  encoder.layers = config.layers("num_hidden_layers");
  encoder.d_model = config.size("hidden_size");
  encoder.heads = config.size("num_attention_heads");
  encoder.ffn_dim = config.size("intermediate_size");
  const std::int64_t groups = config.size("num_key_value_heads", encoder.heads);
  if (encoder.heads % groups != 0) {
    config.refuse("num_key_value_heads",
                  fmt::format("a divisor of num_attention_heads = {} is", encoder.heads));
  }
  encoder.kv_heads = groups == encoder.heads ? 0 : groups;
  if (!config.given("head_dim") && encoder.d_model % encoder.heads != 0) {
    throw ModelError(fmt::format("{}: num_attention_heads = {} does not divide hidden_size = {}",
                                 config.file(), encoder.heads, encoder.d_model));
  }
  encoder.head_dim = config.size("head_dim", encoder.d_model / std::min(encoder.heads, encoder.d_model));
  encoder.attention_dim = encoder.heads * encoder.head_dim;
  encoder.norm = NormPlace::pre;
  encoder.position = Position::none;
  encoder.embed_scale = false;
  config.harmless({"max_position_embeddings", "embd_pdrop", "resid_pdrop", "attn_pdrop", "hidden_dropout",
                   "unsloth_version", "unsloth_fixed", "cache_implementation", "is_decoder"});
  config.require_flag("is_encoder_decoder", false, "it stands alone");
  config.require_flag("add_cross_attention", false, "it stands alone");
  check_is_causal(config, mask);
  return encoder;
}

void set_windows(HfConfig& config, EncoderConfig& encoder, const std::function<bool(std::int64_t)>& local,
                 const UsualWindow& usual) {
  const std::vector<std::string> types = config.texts("layer_types", encoder.layers);
  const bool used = config.flag("use_sliding_window", usual.used);
  config.harmless({"max_window_layers", "sliding_window"});
  const nlohmann::ordered_json* const given = config.value("sliding_window");
  const bool off = given != nullptr && given->is_null();
  const std::int64_t width = off ? 0 : config.length("sliding_window", usual.width);
  if (!used || width == 0) {
    return;
  }
  for (std::int64_t layer = 0; layer < encoder.layers; ++layer) {
    const std::string type = types.empty() ? (local(layer) ? "sliding_attention" : "full_attention")
                                           : types[static_cast<std::size_t>(layer)];
    if (type != "sliding_attention" && type != "full_attention") {
      config.refuse("layer_types", "full_attention and sliding_attention are");
    }
    // A query sees `width` keys, itself among them.
    encoder.windows.push_back(type == "sliding_attention" ? std::min(width - 1, kMostTokens) : 0);
  }
  if (width == 1) {
    config.refuse("sliding_window", "a token would see itself alone; 2 or more are");
  }
}

Blueprint causal_blueprint(HfConfig& config, const EncoderConfig& encoder, const StackNames& names,
                           const CausalModel& model, std::function<void(TensorPlan&)> more,
                           std::int64_t positions) {
  Blueprint blueprint;
  blueprint.encoder = encoder;
  blueprint.vocabulary = config.vocabulary("vocab_size");
  blueprint.pad_id = config.first_id("pad_token_id");
  blueprint.framed = false;
  blueprint.prefixes = model.prefixes;
  blueprint.anchors = {names.embeddings + ".weight"};
  blueprint.what = fmt::format("{} with {} layers", model.what, encoder.layers);
  blueprint.language_model =
      LanguageModelConfig{.share_embedding = config.flag("tie_word_embeddings", model.tied),
                          .scale = model.scale,
                          .cap = model.cap};
  if (positions > 0) {
    blueprint.positions = positions - names.first_position + kFirstRow;
  }
  blueprint.plan = [encoder, names, positions, vocabulary = blueprint.vocabulary,
                    more = std::move(more)](TensorPlan& plan) {
    plan_stack(plan, encoder, vocabulary, positions, names);
    if (more) {
      more(plan);
    }
  };
  return blueprint;
}

}  // namespace mog::model
