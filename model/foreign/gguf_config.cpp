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
  Conversion(const GgufKeys& keys, const GgufArchitecture& architecture, const io::WeightsFile& file)
      : keys_(keys), architecture_(architecture), file_(file), type_(architecture.type) {}

  std::string run() {
    refuse_parts();
    sizes();
    if (type_ != "gpt2" && type_ != "gpt_bigcode" && type_ != "bloom" && type_ != "bert") {
      rotary();
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
    layers_ = keys_.size("block_count", kMostGgufLayers);
    width_ = keys_.size("embedding_length", kMostGgufWidth);
    heads_ = keys_.size("attention.head_count", kMostGgufWidth);
    groups_ = keys_.count("attention.head_count_kv", heads_).value_or(heads_);
    if (groups_ == 0 || heads_ % groups_ != 0) {
      keys_.refuse("attention.head_count_kv",
                   fmt::format("expected a divisor of the {} heads, found {}", heads_, groups_));
    }
    head_ = keys_.count("attention.key_length", kMostGgufWidth).value_or(0);
    if (head_ == 0) {
      if (width_ % heads_ != 0) {
        keys_.refuse("attention.head_count", fmt::format("expected a divisor of {} = {}, found {}",
                                                         keys_.full("embedding_length"), width_, heads_));
      }
      head_ = width_ / heads_;
    }
    if (head_ > kMostGgufWidth / heads_) {
      keys_.refuse("attention.key_length", fmt::format("expected at most {} for {} heads, found {}",
                                                       kMostGgufWidth / heads_, heads_, head_));
    }
    if (keys_.count("attention.value_length", kMostGgufWidth).value_or(head_) != head_) {
      keys_.refuse("attention.value_length",
                   fmt::format("expected the width of a key, {}, found {}", head_,
                               *keys_.count("attention.value_length", kMostGgufWidth)));
    }
    const io::TensorInfo* const table = file_.find("token_embd.weight");
    if (table == nullptr || table->shape.size() != 2 || table->shape[0] > kMostGgufTokens) {
      throw ModelError(
          fmt::format("{}: GGUF: tensor \"token_embd.weight\": expected [tokens, {}] with at most "
                      "{} tokens, found {}",
                      keys_.file(), width_, kMostGgufTokens,
                      table == nullptr ? "no such tensor" : shape_text(table->shape)));
    }
    config_["vocab_size"] = table->shape[0];
    config_["num_hidden_layers"] = layers_;
    config_["hidden_size"] = width_;
    config_["num_attention_heads"] = heads_;
    if (architecture_.free_heads) {
      config_["num_key_value_heads"] = groups_;
      config_["head_dim"] = head_;
    } else if (head_ * heads_ != width_) {
      keys_.refuse("attention.key_length", fmt::format("expected {}, so that {} heads are {} wide, found {}",
                                                       width_ / heads_, heads_, width_, head_));
    }
    config_[architecture_.inner] = keys_.size("feed_forward_length", kMostGgufWidth);
    const char* const positions =
        type_ == "gpt2" || type_ == "gpt_bigcode" ? "n_positions" : "max_position_embeddings";
    if (type_ != "bloom") {
      config_[positions] = keys_.count("context_length", kMostTexts).value_or(2048);
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

  void rotary() {
    const double base = keys_.number("rope.freq_base").value_or(10000.0);
    if (!(base > 0.0)) {
      keys_.refuse("rope.freq_base", fmt::format("expected a number above 0, found {}", base));
    }
    config_["rope_theta"] = base;
    const std::int64_t turned = keys_.count("rope.dimension_count", head_).value_or(head_);
    if (turned != head_ && !architecture_.part) {
      keys_.refuse("rope.dimension_count",
                   fmt::format("expected the width of a head, {}, found {}", head_, turned));
    }
    if (turned < 2 || turned % 2 != 0) {
      keys_.refuse("rope.dimension_count", fmt::format("expected an even number from 2, found {}", turned));
    }
    if (architecture_.part) {
      config_["partial_rotary_factor"] = static_cast<double>(turned) / static_cast<double>(head_);
    }
    Json scaling = scaling_of(turned);
    if (!scaling.empty()) {
      config_["rope_scaling"] = std::move(scaling);
    }
  }

  std::vector<float> factors(const std::string& name, std::int64_t turned) const {
    const io::TensorInfo* const info = file_.find(name);
    if (info->shape != std::vector<std::int64_t>{turned / 2} || info->dtype != "F32") {
      throw ModelError(fmt::format("{}: GGUF: tensor \"{}\": expected F32 [{}], found {} {}", keys_.file(),
                                   name, turned / 2, info->dtype, shape_text(info->shape)));
    }
    if (!file_.has_values()) {
      return std::vector<float>(static_cast<std::size_t>(turned / 2), 1.0F);
    }
    const HostTensor values = file_.read(name);
    std::vector<float> list(values.values<float>().begin(), values.values<float>().end());
    for (const float value : list) {
      if (!(value > 0.0F)) {
        throw ModelError(fmt::format("{}: GGUF: tensor \"{}\": expected numbers above 0, found {}",
                                     keys_.file(), name, value));
      }
    }
    return list;
  }

  Json scaling_of(std::int64_t turned) const {
    const std::optional<std::int64_t> original =
        keys_.count("rope.scaling.original_context_length", kMostTexts);
    if (tensor("rope_factors_short.weight") && tensor("rope_factors_long.weight")) {
      Json scaling = {{"rope_type", "longrope"},
                      {"short_factor", factors("rope_factors_short.weight", turned)},
                      {"long_factor", factors("rope_factors_long.weight", turned)}};
      if (original.value_or(0) > 0) {
        scaling["original_max_position_embeddings"] = *original;
      }
      if (const auto factor = keys_.number("rope.scaling.attn_factor")) {
        scaling["attention_factor"] = *factor;
      }
      return scaling;
    }
    const std::string type = keys_.text("rope.scaling.type");
    if (!type.empty() && type != "none" && type != "linear" && type != "yarn") {
      keys_.refuse(
          "rope.scaling.type",
          fmt::format("\"{}\" is not supported; supported: none, linear, yarn, and longrope with its "
                      "tensors",
                      io::printable(type)));
    }
    const double factor =
        keys_.number("rope.scaling.factor").value_or(keys_.number("rope.scale_linear").value_or(0.0));
    const bool none =
        type == "none" || (factor == 0.0 && type != "yarn") || (factor == 1.0 && type != "yarn");
    if (tensor("rope_freqs.weight")) {
      if (!none) {
        keys_.refuse("rope.scaling.factor",
                     fmt::format("expected none beside the tensor \"rope_freqs.weight\", found {}", factor));
      }
      return {{"rope_type", "factors"}, {"factors", factors("rope_freqs.weight", turned)}};
    }
    if (none) {
      return Json::object();
    }
    if (!(factor > 0.0)) {
      keys_.refuse("rope.scaling.factor", fmt::format("expected a number above 0, found {}", factor));
    }
    if (type.empty() || type == "linear") {
      return {{"rope_type", "linear"}, {"factor", factor}};
    }
    Json scaling = {{"rope_type", "yarn"}, {"factor", factor}};
    if (original.value_or(0) > 0) {
      scaling["original_max_position_embeddings"] = *original;
    }
    for (const auto& [ours, theirs] : {std::pair{"beta_fast", "rope.scaling.yarn_beta_fast"},
                                       std::pair{"beta_slow", "rope.scaling.yarn_beta_slow"}}) {
      if (const auto number = keys_.number(theirs)) {
        scaling[ours] = *number;
      }
    }
    if (const auto attention = keys_.number("rope.scaling.attn_factor")) {
      // llama.cpp multiplies what YaRN has on its own.
      scaling["attention_factor"] = *attention * (factor > 1.0 ? 0.1 * std::log(factor) + 1.0 : 1.0);
    }
    return scaling;
  }

  // Widths of layers that see a few tokens alone; `every`: one layer in so many sees all.
  void windows(std::int64_t every, std::optional<std::int64_t> usual = {}) {
    const std::int64_t width =
        keys_.count("attention.sliding_window", kMostTexts).value_or(usual.value_or(0));
    if (width == 0) {
      config_["sliding_window"] = nullptr;
      return;
    }
    config_["sliding_window"] = width;
    constexpr const char* kPattern = "attention.sliding_window_pattern";
    std::vector<std::int64_t> local;
    if (keys_.has(kPattern)) {
      local = keys_.pattern(kPattern);
      if (local.size() == 1 && local[0] > 1) {
        every = local[0];
        local.clear();
      } else if (static_cast<std::int64_t>(local.size()) != layers_) {
        keys_.refuse(kPattern,
                     fmt::format("expected a number above 1 or a truth value for each of {} layers, "
                                 "found {} of them",
                                 layers_, local.size()));
      }
    }
    Json types = Json::array();
    for (std::int64_t layer = 0; layer < layers_; ++layer) {
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
    const bool largest = layers_ == (second ? 46 : 62);
    config_["query_pre_attn_scalar"] = static_cast<double>(largest ? width_ / heads_ : head_);
    const auto cap = [&](const char* ours, const char* theirs, double usual) {
      const double value = keys_.number(theirs).value_or(usual);
      config_[ours] = value > 0.0 ? Json(value) : Json(nullptr);
    };
    cap("attn_logit_softcapping", "attn_logit_softcapping", second ? 50.0 : 0.0);
    cap("final_logit_softcapping", "final_logit_softcapping", second ? 30.0 : 0.0);
    windows(second ? 2 : 6, second ? std::optional<std::int64_t>(4096) : std::nullopt);
    if (!second) {
      config_["rope_local_base_freq"] = keys_.number("rope.freq_base_swa").value_or(10000.0);
    }
  }

  void own() {
    const auto multiplier = [&](const char* ours, const char* theirs) {
      if (const auto value = keys_.number(theirs)) {
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
      if (!keys_.number("attention.scale")) {
        config_["attention_multiplier"] = 1.0 / std::sqrt(static_cast<double>(head_));
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
      if (groups_ != 1) {
        keys_.refuse("attention.head_count_kv", fmt::format("expected 1, found {}", groups_));
      }
      config_["multi_query"] = true;
    } else if (type_ == "gpt_neox") {
      config_["use_parallel_residual"] = keys_.flag("use_parallel_residual").value_or(true);
    } else if (type_ == "falcon") {
      const bool two = in_layer("attn_norm_2.weight");
      config_["new_decoder_architecture"] = two || groups_ > 1;
      config_["num_ln_in_parallel_attn"] = two ? 2 : 1;
      config_["num_kv_heads"] = groups_;
      config_["multi_query"] = groups_ == 1;
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
  const io::WeightsFile& file_;
  std::string type_;
  Json config_ = Json::object();
  std::int64_t layers_ = 0;
  std::int64_t width_ = 0;
  std::int64_t heads_ = 0;
  std::int64_t groups_ = 0;
  std::int64_t head_ = 0;
};

}  // namespace

std::string gguf_config(const GgufKeys& keys, const GgufArchitecture& architecture,
                        const io::WeightsFile& file) {
  return Conversion(keys, architecture, file).run();
}

}  // namespace mog::model
