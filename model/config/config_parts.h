// What the readers of config.json share (internal to the room).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/config/config.h"
#include "model/config/config_choices.h"
#include "model/config/config_reader.h"

namespace mog::model {

// Far above what anyone trains, low enough that products of a few of them fit in 64 bits.
inline constexpr std::int64_t kMostLayers = 1024;
inline constexpr std::int64_t kMostWidth = std::int64_t{1} << 20;
inline constexpr std::int64_t kMostVocabulary = std::int64_t{1} << 24;

// ModelError: keys that are sound by themselves contradict each other.
[[noreturn]] void contradict(const std::string& file, const std::string& defect);

// `first`: nullptr where positions always count from 2.
void read_position(ConfigReader& reader, Position& position, std::int64_t d_model, std::int64_t* first,
                   const Choices<Position>& choices = kPositions);
void read_switch(ConfigReader& reader, const char* key, bool& value);
// A value that is `usual` becomes none.
void read_switch(ConfigReader& reader, const char* key, std::optional<bool>& value, bool usual);

// The optional keys that the layers of a plain encoder and of a decoder have alike.
template <class Config>
void read_block_switches(ConfigReader& reader, Config& config) {
  if (reader.has("norm_kind")) {
    config.norm_kind = reader.choice("norm_kind", kNormKinds);
  }
  read_switch(reader, "final_norm", config.final_norm, config.norm == NormPlace::pre);
  read_switch(reader, "attention_scale", config.attention_scale);
  read_switch(reader, "projection_bias", config.projection_bias);
  read_switch(reader, "gated_ffn", config.gated_ffn);
}
template <class Config>
void read_relative(ConfigReader& reader, Config& config) {
  config.relative_buckets = reader.integer("relative_buckets", 4, kMostWidth);
  config.relative_distance = reader.integer("relative_distance", 2, kMostWidth);
  if (config.relative_buckets % 4 != 0) {
    reader.refuse("relative_buckets", "a multiple of 4", std::to_string(config.relative_buckets));
  }
}

// The optional keys of a plain encoder's attention and blocks (config_attention.cpp). attention_dim is known.
void read_attention(ConfigReader& reader, const std::string& file, EncoderConfig& config);
void add_attention(const EncoderConfig& config, nlohmann::ordered_json& json);
LanguageModelConfig read_language_model(ConfigReader reader, const std::string& file,
                                        const EncoderConfig& encoder);
nlohmann::ordered_json language_model_json(const LanguageModelConfig& config);

GraphInputConfig read_graph_input(ConfigReader reader);
nlohmann::ordered_json graph_input_json(const GraphInputConfig& config);
// Throws ModelError where it and the encoder contradict each other.
GraphConfig read_graph(ConfigReader reader, const std::string& file, const EncoderConfig& encoder);
nlohmann::ordered_json graph_json(const GraphConfig& config);
DecoderConfig read_decoder(ConfigReader reader, const std::string& file, const EncoderConfig& encoder);

}  // namespace mog::model
