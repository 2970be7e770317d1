// Parts of the reader of training configurations.
#pragma once

#include "app/workflow/experiment/train_config.h"
#include "app/workflow/experiment/train_toml.h"

namespace mog::app {

// Throws FormatError with the line where the text is not TOML.
toml::table parse_toml(std::string_view toml, const std::filesystem::path& file);
// Throws StorageError when the file cannot be read.
std::string read_config_text(const std::filesystem::path& file);
// The configuration that a document says; `text` becomes TrainConfig::text. Throws as parse_train_config.
TrainConfig read_train_document(const toml::table& document, std::string text,
                                const std::filesystem::path& file);

// [data]. Throws as parse_train_config.
void read_data(TomlTable& root, TrainConfig& config);
// [start] and [distill] with its stages. Throw as parse_train_config.
void read_start(TomlTable& root, StartPlan& plan, const std::filesystem::path& file);
void read_distill(TomlTable& root, TrainConfig& config);
// [graph]. Throws as parse_train_config.
void read_graph_plan(TomlTable& root, TrainConfig& config);

// Keys that are sound alone and contradict each other. Throws ModelError with the line of one of them.
void check_train_config(const TrainConfig& config, const toml::table& document);

}  // namespace mog::app
