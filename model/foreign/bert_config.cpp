#include "model/foreign/bert_config.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "io/recording/errors.h"
#include "io/text/json_check.h"
#include "model/config_reader.h"

namespace mog::model {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kMostLayers = 1024;
constexpr std::int64_t kMostWidth = std::int64_t{1} << 20;
constexpr std::int64_t kMostVocabulary = std::int64_t{1} << 24;

const std::vector<std::pair<Activation, std::string_view>> kActivations = {
    {Activation::gelu, "gelu"},
    {Activation::gelu_tanh, "gelu_new"},
    {Activation::gelu_tanh, "gelu_pytorch_tanh"},
    {Activation::relu, "relu"},
    {Activation::silu, "silu"},
    {Activation::silu, "swish"}};

std::string model_type(const Json& document) {
  const auto type = document.find("model_type");
  return type != document.end() && type->is_string() ? type->get<std::string>() : "";
}

// "BertModel, BertForMaskedLM": only shown, and the judge of old files without a model_type.
std::string architectures(const Json& document) {
  std::string text;
  const auto found = document.find("architectures");
  if (found != document.end() && found->is_array()) {
    for (const auto& name : *found) {
      if (name.is_string()) {
        text += (text.empty() ? "" : ", ") + name.get<std::string>();
      }
    }
  }
  return text;
}

void require_bert(const Json& document, const std::string& file) {
  const std::string type = model_type(document);
  const std::string classes = architectures(document);
  if (type == "bert" || (type.empty() && classes.starts_with("Bert"))) {
    return;
  }
  throw ModelError(fmt::format("{}: the model type {}{} is not supported; supported: bert (BERT, MiniLM)",
                               file, type.empty() ? "(none)" : type.substr(0, 80),
                               classes.empty() ? "" : fmt::format(" ({})", classes.substr(0, 200))));
}

// A switch of BERT's that must stand as BERT has it.
void require_off(ConfigReader& reader, const std::string& file, const char* key) {
  if (reader.has(key) && reader.boolean(key)) {
    throw ModelError(fmt::format("{}: {} = true is not supported: only encoders are read", file, key));
  }
}

void require_plain(const Json& document, ConfigReader& reader, const std::string& file) {
  require_off(reader, file, "is_decoder");
  require_off(reader, file, "is_encoder_decoder");
  require_off(reader, file, "add_cross_attention");
  if (reader.has("position_embedding_type")) {
    const std::string positions = reader.text("position_embedding_type");
    if (positions != "absolute") {
      throw ModelError(fmt::format("{}: position_embedding_type = {} is not supported; supported: absolute",
                                   file, positions.substr(0, 80)));
    }
  }
  const auto pruned = document.find("pruned_heads");
  if (pruned != document.end() && pruned->is_object() && !pruned->empty()) {
    throw ModelError(fmt::format("{}: pruned_heads is not supported: every layer must have all heads", file));
  }
}

}  // namespace

BertConfig read_bert_config(std::string_view json, const std::filesystem::path& path) {
  const std::string file = path.string();
  io::check_json(json, file);
  const Json document = Json::parse(json);
  ConfigReader reader(document, file, "");
  require_bert(document, file);
  require_plain(document, reader, file);
  BertConfig config;
  EncoderConfig& encoder = config.encoder;
  encoder.kind = EncoderKind::transformer;
  encoder.layers = reader.integer("num_hidden_layers", 1, kMostLayers);
  encoder.d_model = reader.integer("hidden_size", 1, kMostWidth);
  encoder.heads = reader.integer("num_attention_heads", 1, kMostWidth);
  encoder.attention_dim = encoder.d_model;
  encoder.ffn_dim = reader.integer("intermediate_size", 1, kMostWidth);
  encoder.activation =
      reader.has("hidden_act") ? reader.choice("hidden_act", kActivations) : Activation::gelu;
  encoder.layer_norm_eps =
      reader.has("layer_norm_eps") ? reader.number_above_zero("layer_norm_eps", 1.0) : 1e-12;
  encoder.norm = NormPlace::post;
  encoder.position = Position::learned;
  encoder.embed_scale = false;
  encoder.embedding_norm = true;
  if (encoder.d_model % encoder.heads != 0) {
    throw ModelError(fmt::format("{}: num_attention_heads = {} does not divide hidden_size = {}", file,
                                 encoder.heads, encoder.d_model));
  }
  config.vocabulary = reader.integer("vocab_size", 1, kMostVocabulary);
  config.positions = reader.integer("max_position_embeddings", 1, kMostWidth);
  config.token_types = reader.has("type_vocab_size") ? reader.integer("type_vocab_size", 1, kMostWidth) : 2;
  if (reader.has("_name_or_path") && document["_name_or_path"].is_string()) {
    config.name = document["_name_or_path"].get<std::string>();
  }
  return config;
}

}  // namespace mog::model
