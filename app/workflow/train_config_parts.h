// Parts of the reader of training configurations. Private to mog_workflow.
#pragma once

#include "app/workflow/train_config.h"
#include "app/workflow/train_toml.h"

namespace mog::app {

// [start] and [distill] with its stages. Throw as parse_train_config.
void read_start(TomlTable& root, StartPlan& plan, const std::filesystem::path& file);
void read_distill(TomlTable& root, TrainConfig& config);

}  // namespace mog::app
