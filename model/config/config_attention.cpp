// The keys in which the self-attention stacks of today's models differ (docs/model-directory.md, One stack):
// which keys a query sees, how positions enter, norms of queries and keys, groups of heads, multipliers; and
// the head that predicts the next token.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "model/config/config_parts.h"

namespace mog::model {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMostFactor = 1e6;
constexpr std::int64_t kMostWindow = std::int64_t{1} << 30;

RotaryConfig read_rotary(ConfigReader reader, const std::string& file, const EncoderConfig& encoder) {
  RotaryConfig config;
  config.dims = reader.integer("dims", 2, kMostWidth);
  if (config.dims % 2 != 0 || config.dims > encoder.head_width()) {
    reader.refuse("dims", fmt::format("an even number up to the width of a head, {}", encoder.head_width()),
                  std::to_string(config.dims));
  }
  if (reader.has("pairs")) {
    config.pairs = reader.choice("pairs", kRotaryPairs);
  }
  if (reader.has("factor")) {
    config.factor = reader.number_above_zero("factor", kMostFactor);
  }
  read_switch(reader, "local", config.local);
  if (reader.has("without")) {
    config.without = reader.integers("without", static_cast<std::size_t>(encoder.layers), 1, encoder.layers);
    const std::set<std::int64_t> each(config.without.begin(), config.without.end());
    if (each.size() != config.without.size()) {
      reader.refuse("without", "each layer once", fmt::format("{}", fmt::join(config.without, ", ")));
    }
    config.without.assign(each.begin(), each.end());
  }
  reader.finish();
  if (config.local && encoder.windows.empty()) {
    contradict(file, "encoder.rotary.local = true without encoder.windows: no layer is local");
  }
  return config;
}

DisentangledConfig read_disentangled(ConfigReader reader) {
  DisentangledConfig config;
  config.span = reader.integer("span", 1, kMostWidth);
  if (reader.has("bucket_distance")) {
    config.bucket_distance = reader.integer("bucket_distance", 1, kMostWidth);
    if (config.bucket_distance <= config.span / 2 + 1) {
      reader.refuse("bucket_distance", fmt::format("more than half of span = {}, and 1", config.span),
                    std::to_string(config.bucket_distance));
    }
  }
  read_switch(reader, "content_to_position", config.content_to_position);
  read_switch(reader, "position_to_content", config.position_to_content);
  read_switch(reader, "share", config.share);
  reader.finish();
  if (!config.content_to_position && !config.position_to_content) {
    reader.refuse("position_to_content",
                  "true where content_to_position is false; without both leave disentangled out", "false");
  }
  return config;
}

// What goes with a graph as input, which has terms of its own in the scores.
void refuse_beside_graph(const std::string& file, const EncoderConfig& config, const ConfigReader& reader) {
  if (!reader.has("graph_input")) {
    return;
  }
  const std::pair<const char*, bool> switches[] = {
      {"mask = causal", config.causal()},
      {"kv_heads", config.kv_heads > 0},
      {"windows", !config.windows.empty()},
      {"rotary", config.rotary.has_value()},
      {"position = alibi", config.position == Position::alibi},
      {"disentangled", config.disentangled.has_value()},
      {"query_key_norm", config.query_key_norm != QueryKeyNorm::none},
      {"score_cap", config.score_cap > 0.0}};
  for (const auto& [key, there] : switches) {
    if (there) {
      contradict(file,
                 fmt::format("encoder.graph_input with encoder.{}, which is not supported together", key));
    }
  }
}

Json rotary_json(const RotaryConfig& config) {
  Json json = {{"dims", config.dims}, {"pairs", text_of(kRotaryPairs, config.pairs)}};
  if (config.factor != 1.0) {
    json["factor"] = config.factor;
  }
  if (config.local) {
    json["local"] = true;
  }
  if (!config.without.empty()) {
    json["without"] = config.without;
  }
  return json;
}

Json disentangled_json(const DisentangledConfig& config) {
  Json json = {{"span", config.span}};
  if (config.bucket_distance > 0) {
    json["bucket_distance"] = config.bucket_distance;
  }
  json["content_to_position"] = config.content_to_position;
  json["position_to_content"] = config.position_to_content;
  json["share"] = config.share;
  return json;
}

void read_windows(ConfigReader& reader, EncoderConfig& config) {
  const auto layers = static_cast<std::size_t>(config.layers);
  config.windows = reader.integers("windows", layers, 0, kMostWindow);
  if (config.windows.size() != layers) {
    reader.refuse("windows", fmt::format("a number for each of {} layers", layers),
                  fmt::format("{} numbers", config.windows.size()));
  }
  if (std::all_of(config.windows.begin(), config.windows.end(), [](std::int64_t w) { return w == 0; })) {
    config.windows.clear();
  }
}

}  // namespace

void read_attention(ConfigReader& reader, const std::string& file, EncoderConfig& config) {
  if (reader.has("mask")) {
    config.mask = reader.choice("mask", kMasks);
  }
  if (reader.has("kv_heads")) {
    const std::int64_t heads = reader.integer("kv_heads", 1, config.heads);
    if (config.heads % heads != 0) {
      reader.refuse("kv_heads", fmt::format("a divisor of heads = {}", config.heads), std::to_string(heads));
    }
    config.kv_heads = heads == config.heads ? 0 : heads;
  }
  if (reader.has("windows")) {
    read_windows(reader, config);
  }
  if (reader.has("rotary")) {
    config.rotary = read_rotary(ConfigReader(reader.at("rotary"), file, "encoder.rotary"), file, config);
  }
  if (config.rotary.has_value() != (config.position == Position::rotary)) {
    contradict(file, config.rotary ? "encoder.rotary without encoder.position = rotary"
                                   : "encoder.position = rotary without encoder.rotary");
  }
  read_switch(reader, "rounded_alibi", config.rounded_alibi);
  if (config.rounded_alibi && (config.position != Position::alibi || !config.causal())) {
    contradict(file, "encoder.rounded_alibi = true without position = alibi and mask = causal");
  }
  if (reader.has("disentangled")) {
    config.disentangled =
        read_disentangled(ConfigReader(reader.at("disentangled"), file, "encoder.disentangled"));
  }
  if (reader.has("query_key_norm")) {
    config.query_key_norm = reader.choice("query_key_norm", kQueryKeyNorms);
  }
  if (reader.has("query_key_norm_kind")) {
    config.query_key_norm_kind = reader.choice("query_key_norm_kind", kNormKinds);
  }
  if (reader.has("max_positions")) {
    config.max_positions = reader.integer("max_positions", 1, kMostWindow);
  }
  read_switch(reader, "parallel", config.parallel);
  read_switch(reader, "first_norm", config.first_norm);
  const auto number = [&](const char* key, double& value) {
    if (reader.has(key)) {
      value = reader.number_above_zero(key, kMostFactor);
    }
  };
  number("score_scale", config.score_scale);
  number("score_cap", config.score_cap);
  number("residual_scale", config.residual_scale);
  number("embedding_scale", config.embedding_scale);
  if (config.parallel && config.norm != NormPlace::pre) {
    contradict(file, "encoder.parallel = true without encoder.norm = pre");
  }
  if (!config.first_norm && !reads_normed(config.norm)) {
    contradict(file, "encoder.first_norm = false, but encoder.norm has none before its blocks");
  }
  if (config.disentangled && (config.causal() || config.rotary || config.kv_heads > 0)) {
    contradict(
        file,
        "encoder.disentangled with mask = causal, rotary positions or kv_heads, which is not supported "
        "together");
  }
  refuse_beside_graph(file, config, reader);
}

void add_attention(const EncoderConfig& config, Json& json) {
  if (config.causal()) {
    json["mask"] = text_of(kMasks, config.mask);
  }
  if (config.kv_heads > 0) {
    json["kv_heads"] = config.kv_heads;
  }
  if (!config.windows.empty()) {
    json["windows"] = config.windows;
  }
  if (config.rotary) {
    json["rotary"] = rotary_json(*config.rotary);
  }
  if (config.rounded_alibi) {
    json["rounded_alibi"] = true;
  }
  if (config.disentangled) {
    json["disentangled"] = disentangled_json(*config.disentangled);
  }
  if (config.query_key_norm != QueryKeyNorm::none) {
    json["query_key_norm"] = text_of(kQueryKeyNorms, config.query_key_norm);
    json["query_key_norm_kind"] = text_of(kNormKinds, config.query_key_norm_kind);
  }
  if (config.max_positions > 0) {
    json["max_positions"] = config.max_positions;
  }
  if (config.parallel) {
    json["parallel"] = true;
  }
  if (!config.first_norm) {
    json["first_norm"] = false;
  }
  for (const auto& [key, value, usual] :
       {std::tuple{"score_scale", config.score_scale, 0.0}, std::tuple{"score_cap", config.score_cap, 0.0},
        std::tuple{"residual_scale", config.residual_scale, 1.0},
        std::tuple{"embedding_scale", config.embedding_scale, 0.0}}) {
    if (value != usual) {
      json[key] = value;
    }
  }
}

LanguageModelConfig read_language_model(ConfigReader reader, const std::string& file,
                                        const EncoderConfig& encoder) {
  LanguageModelConfig config;
  config.share_embedding = reader.boolean("share_embedding");
  read_switch(reader, "bias", config.bias);
  if (reader.has("rows")) {
    config.rows = reader.integer("rows", 1, kMostVocabulary);
  }
  if (reader.has("width")) {
    config.width = reader.integer("width", 1, kMostWidth);
  }
  if (reader.has("scale")) {
    config.scale = reader.number_above_zero("scale", kMostFactor);
  }
  if (reader.has("cap")) {
    config.cap = reader.number_above_zero("cap", kMostFactor);
  }
  reader.finish();
  if (!encoder.causal()) {
    contradict(file, "language_model without encoder.mask = causal: a token that is seen is not predicted");
  }
  const std::int64_t read = config.width > 0 ? config.width : encoder.d_model;
  if (config.share_embedding && read != encoder.embedding_width()) {
    contradict(file,
               fmt::format("language_model.share_embedding = true, but the embeddings are {} wide and the "
                           "states {}",
                           encoder.embedding_width(), read));
  }
  return config;
}

Json language_model_json(const LanguageModelConfig& config) {
  Json json = {{"share_embedding", config.share_embedding}};
  if (config.bias) {
    json["bias"] = true;
  }
  if (config.rows > 0) {
    json["rows"] = config.rows;
  }
  if (config.width > 0) {
    json["width"] = config.width;
  }
  if (config.scale != 1.0) {
    json["scale"] = config.scale;
  }
  if (config.cap > 0.0) {
    json["cap"] = config.cap;
  }
  return json;
}

std::string describe(const LanguageModelConfig& head) {
  return head.share_embedding ? "next-token head with the weights of the embeddings" : "next-token head";
}

}  // namespace mog::model
