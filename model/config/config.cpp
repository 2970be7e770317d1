#include "model/config/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "io/recording/errors.h"
#include "io/text/json_check.h"
#include "model/config/config_choices.h"
#include "model/config/config_parts.h"
#include "model/config/describe_stack.h"

namespace mog::model {
namespace {

constexpr std::size_t kMostTags = 65536;
constexpr std::int64_t kMostCapsules = 4096;
constexpr std::int64_t kMostIterations = 100;

// The optional keys of a plain Transformer that came from another program.
void read_plain(ConfigReader& reader, const std::string& file, EncoderConfig& config) {
  read_block_switches(reader, config);
  if (reader.has("embedding_dim")) {
    const std::int64_t width = reader.integer("embedding_dim", 1, kMostWidth);
    config.embedding_dim = width == config.d_model ? 0 : width;
    if (config.embedding_dim > 0 && config.position == Position::sinusoidal) {
      contradict(file, fmt::format("encoder.position = sinusoidal with encoder.embedding_dim = {}; these "
                                   "positions need embeddings of d_model = {}",
                                   config.embedding_dim, config.d_model));
    }
  }
  if (reader.has("head_dim")) {
    config.head_dim = reader.integer("head_dim", 1, kMostWidth);
  }
  // A bias on the scores, alone or beside positions in the embeddings (MPNet).
  if (config.position == Position::relative || reader.has("relative_buckets")) {
    read_relative(reader, config);
    if (config.relative_distance <= config.relative_buckets / 4) {
      contradict(file,
                 fmt::format("encoder.relative_buckets = {} and relative_distance = {}: the distance is "
                             "greater than a quarter of the buckets",
                             config.relative_buckets, config.relative_distance));
    }
  }
  read_attention(reader, file, config);
  if (reader.has("graph_input")) {
    config.graph_input =
        read_graph_input(ConfigReader(reader.at("graph_input"), file, "encoder.graph_input"));
  }
  if (config.head_dim > 0 && config.attention_dim != config.heads * config.head_dim) {
    contradict(file, fmt::format("encoder.attention_dim = {}, but heads = {} of head_dim = {}",
                                 config.attention_dim, config.heads, config.head_dim));
  }
}

// The keys of a gru or lstm after `kind`.
void read_recurrent(ConfigReader& reader, const std::string& file, EncoderConfig& config) {
  const bool lstm = config.kind == EncoderKind::lstm;
  config.heads = config.attention_dim = config.ffn_dim = 0;
  config.layers = reader.integer("layers", 1, kMostLayers);
  config.d_model = reader.integer("d_model", 1, kMostWidth);
  if (reader.has("embedding_dim")) {
    const std::int64_t width = reader.integer("embedding_dim", 1, kMostWidth);
    config.embedding_dim = width == config.d_model ? 0 : width;
  }
  config.cell = lstm ? RecurrentCell::lstm : RecurrentCell::gru_reset;
  if (reader.has("cell")) {
    config.cell = reader.choice("cell", kCells);
  }
  read_switch(reader, "bidirectional", config.bidirectional);
  if (config.bidirectional && config.d_model % 2 != 0) {
    reader.refuse("d_model", "an even number with bidirectional = true (half of it for each direction)",
                  std::to_string(config.d_model));
  }
  read_position(reader, config.position, config.d_model, nullptr);
  config.embed_scale = reader.boolean("embed_scale");
  reader.finish(
      "an encoder of kind gru or lstm has layers, d_model, embedding_dim, cell, bidirectional, position and "
      "embed_scale; it has no attention, no feed-forward block and no layer norm");
  if (lstm != (config.cell == RecurrentCell::lstm)) {
    contradict(file, fmt::format("encoder.cell = {} with kind = {}; {}", text_of(kCells, config.cell),
                                 text_of(kKinds, config.kind),
                                 lstm ? "its cell is lstm" : "its cells are gru_reset, gru_plain and gru"));
  }
  if (config.position == Position::sinusoidal && config.embedding_dim > 0) {
    contradict(file, fmt::format("encoder.position = sinusoidal with encoder.embedding_dim = {}; these "
                                 "positions need embeddings of d_model = {}",
                                 config.embedding_dim, config.d_model));
  }
}

EncoderConfig read_encoder(ConfigReader reader, const std::string& file) {
  EncoderConfig config;
  config.kind = reader.choice("kind", kKinds);
  if (config.recurrent()) {
    read_recurrent(reader, file, config);
    return config;
  }
  config.layers = reader.integer("layers", 1, kMostLayers);
  config.d_model = reader.integer("d_model", 1, kMostWidth);
  config.heads = reader.integer("heads", 1, kMostWidth);
  config.attention_dim = reader.integer("attention_dim", 1, kMostWidth);
  config.ffn_dim = reader.integer("ffn_dim", 1, kMostWidth);
  config.activation = reader.choice("activation", kActivations);
  config.layer_norm_eps = reader.number_above_zero("layer_norm_eps", 1.0);
  config.norm = reader.choice("norm", kEncoderNorms);
  read_position(reader, config.position, config.d_model, &config.first_position,
                config.graph() ? kPositions : kEncoderPositions);
  config.embed_scale = reader.boolean("embed_scale");
  read_switch(reader, "embedding_norm", config.embedding_norm);
  if (!config.graph()) {
    read_plain(reader, file, config);
  } else {
    config.fusion = reader.choice("fusion", kFusions);
    config.gate_form = reader.choice("gate_form", kGateForms);
    config.share_qkv = reader.boolean("share_qkv");
    config.first_layer = reader.choice("first_layer", kFirstLayers);
    config.self_gate_scale = reader.choice("self_gate_scale", kSelfGateScales);
    config.residual = reader.choice("residual", kResiduals);
  }
  reader.finish(config.graph() ? ""
                               : "fusion, gate_form, share_qkv, first_layer, self_gate_scale and residual "
                                 "belong to kind = graph_transformer only, cell and bidirectional to kind = "
                                 "gru or lstm");
  if (config.attention_dim % config.heads != 0) {
    contradict(file, fmt::format("encoder.heads = {} does not divide encoder.attention_dim = {}",
                                 config.heads, config.attention_dim));
  }
  if (config.attention_dim > config.d_model && config.head_dim == 0) {
    contradict(file, fmt::format("encoder.attention_dim = {} is greater than encoder.d_model = {}",
                                 config.attention_dim, config.d_model));
  }
  if (!config.graph() && config.attention_dim != config.d_model && config.head_dim == 0) {
    contradict(file, fmt::format("encoder.attention_dim = {} with kind = transformer, where it must equal "
                                 "encoder.d_model = {} (or head_dim says the width of a head)",
                                 config.attention_dim, config.d_model));
  }
  if (config.graph() && config.norm != NormPlace::post) {
    contradict(file, fmt::format("encoder.norm = {} with kind = graph_transformer, which is post",
                                 text_of(kEncoderNorms, config.norm)));
  }
  return config;
}

GretConfig read_gret(ConfigReader reader, const std::string& file, const EncoderConfig& encoder) {
  if (encoder.recurrent()) {
    contradict(file, fmt::format("gret with encoder.kind = {}; its capsules are those of the layers of a "
                                 "transformer or graph_transformer",
                                 name(encoder.kind)));
  }
  GretConfig config;
  config.capsules = reader.integer("capsules", 1, kMostCapsules);
  config.iterations = reader.integer("iterations", 1, kMostIterations);
  config.route_axis = reader.choice("route_axis", kRouteAxes);
  config.pooling = reader.choice("pooling", kPoolings);
  config.ffn_dim = config.pooling == CapsulePooling::attentive ? reader.integer("ffn_dim", 1, kMostWidth) : 0;
  config.share_capsules = reader.boolean("share_capsules");
  if (config.pooling != CapsulePooling::mean) {
    config.share_pooling = reader.boolean("share_pooling");
  }
  config.share_gru = reader.boolean("share_gru");
  reader.finish("ffn_dim belongs to pooling = attentive, share_pooling to attentive and concatenation");
  return config;
}

TokenizerConfig read_tokenizer(ConfigReader reader, bool decoder) {
  TokenizerConfig config;
  config.kind = reader.choice("kind", kTokenizers);
  config.lowercase = reader.boolean("lowercase");
  if (config.kind == TokenizerKind::bpe) {
    config.codes = reader.file_name("codes");
  }
  if (has_tokenizer_json(config.kind)) {
    config.file = reader.file_name("file");
  }
  config.vocab = reader.file_name("vocab");
  if (reader.has("words")) {
    config.words = reader.choice("words", kWordCuts);
  }
  if (config.kind == TokenizerKind::whitespace || config.kind == TokenizerKind::bpe) {
    read_switch(reader, "sentence_end", config.sentence_end);
  }
  if (decoder) {
    config.target_vocab = reader.file_name("target_vocab");
    if (has_tokenizer_json(config.kind) && reader.has("target_file")) {
      config.target_file = reader.file_name("target_file");
    }
  }
  reader.finish(
      "codes belongs to kind = bpe, file and target_file to kind = wordpiece, byte_bpe and unigram, "
      "sentence_end to whitespace and bpe, target_vocab and target_file to architecture = encoder_decoder");
  return config;
}

// Task names are parts of tensor and quantity names: letters, digits, "_" and "-".
bool sound_task_name(const std::string& name) {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::map<std::string, std::vector<std::string>> read_tasks(const nlohmann::ordered_json& value,
                                                           const ConfigReader& reader) {
  std::map<std::string, std::vector<std::string>> tasks;
  if (!value.is_object()) {
    reader.refuse("tasks", "an object of lists of tags", value.dump().substr(0, 80));
  }
  for (const auto& [task, tags] : value.items()) {
    const std::string key = "tasks." + task;
    if (!sound_task_name(task)) {
      reader.refuse(key, "a name of letters, digits, _ and -", "\"" + task + "\"");
    }
    if (!tags.is_array() || tags.empty() || tags.size() > kMostTags) {
      reader.refuse(key, "a list of tags", tags.dump().substr(0, 80));
    }
    std::set<std::string> seen;
    for (const auto& tag : tags) {
      if (!tag.is_string() || tag.get<std::string>().empty()) {
        reader.refuse(key, "a list of texts", tag.dump().substr(0, 80));
      }
      if (!seen.insert(tag.get<std::string>()).second) {
        reader.refuse(key, "each tag once", tag.dump() + " twice");
      }
      tasks[task].push_back(tag.get<std::string>());
    }
  }
  return tasks;
}

void check_ids(const ConfigReader& reader, const ModelConfig& config, const std::string& file) {
  const std::pair<const char*, std::int64_t> ids[] = {{"pad_id", config.pad_id},
                                                      {"bos_id", config.bos_id},
                                                      {"eos_id", config.eos_id},
                                                      {"unk_id", config.unk_id}};
  for (const auto& [key, id] : ids) {
    const bool of_decoder = config.decoder && key == std::string_view("bos_id");
    if (id >= config.vocab_size && !of_decoder) {
      reader.refuse(key, fmt::format("a number below vocab_size = {}", config.vocab_size),
                    std::to_string(id));
    }
    if (config.decoder && id >= config.target_vocab_size) {
      reader.refuse(key, fmt::format("a number below target_vocab_size = {}", config.target_vocab_size),
                    std::to_string(id));
    }
  }
  if (config.language_model) {
    return;  // many have one token for the start, the end and padding
  }
  // A decoder may start from the padding (Marian, T5).
  const bool starts = config.pad_id == config.bos_id && !config.decoder;
  if (config.pad_id == config.eos_id || config.pad_id == config.unk_id || starts) {
    contradict(file, fmt::format("pad_id = {} is the id of another special token too", config.pad_id));
  }
}

}  // namespace

ModelConfig parse_config(std::string_view json, const std::filesystem::path& file) {
  const std::string name = file.string();
  io::check_json(json, name);
  const auto document = nlohmann::ordered_json::parse(json);
  ConfigReader reader(document, name, "");
  if (const std::string format = reader.text("format"); format != "mog-model") {
    reader.refuse("format", "\"mog-model\"", "\"" + format + "\"");
  }
  reader.integer("format_version", 1, 1);
  const bool decoder = reader.choice<bool>("architecture", {{true, "encoder_decoder"}, {false, "encoder"}});
  ModelConfig config;
  config.encoder = read_encoder(ConfigReader(reader.at("encoder"), name, "encoder"), name);
  if (decoder) {
    config.decoder = read_decoder(ConfigReader(reader.at("decoder"), name, "decoder"), name, config.encoder);
    if (reader.has("gret")) {
      config.gret = read_gret(ConfigReader(reader.at("gret"), name, "gret"), name, config.encoder);
    }
  }
  config.tokenizer = read_tokenizer(ConfigReader(reader.at("tokenizer"), name, "tokenizer"), decoder);
  config.vocab_size = reader.integer("vocab_size", 1, kMostVocabulary);
  if (decoder) {
    config.target_vocab_size = reader.integer("target_vocab_size", 1, kMostVocabulary);
  }
  config.pad_id = reader.integer("pad_id", 0, kMostVocabulary);
  config.bos_id = reader.integer("bos_id", 0, kMostVocabulary);
  config.eos_id = reader.integer("eos_id", 0, kMostVocabulary);
  config.unk_id = reader.integer("unk_id", 0, kMostVocabulary);
  if (!decoder && reader.has("tasks")) {
    config.tasks = read_tasks(reader.at("tasks"), reader);
  }
  if (!decoder && reader.has("graph")) {
    config.graph = read_graph(ConfigReader(reader.at("graph"), name, "graph"), name, config.encoder);
    for (const std::string& head : head_names(*config.graph)) {
      if (config.tasks.contains(head)) {
        contradict(name, fmt::format("tasks.{} has the name of a head of graph; choose another", head));
      }
    }
  }
  if (!decoder && reader.has("language_model")) {
    config.language_model = read_language_model(
        ConfigReader(reader.at("language_model"), name, "language_model"), name, config.encoder);
    if (config.language_model->rows > 0 && config.language_model->rows < config.vocab_size) {
      contradict(name, fmt::format("language_model.rows = {}: it must be at least vocab_size = {}",
                                   config.language_model->rows, config.vocab_size));
    }
  }
  if (decoder && config.encoder.graph_input) {
    contradict(name, "encoder.graph_input with architecture = encoder_decoder, which has no graph to read");
  }
  reader.finish(decoder ? "tasks, graph and language_model belong to architecture = encoder"
                        : "decoder, gret and target_vocab_size belong to architecture = encoder_decoder");
  check_ids(reader, config, name);
  if (config.decoder && config.decoder->first_id.value_or(0) >= config.target_vocab_size) {
    contradict(name, fmt::format("decoder.first_id = {}: it must be below target_vocab_size = {}",
                                 *config.decoder->first_id, config.target_vocab_size));
  }
  return config;
}

std::string describe(const EncoderConfig& encoder) {
  if (encoder.recurrent()) {
    return fmt::format("{}{} encoder ({}) of {} layers, d_model {}, embeddings of {}",
                       encoder.bidirectional ? "bidirectional " : "",
                       encoder.kind == EncoderKind::gru ? "GRU" : "LSTM", name(encoder.cell), encoder.layers,
                       encoder.d_model, encoder.embedding_width());
  }
  std::string text = fmt::format("{} of {} layers, d_model {}, {}, attention_dim {}, ffn_dim {}",
                                 encoder.graph()    ? "Graph-Transformer encoder"
                                 : encoder.causal() ? "causal Transformer"
                                                    : "Transformer encoder",
                                 encoder.layers, encoder.d_model, describe_heads(encoder),
                                 encoder.attention_dim, encoder.ffn_dim);
  if (encoder.graph()) {
    constexpr std::string_view kFusionTexts[] = {"sum", "weight gate", "self gate"};
    text += fmt::format(", fusion by {}{}{}", kFusionTexts[static_cast<std::size_t>(encoder.fusion)],
                        encoder.attention_dim < encoder.d_model ? ", half-dimension attention" : "",
                        encoder.share_qkv ? ", shared query, key and value maps" : "");
  }
  if (!encoder.graph()) {
    text += describe_attention(encoder);
  }
  if (encoder.graph_input) {
    text += ", " + describe(*encoder.graph_input);
  }
  return text;
}

double EncoderConfig::scale() const noexcept {
  if (score_scale > 0.0) {
    return score_scale;
  }
  const std::int64_t terms = disentangled ? disentangled->terms() : 1;
  return attention_scale ? 1.0 / std::sqrt(static_cast<double>(head_width() * terms)) : 1.0;
}

bool EncoderConfig::turns(std::int64_t layer) const noexcept {
  return rotary && std::find(rotary->without.begin(), rotary->without.end(), layer) == rotary->without.end();
}

std::string describe(const GretConfig& gret) {
  return fmt::format("global representation of {} capsules a layer, {} steps of routing over {}, {} pooling",
                     gret.capsules, gret.iterations, name(gret.route_axis), name(gret.pooling));
}

std::vector<CapsulePooling> capsule_poolings() {
  std::vector<CapsulePooling> poolings;
  for (const auto& [pooling, text] : kPoolings) {
    poolings.push_back(pooling);
  }
  return poolings;
}

std::vector<EncoderKind> encoder_kinds() {
  std::vector<EncoderKind> kinds;
  for (const auto& [kind, text] : kKinds) {
    kinds.push_back(kind);
  }
  return kinds;
}

}  // namespace mog::model
