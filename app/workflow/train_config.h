// The TOML file of `mog train`: model, tokenizer, data, training, output (docs/training.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/config.h"
#include "model/trainer.h"

namespace mog::app {

// Files of one part of the data, relative to the data directory. Tagging: `conllu` gives words and UPOS,
// `iob2` gives entities of the same sentences; either may be missing when no task needs it.
// Translation: `source` and `target`, one sentence a line, aligned.
struct DataSplit {
  std::vector<std::filesystem::path> conllu = {};
  std::vector<std::filesystem::path> iob2 = {};
  std::vector<std::filesystem::path> source = {};
  std::vector<std::filesystem::path> target = {};
  bool empty() const noexcept { return conllu.empty() && iob2.empty() && source.empty(); }
};

enum class TaskColumn : std::uint8_t { upos, xpos, iob2 };

// One tagging head.
struct TaskConfig {
  std::string name;  // of heads.{name}
  TaskColumn column = TaskColumn::upos;
  double weight = 1.0;
  std::vector<std::string> labels = {};  // iob2: entity kinds kept, others become O; empty: all
};

struct TokenizerPlan {
  model::TokenizerKind kind = model::TokenizerKind::bpe;
  bool lowercase = false;
  std::int64_t merges = 7000;   // learnt from the training words when `codes` is empty
  std::int64_t min_count = 1;   // whitespace: words seen less often are <unk>
  std::filesystem::path codes;  // reuse instead of learning; with `vocab` (and `target_vocab`)
  std::filesystem::path vocab;
  std::filesystem::path target_vocab;
};

enum class Schedule : std::uint8_t { inverse_sqrt, cosine, constant };

struct TrainingPlan {
  std::int64_t batch_tokens = 1500;
  std::int64_t accumulate = 1;  // batches of one update
  std::int64_t epochs = 0;      // ends by whichever of epochs and updates comes first; 0: no limit
  std::int64_t updates = 0;
  std::int64_t max_tokens = 256;  // longer training sentences are left out
  double learning_rate = 1.5e-3;
  double min_learning_rate = 0.0;
  std::int64_t warmup = 400;
  Schedule schedule = Schedule::cosine;
  std::int64_t log_interval = 50;          // updates
  std::int64_t validation_interval = 0;    // updates; 0: after every epoch
  std::int64_t checkpoint_interval = 500;  // updates, besides those at every validation; 0: only those
  std::int64_t patience = 0;               // validations without a better score; 0: never stop early
  model::TrainerOptions trainer;           // dropout, smoothing, clipping, seed, …
};

// Who made the data and on which terms: printed in the model card.
struct DataSource {
  std::string name;
  std::string licence;
  std::string attribution;
  std::string url;
};

struct TrainConfig {
  std::filesystem::path file;
  std::string name;
  std::string description;
  model::ModelConfig model;  // vocabulary sizes and tags are filled from the data
  TokenizerPlan tokenizer;
  std::filesystem::path data_root;  // empty: the folder of the configuration
  DataSplit train;
  DataSplit dev;
  DataSplit test;
  std::vector<DataSource> sources;
  std::vector<TaskConfig> tasks;
  TrainingPlan training;
  std::filesystem::path output;        // model directory; relative to the working directory
  DType weights = DType::float16;      // of the written model
  std::string license = "Apache-2.0";  // of the written model
  std::string twin;                    // model directory to compare with in the card; may be empty
  std::string text;                    // the file, verbatim

  bool translation() const noexcept { return model.decoder.has_value(); }
};

// Throws FormatError naming file, line and key: no TOML, unknown or missing key, wrong type, value out of
// range; ModelError where keys contradict each other. `file` is only named in messages.
TrainConfig parse_train_config(std::string_view toml, const std::filesystem::path& file);
// Throws StorageError when the file cannot be read.
TrainConfig read_train_config(const std::filesystem::path& file);

// Learning rate of update `step` (from 1) of `total` (0 when unknown: cosine is then refused by
// parse_train_config).
double learning_rate(const TrainingPlan& plan, std::int64_t step, std::int64_t total);

}  // namespace mog::app
