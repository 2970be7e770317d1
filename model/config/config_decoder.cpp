// The keys of a decoder, and the readers that it shares with an encoder.
#include <fmt/format.h>

#include "io/recording/errors.h"
#include "model/config/config_parts.h"

namespace mog::model {

void contradict(const std::string& file, const std::string& defect) {
  throw ModelError(fmt::format("{}: {}", file, defect));
}

void read_position(ConfigReader& reader, Position& position, std::int64_t d_model, std::int64_t* first,
                   const Choices<Position>& choices) {
  position = reader.choice("position", choices);
  if (position == Position::sinusoidal && (d_model % 2 != 0 || d_model < 4)) {
    reader.refuse("d_model", "an even number from 4 with position = sinusoidal", std::to_string(d_model));
  }
  if (first != nullptr && position == Position::sinusoidal && reader.has("first_position")) {
    *first = reader.integer("first_position", 0, kMostWidth);
  }
}

void read_switch(ConfigReader& reader, const char* key, bool& value) {
  if (reader.has(key)) {
    value = reader.boolean(key);
  }
}

void read_switch(ConfigReader& reader, const char* key, std::optional<bool>& value, bool usual) {
  if (reader.has(key)) {
    value = reader.boolean(key);
    if (*value == usual) {
      value.reset();
    }
  }
}

DecoderConfig read_decoder(ConfigReader reader, const std::string& file, const EncoderConfig& encoder) {
  DecoderConfig config;
  config.layers = reader.integer("layers", 1, kMostLayers);
  config.d_model = reader.integer("d_model", 1, kMostWidth);
  config.heads = reader.integer("heads", 1, kMostWidth);
  config.ffn_dim = reader.integer("ffn_dim", 1, kMostWidth);
  config.activation = reader.choice("activation", kActivations);
  config.layer_norm_eps = reader.number_above_zero("layer_norm_eps", 1.0);
  config.norm = reader.choice("norm", kNorms);
  read_position(reader, config.position, config.d_model, &config.first_position, kAttentionPositions);
  config.embed_scale = reader.boolean("embed_scale");
  config.share_output_embedding = reader.boolean("share_output_embedding");
  read_switch(reader, "embedding_norm", config.embedding_norm);
  read_block_switches(reader, config);
  read_switch(reader, "output_bias", config.output_bias);
  if (reader.has("head_dim")) {
    config.head_dim = reader.integer("head_dim", 1, kMostWidth);
  }
  if (config.position == Position::relative) {
    read_relative(reader, config);
    if (config.relative_distance <= config.relative_buckets / 2) {
      contradict(file,
                 fmt::format("decoder.relative_buckets = {} and relative_distance = {}: the distance is "
                             "greater than half of the buckets",
                             config.relative_buckets, config.relative_distance));
    }
  }
  if (reader.has("first_id")) {
    config.first_id = reader.integer("first_id", 0, kMostVocabulary);
  }
  reader.finish();
  if (config.d_model != encoder.d_model) {
    contradict(file, fmt::format("decoder.d_model = {}, encoder.d_model = {}: they must be equal",
                                 config.d_model, encoder.d_model));
  }
  if (config.head_dim == 0 && config.d_model % config.heads != 0) {
    contradict(file, fmt::format("decoder.heads = {} does not divide decoder.d_model = {}", config.heads,
                                 config.d_model));
  }
  return config;
}

}  // namespace mog::model
