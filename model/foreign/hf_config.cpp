// A configuration is read by a whitelist: each key is read by the family, or listed as harmless, or off, and
// finish() refuses the rest by name. The opposite, reading what one knows, is what lets a variant with one
// more norm through, and gives numbers that look right. The list of harmless keys is of those that training,
// generation and heads of tasks use.
//
// Trap: "off" (null, false, 0, empty) is passed for any unknown key, since files of today carry options of
// other models in that form. A key whose false means something must be read by its family.
#include "model/foreign/hf_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <limits>

#include "io/recording/errors.h"
#include "io/text/json_check.h"

namespace mog::model {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kMostLayers = 1024;
constexpr std::int64_t kMostWidth = std::int64_t{1} << 20;
constexpr std::int64_t kMostVocabulary = std::int64_t{1} << 24;

const std::vector<std::pair<Activation, std::string_view>> kActivations = {
    {Activation::gelu, "gelu"},          {Activation::gelu, "gelu_python"},
    {Activation::gelu_tanh, "gelu_new"}, {Activation::gelu_tanh, "gelu_pytorch_tanh"},
    {Activation::relu, "relu"},          {Activation::silu, "silu"},
    {Activation::silu, "swish"}};

// Keys of any model that do not touch what its layers compute for a text: training, generation, heads of
// tasks, ids that the tokenizer says too, how results are handed over.
constexpr std::array kHarmless = {"_attn_implementation",
                                  "_commit_hash",
                                  "_name_or_path",
                                  "_num_labels",
                                  "activation_dropout",
                                  "architectures",
                                  "attention_dropout",
                                  "attention_probs_dropout_prob",
                                  "auto_map",
                                  "bad_words_ids",
                                  "begin_suppress_tokens",
                                  "bos_token_id",
                                  "chunk_size_feed_forward",
                                  "classif_dropout",
                                  "classifier_dropout",
                                  "classifier_dropout_prob",
                                  "cls_token_id",
                                  "cross_attention_hidden_size",
                                  "custom_pipelines",
                                  "decoder_attention_heads",
                                  "decoder_ffn_dim",
                                  "decoder_layerdrop",
                                  "decoder_layers",
                                  "decoder_start_token_id",
                                  "directionality",
                                  "diversity_penalty",
                                  "do_sample",
                                  "dropout",
                                  "dropout_rate",
                                  "dtype",
                                  "early_stopping",
                                  "encoder_layerdrop",
                                  "encoder_no_repeat_ngram_size",
                                  "eos_token_id",
                                  "exponential_decay_length_penalty",
                                  "export_model_type",
                                  "finetuning_task",
                                  "forced_bos_token_id",
                                  "forced_eos_token_id",
                                  "gradient_checkpointing",
                                  "hidden_dropout_prob",
                                  "id2label",
                                  "init_std",
                                  "initializer_factor",
                                  "initializer_range",
                                  "is_encoder_decoder",
                                  "keys_to_ignore_at_inference",
                                  "label2id",
                                  "language",
                                  "layerdrop",
                                  "length_penalty",
                                  "mask_token_id",
                                  "max_length",
                                  "max_seq_length",
                                  "min_length",
                                  "model_max_length",
                                  "model_type",
                                  "name",
                                  "no_repeat_ngram_size",
                                  "num_beam_groups",
                                  "num_beams",
                                  "num_decoder_layers",
                                  "num_hidden_layers_decoder",
                                  "num_labels",
                                  "num_return_sequences",
                                  "output_attentions",
                                  "output_hidden_states",
                                  "output_past",
                                  "output_scores",
                                  "pad_token_id",
                                  "pooler_fc_size",
                                  "pooler_num_attention_heads",
                                  "pooler_num_fc_layers",
                                  "pooler_size_per_head",
                                  "pooler_type",
                                  "prefix",
                                  "problem_type",
                                  "qa_dropout",
                                  "remove_invalid_values",
                                  "repetition_penalty",
                                  "return_dict",
                                  "return_dict_in_generate",
                                  "scale_decoder_outputs",
                                  "sentence_transformers",
                                  "sep_token_id",
                                  "seq_classif_dropout",
                                  "summary_activation",
                                  "summary_last_dropout",
                                  "summary_type",
                                  "summary_use_proj",
                                  "suppress_tokens",
                                  "task_specific_params",
                                  "temperature",
                                  "tf_legacy_loss",
                                  "tie_encoder_decoder",
                                  "tie_last_hidden_states",
                                  "tie_weights_",
                                  "tie_word_embeddings",
                                  "tokenizer_class",
                                  "top_k",
                                  "top_p",
                                  "torch_dtype",
                                  "torchscript",
                                  "transformers.js_config",
                                  "transformers_version",
                                  "typical_p",
                                  "unk_token_id",
                                  "use_bfloat16",
                                  "use_cache"};

bool off(const Json& value) {
  return value.is_null() || value == false || value == 0 || value == "" ||
         ((value.is_array() || value.is_object()) && value.empty());
}

std::string shown(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 80);
}

Json parsed(std::string_view json, const std::string& file) {
  io::check_json(json, file);
  return Json::parse(json);
}

}  // namespace

HfConfig::HfConfig(std::string_view json, const std::filesystem::path& file)
    : file_(file.string()), document_(parsed(json, file_)), reader_(document_, file_, "") {
  known_.insert(kHarmless.begin(), kHarmless.end());
}

std::string HfConfig::model_type() const {
  const auto type = document_.find("model_type");
  return type != document_.end() && type->is_string() ? type->get<std::string>() : "";
}

std::string HfConfig::architectures() const {
  std::string text;
  const auto found = document_.find("architectures");
  if (found != document_.end() && found->is_array()) {
    for (const auto& name : *found) {
      if (name.is_string()) {
        text += (text.empty() ? "" : ", ") + name.get<std::string>();
      }
    }
  }
  return text;
}

bool HfConfig::given(const char* key) const {
  const auto found = document_.find(key);
  return found != document_.end() && !found->is_null();
}

std::int64_t HfConfig::size(const char* key) {
  known_.insert(key);
  return reader_.integer(key, 1, kMostWidth);
}

std::int64_t HfConfig::size(const char* key, std::int64_t otherwise) {
  known_.insert(key);
  return given(key) ? reader_.integer(key, 1, kMostWidth) : otherwise;
}

std::int64_t HfConfig::length(const char* key, std::int64_t otherwise) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  known_.insert(key);
  return given(key) ? reader_.integer(key, 1, kMost) : otherwise;
}

std::int64_t HfConfig::layers(const char* key) {
  known_.insert(key);
  return reader_.integer(key, 1, kMostLayers);
}

std::int64_t HfConfig::vocabulary(const char* key) {
  known_.insert(key);
  return reader_.integer(key, 1, kMostVocabulary);
}

std::optional<std::int64_t> HfConfig::id(const char* key) {
  known_.insert(key);
  if (!given(key)) {
    return std::nullopt;
  }
  const Json& value = document_[key];
  if (!value.is_array()) {
    return reader_.integer(key, 0, kMostVocabulary);
  }
  if (value.size() != 1 || !value[0].is_number_integer() || value[0] < 0 || value[0] > kMostVocabulary) {
    refuse(key, "one token has this role");
  }
  return value[0].get<std::int64_t>();
}

std::string HfConfig::stated(const char* key) const {
  const Json* const found = value(key);
  return found == nullptr || off(*found) ? "" : fmt::format("{} = {}", key, shown(*found));
}

const Json* HfConfig::value(const char* key) const {
  const auto found = document_.find(key);
  return found == document_.end() ? nullptr : &*found;
}

bool HfConfig::flag(const char* key, bool otherwise) {
  known_.insert(key);
  return given(key) ? reader_.boolean(key) : otherwise;
}

double HfConfig::epsilon(const char* key, double otherwise) {
  known_.insert(key);
  return given(key) ? reader_.number_above_zero(key, 1.0) : otherwise;
}

double HfConfig::number(const char* key) {
  constexpr double kMost = 1e12;
  known_.insert(key);
  return reader_.number_above_zero(key, kMost);
}

double HfConfig::number(const char* key, double otherwise) {
  known_.insert(key);
  return given(key) ? number(key) : otherwise;
}

std::optional<std::int64_t> HfConfig::first_id(const char* key) {
  known_.insert(key);
  const Json* found = value(key);
  if (found != nullptr && found->is_array() && !found->empty()) {
    found = &found->front();
  }
  if (found == nullptr || !found->is_number_integer() || *found < 0 || *found > kMostVocabulary) {
    return std::nullopt;
  }
  return found->get<std::int64_t>();
}

std::int64_t HfConfig::whole(const char* key, std::int64_t otherwise) {
  known_.insert(key);
  return given(key) ? reader_.integer(key, -kMostWidth, kMostWidth) : otherwise;
}

std::int64_t HfConfig::count(const char* key, std::int64_t otherwise) {
  known_.insert(key);
  return given(key) ? reader_.integer(key, 0, kMostWidth) : otherwise;
}

std::vector<std::int64_t> HfConfig::whole_numbers(const char* key, std::int64_t count) {
  known_.insert(key);
  if (!given(key)) {
    return {};
  }
  std::vector<std::int64_t> numbers = reader_.integers(key, static_cast<std::size_t>(count), 0, kMostWidth);
  if (static_cast<std::int64_t>(numbers.size()) != count) {
    refuse(key, fmt::format("a list with a number for each of {} layers is", count));
  }
  return numbers;
}

std::vector<std::string> HfConfig::texts(const char* key, std::int64_t count) {
  known_.insert(key);
  std::vector<std::string> result;
  if (!given(key)) {
    return result;
  }
  const Json& list = document_[key];
  if (list.is_array()) {
    for (const Json& one : list) {
      result.push_back(one.is_string() ? one.get<std::string>() : "");
    }
  }
  if (static_cast<std::int64_t>(result.size()) != count) {
    refuse(key, fmt::format("a list with a text for each of {} layers is", count));
  }
  return result;
}

std::string HfConfig::text(const char* key, const std::string& otherwise) {
  known_.insert(key);
  return given(key) ? reader_.text(key) : otherwise;
}

Activation HfConfig::activation(const char* key, const char* otherwise) {
  return activation_named(key, text(key, otherwise));
}

Activation HfConfig::activation_named(const char* key, const std::string& name) {
  std::string allowed;
  for (const auto& [value, text] : kActivations) {
    if (name == text) {
      return value;
    }
    allowed += (allowed.empty() ? "" : ", ") + std::string(text);
  }
  throw ModelError(fmt::format("{}: {}: the activation \"{}\" is not supported; supported: {}", file_, key,
                               name.substr(0, 80), allowed));
}

void HfConfig::require_flag(const char* key, bool wanted, const char* why) {
  if (flag(key, wanted) != wanted) {
    refuse(key, why);
  }
}

void HfConfig::harmless(std::initializer_list<const char*> keys) {
  known_.insert(keys.begin(), keys.end());
}

void HfConfig::refuse(const char* key, const std::string& why) const {
  const auto found = document_.find(key);
  throw ModelError(fmt::format("{}: {} = {} is not supported: {}", file_, key,
                               found == document_.end() ? "(absent)" : shown(*found), why));
}

void HfConfig::finish(const std::string& family) {
  std::vector<std::string> unknown;
  for (const auto& [key, value] : document_.items()) {
    if (!known_.contains(key) && !off(value)) {
      unknown.push_back(fmt::format("{} = {}", key.substr(0, 80), shown(value)));
    }
  }
  if (!unknown.empty()) {
    throw ModelError(fmt::format(
        "{}: not supported: {}. An encoder of type {} has no such key, so it may compute something "
        "else; where it changes nothing, take it out of config.json",
        file_, fmt::join(unknown, ", "), family));
  }
}

}  // namespace mog::model
