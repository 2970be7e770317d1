// The data of a training run, read and cut into tokens.
#pragma once

#include <cstdint>
#include <filesystem>

#include "app/workflow/experiment/train_config.h"
#include "app/workflow/experiment/train_tokenizer.h"
#include "app/workflow/train/train_job.h"
#include "app/workflow/train/train_validation.h"

namespace mog::app {

struct TrainParts {
  NewTokenizer tokenizer;
  PreparedData train;  // examples, and the tags of tagged sentences
  PreparedData dev;
  PreparedData test;          // empty where the configuration names none
  std::int64_t left_out = 0;  // training sentences of more than training.max_tokens
};

// Reads what [data] names, and learns or takes the tokenizer, whose files go into `folder`. `config.model`
// takes what the data say: the tags of its tasks, its tokenizer, the sizes of its vocabularies.
// Throws UsageError where a part has no sentence or a task no tag, FormatError for files that are not what
// they should be and for tags that the model could not say.
TrainParts read_train_parts(TrainConfig& config, const TrainJobOptions& options,
                            const std::filesystem::path& folder);

}  // namespace mog::app
