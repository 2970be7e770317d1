// The keys of llama.cpp in those of Hugging Face's config.json, so that one reader of each family knows what
// it means. What llama.cpp holds for granted and does not write (Gemma's factors, Gemma 3's second base) is
// written out here, as its source has it; what a family of Hugging Face has and llama.cpp does not compute
// (Mistral's window) is off.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "io/checkpoint/printable.h"
#include "io/recording/errors.h"
#include "model/foreign/gguf.h"

namespace mog::model {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kMostTexts = std::numeric_limits<std::int32_t>::max();

class Conversion {
 public:
  Conversion(const GgufKeys& keys, const GgufArchitecture& architecture, const GgufSizes& sizes,
             const io::WeightsFile& file)
      : keys_(keys), architecture_(architecture), sizes_(sizes), file_(file), type_(architecture.type) {}

  std::string run() {
    refuse_parts();
    sizes();
    if (gguf_is_rotary(architecture_)) {
      config_.update(gguf_rotary(keys_, architecture_, file_, sizes_.head));
    }
    own();
    ids();
    config_["model_type"] = type_;
    return config_.dump();
  }

 private:
  bool tensor(const std::string& name) const { return file_.find(name) != nullptr; }
  bool in_layer(const char* name) const { return tensor(fmt::format("blk.0.{}", name)); }

  // What changes what is computed, and is not done.
  void refuse_parts() const {
    if (keys_.count("expert_count", kMostTexts).value_or(0) > 0) {
      keys_.refuse("expert_count", "a router and experts in the feed-forward blocks are not supported");
    }
    const bool bert = type_ == "bert";
    if (keys_.flag("attention.causal").value_or(!bert) == bert) {
      keys_.refuse("attention.causal", bert ? "expected false: a token sees those of both sides"
                                            : "expected true: a token sees itself and those before it");
    }
    if (keys_.number("attention.clamp_kqv").value_or(0.0) > 0.0) {
      keys_.refuse("attention.clamp_kqv", "queries, keys and values are not clipped; expected 0");
    }
    if (keys_.number("attention.temperature_scale").value_or(0.0) > 0.0) {
      keys_.refuse("attention.temperature_scale", "scores do not depend on the place; expected 0");
    }
  }

  void sizes() {
    const io::TensorInfo* const table = file_.find("token_embd.weight");
    if (table == nullptr || table->shape.size() != 2 || table->shape[0] > kMostGgufTokens) {
      throw ModelError(
          fmt::format("{}: GGUF: tensor \"token_embd.weight\": expected [tokens, {}] with at most "
                      "{} tokens, found {}",
                      keys_.file(), sizes_.width, kMostGgufTokens,
                      table == nullptr ? "no such tensor" : shape_text(table->shape)));
    }
    config_["vocab_size"] = table->shape[0];
    config_["num_hidden_layers"] = sizes_.layers;
    config_["hidden_size"] = sizes_.width;
    config_["num_attention_heads"] = sizes_.heads;
    if (architecture_.free_heads) {
      config_["num_key_value_heads"] = sizes_.groups;
      config_["head_dim"] = sizes_.head;
    } else if (sizes_.head * sizes_.heads != sizes_.width) {
      keys_.refuse("attention.key_length",
                   fmt::format("expected {} heads that are {} wide together, found {} each", sizes_.heads,
                               sizes_.width, sizes_.head));
    }
    config_[architecture_.inner] = keys_.size("feed_forward_length", kMostGgufWidth);
    const bool rows = type_ == "gpt2" || type_ == "gpt_bigcode" || type_ == "bert";  // of a table
    if (type_ != "bloom") {
      config_[rows && type_ != "bert" ? "n_positions" : "max_position_embeddings"] =
          keys_.has("context_length") ? keys_.size("context_length", rows ? kMostGgufWidth : kMostTexts)
                                      : 2048;
    }
    const char* const key =
        architecture_.rms ? "attention.layer_norm_rms_epsilon" : "attention.layer_norm_epsilon";
    const std::optional<double> epsilon = keys_.number(key);
    if (!epsilon || !(*epsilon > 0.0 && *epsilon <= 1.0)) {
      keys_.refuse(key, fmt::format("expected a number above 0 up to 1, found {}",
                                    epsilon ? fmt::format("{}", *epsilon) : "no such key"));
    }
    config_[architecture_.epsilon] = *epsilon;
    config_["tie_word_embeddings"] = !tensor("output.weight");
  }

  // Widths of layers that see a few tokens alone; `every`: one layer in so many sees all.
  void windows(std::int64_t every, std::optional<std::int64_t> usual = {}) {
    const std::int64_t width =
        keys_.count("attention.sliding_window", kMostTexts).value_or(usual.value_or(0));
    if (width == 0) {
      config_["sliding_window"] = nullptr;
      return;
    }
    if (width == 1) {
      keys_.refuse("attention.sliding_window", "expected 0, or 2 and more: a token would see itself alone");
    }
    config_["sliding_window"] = width;
    constexpr const char* kPattern = "attention.sliding_window_pattern";
    std::vector<std::int64_t> local;
    if (keys_.has(kPattern)) {
      local = keys_.pattern(kPattern);
      if (local.size() == 1 && local[0] > 1) {
        every = local[0];
        local.clear();
      } else if (static_cast<std::int64_t>(local.size()) != sizes_.layers) {
        keys_.refuse(kPattern,
                     fmt::format("expected a number above 1 or a truth value for each of {} layers, "
                                 "found {} of them",
                                 sizes_.layers, local.size()));
      }
    }
    Json types = Json::array();
    for (std::int64_t layer = 0; layer < sizes_.layers; ++layer) {
      const bool near = local.empty() ? every == 1 || (layer + 1) % every != 0
                                      : local[static_cast<std::size_t>(layer)] != 0;
      types.push_back(near ? "sliding_attention" : "full_attention");
    }
    config_["layer_types"] = types;
  }

  // OLMo 3: layers with a window have plain frequencies.
  void scale_layers_without_windows() {
    Json full = config_.contains("rope_scaling") ? config_["rope_scaling"] : Json{{"rope_type", "default"}};
    Json sliding = {{"rope_type", "default"}};
    full["rope_theta"] = config_["rope_theta"];
    sliding["rope_theta"] = config_["rope_theta"];
    config_.erase("rope_scaling");
    config_.erase("rope_theta");
    config_["rope_parameters"] = {{"full_attention", full}, {"sliding_attention", sliding}};
  }

  void gemma() {
    config_["hidden_activation"] = "gelu_pytorch_tanh";
    if (type_ == "gemma") {
      return;
    }
    const bool second = type_ == "gemma2";
    // The largest of each divide by the root of the width of a token's share, the others by that of a head's.
    const bool largest = sizes_.layers == (second ? 46 : 62);
    config_["query_pre_attn_scalar"] =
        static_cast<double>(largest ? sizes_.width / sizes_.heads : sizes_.head);
    const auto cap = [&](const char* ours, const char* theirs, double usual) {
      const double value = keys_.number(theirs).value_or(usual);
      config_[ours] = value > 0.0 ? Json(value) : Json(nullptr);
    };
    cap("attn_logit_softcapping", "attn_logit_softcapping", second ? 50.0 : 0.0);
    cap("final_logit_softcapping", "final_logit_softcapping", second ? 30.0 : 0.0);
    windows(second ? 2 : 6, second ? std::optional<std::int64_t>(4096) : std::nullopt);
    if (!second) {
      config_["rope_local_base_freq"] = keys_.above_zero("rope.freq_base_swa").value_or(10000.0);
    }
  }

  void own() {
    const auto multiplier = [&](const char* ours, const char* theirs) {
      if (const auto value = keys_.above_zero(theirs)) {
        config_[ours] = *value;
      }
    };
    if (type_ == "llama" || type_ == "smollm3" || type_ == "granite") {
      config_["attention_bias"] = in_layer("attn_q.bias") || in_layer("attn_output.bias");
      config_["mlp_bias"] = in_layer("ffn_up.bias") || in_layer("ffn_down.bias");
    }
    if (type_ == "smollm3") {
      config_["use_sliding_window"] = false;
    } else if (type_ == "granite") {
      multiplier("embedding_multiplier", "embedding_scale");
      multiplier("residual_multiplier", "residual_scale");
      multiplier("attention_multiplier", "attention.scale");
      multiplier("logits_scaling", "logit_scale");
      if (!keys_.has("attention.scale")) {
        config_["attention_multiplier"] = 1.0 / std::sqrt(static_cast<double>(sizes_.head));
      }
    } else if (type_.starts_with("gemma")) {
      gemma();
    } else if (type_ == "qwen2" || type_ == "qwen3") {
      config_["use_sliding_window"] = false;
      if (type_ == "qwen3") {
        config_["attention_bias"] = in_layer("attn_q.bias");
      }
    } else if (type_ == "phi3") {
      windows(1);
      if (const auto original = keys_.count("rope.scaling.original_context_length", kMostTexts);
          original.value_or(0) > 0) {
        config_["original_max_position_embeddings"] = *original;
      }
    } else if (type_ == "olmo2") {
      if (keys_.count("attention.sliding_window", kMostTexts).value_or(0) > 0) {
        type_ = "olmo3";
        windows(4);
        scale_layers_without_windows();
      }
      config_["attention_bias"] = in_layer("attn_q.bias");
    } else if (type_ == "stablelm") {
      config_["use_qkv_bias"] = in_layer("attn_q.bias");
      config_["use_parallel_residual"] = !in_layer("ffn_norm.weight");
      config_["qk_layernorm"] = in_layer("attn_q_norm.weight");
    } else if (type_ == "starcoder2") {
      windows(1);
    } else if (type_ == "cohere" || type_ == "cohere2") {
      multiplier("logit_scale", "logit_scale");
      config_["use_qk_norm"] = in_layer("attn_q_norm.weight");
      if (type_ == "cohere2") {
        windows(4);
      }
    } else if (type_ == "glm4") {
      config_["attention_bias"] = in_layer("attn_q.bias");
    } else if (type_ == "gpt_bigcode") {
      if (sizes_.groups != 1) {
        keys_.refuse("attention.head_count_kv", fmt::format("expected 1, found {}", sizes_.groups));
      }
      config_["multi_query"] = true;
    } else if (type_ == "gpt_neox") {
      config_["use_parallel_residual"] = keys_.flag("use_parallel_residual").value_or(true);
    } else if (type_ == "falcon") {
      const bool two = in_layer("attn_norm_2.weight");
      config_["new_decoder_architecture"] = two || sizes_.groups > 1;
      config_["num_ln_in_parallel_attn"] = two ? 2 : 1;
      config_["num_kv_heads"] = sizes_.groups;
      config_["multi_query"] = sizes_.groups == 1;
      config_["bias"] = in_layer("attn_qkv.bias") || in_layer("attn_output.bias");
    } else if (type_ == "bert") {
      const io::TensorInfo* const types = file_.find("token_types.weight");
      config_["type_vocab_size"] = types == nullptr || types->shape.empty() ? 1 : types->shape[0];
      config_.erase("tie_word_embeddings");
    }
  }

  void ids() {
    for (const auto& [ours, theirs] : {std::pair{"bos_token_id", "tokenizer.ggml.bos_token_id"},
                                       std::pair{"eos_token_id", "tokenizer.ggml.eos_token_id"},
                                       std::pair{"pad_token_id", "tokenizer.ggml.padding_token_id"}}) {
      if (const auto id = keys_.count(theirs, std::numeric_limits<std::uint32_t>::max());
          id && *id < config_["vocab_size"].get<std::int64_t>()) {
        config_[ours] = *id;
      }
    }
  }

  const GgufKeys& keys_;
  const GgufArchitecture& architecture_;
  const GgufSizes& sizes_;
  const io::WeightsFile& file_;
  std::string type_;
  Json config_ = Json::object();
};

}  // namespace

GgufSizes gguf_sizes(const GgufKeys& keys) {
  GgufSizes sizes;
  sizes.layers = keys.size("block_count", kMostGgufLayers);
  sizes.width = keys.size("embedding_length", kMostGgufWidth);
  sizes.heads = keys.size("attention.head_count", kMostGgufWidth);
  sizes.groups = keys.count("attention.head_count_kv", sizes.heads).value_or(sizes.heads);
  if (sizes.groups == 0 || sizes.heads % sizes.groups != 0) {
    keys.refuse("attention.head_count_kv",
                fmt::format("expected a divisor of the {} heads, found {}", sizes.heads, sizes.groups));
  }
  sizes.head = keys.count("attention.key_length", kMostGgufWidth).value_or(0);
  if (sizes.head == 0) {
    if (sizes.width % sizes.heads != 0) {
      keys.refuse("attention.head_count",
                  fmt::format("expected a divisor of {} = {}, found {}", keys.full("embedding_length"),
                              sizes.width, sizes.heads));
    }
    sizes.head = sizes.width / sizes.heads;
  }
  if (sizes.head > kMostGgufWidth / sizes.heads) {
    keys.refuse("attention.key_length", fmt::format("expected at most {} for {} heads, found {}",
                                                    kMostGgufWidth / sizes.heads, sizes.heads, sizes.head));
  }
  if (const auto value = keys.count("attention.value_length", kMostGgufWidth);
      value.value_or(sizes.head) != sizes.head) {
    keys.refuse("attention.value_length",
                fmt::format("expected the width of a key, {}, found {}", sizes.head, *value));
  }
  return sizes;
}

std::string gguf_config(const GgufKeys& keys, const GgufArchitecture& architecture, const GgufSizes& sizes,
                        const io::WeightsFile& file) {
  return Conversion(keys, architecture, sizes, file).run();
}

}  // namespace mog::model
