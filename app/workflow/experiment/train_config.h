// The TOML file of `mog train`: model, tokenizer, data, training, output (docs/training.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/config/config.h"
#include "model/trainer.h"
#include "model/warm_start.h"

namespace mog::app {

// Plain text. share: of its lines that an epoch takes; in 1/share epochs every line comes once.
struct TextFile {
  std::filesystem::path file;
  double share = 1.0;
};

// Files of one part of the data, relative to the data directory. Tagging: `conllu` gives words and UPOS,
// `iob2` gives entities of the same sentences; either may be missing when no task needs it.
// Translation: `source` and `target`, one sentence a line, aligned. `text`: plain lines (or the sentences of
// a .conllu) without labels, for distillation. `coref`: documents of CoNLL-2012, files or folders of them.
struct DataSplit {
  std::vector<std::filesystem::path> conllu = {};
  std::vector<std::filesystem::path> iob2 = {};
  std::vector<std::filesystem::path> source = {};
  std::vector<std::filesystem::path> target = {};
  std::vector<TextFile> text = {};
  std::vector<std::filesystem::path> coref = {};
  bool empty() const noexcept {
    return conllu.empty() && iob2.empty() && source.empty() && text.empty() && coref.empty();
  }
};

enum class TaskColumn : std::uint8_t { upos, xpos, iob2 };

// One tagging head.
struct TaskConfig {
  std::string name;  // of heads.{name}
  TaskColumn column = TaskColumn::upos;
  double weight = 1.0;
  std::vector<std::string> labels = {};  // iob2: entity kinds kept, others become O; empty: all
  std::vector<std::string> tags = {};    // upos, xpos: no other tag may occur; empty: any
};

struct TokenizerPlan {
  std::filesystem::path model;  // a model directory whose tokenizer is taken over; the rest is then unused
  model::TokenizerKind kind = model::TokenizerKind::bpe;
  bool lowercase = false;
  std::int64_t merges = 7000;   // learnt from the training words when `codes` is empty
  std::int64_t min_count = 1;   // whitespace: words seen less often are <unk>
  std::filesystem::path codes;  // reuse instead of learning; with `vocab` (and `target_vocab`)
  std::filesystem::path vocab;
  std::filesystem::path target_vocab;
  // Of plain text, for the model's configuration; nullopt: ud-en where all treebanks of the training part are
  // named as those of English are (en_ewt-train.conllu), else automatic.
  std::optional<model::WordCut> words;
};

enum class Schedule : std::uint8_t { inverse_sqrt, cosine, constant };
enum class BestBy : std::uint8_t { nll, bleu, rouge_l };

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
  std::int64_t average_last = 0;           // weights of so many last validations are averaged; 0: no
  std::int64_t validation_bleu = 0;        // translators: so many development sentences are translated
  std::int64_t validation_rouge = 0;       // the same, scored by ROUGE
  std::int64_t validation_beam = 1;        // with this beam; 1: greedy
  BestBy best_by = BestBy::nll;            // which weights are the best
  double collapse_limit = 0.95;            // token cosine of the last layer above which a run has collapsed
  bool stop_on_collapse = false;           // else a note
  model::TrainerOptions trainer;           // dropout, smoothing, clipping, seed, …
};

// [start]: the weights of the first step.
struct StartPlan {
  std::filesystem::path model;  // a model directory; empty: drawn from the seed
  model::WarmStartOptions options;
  std::int64_t sample_tokens = 15'000;  // for heads = "fit"
};

// [distill]: what the student is compared with, and how much each comparison weighs.
struct DistillStage {
  std::int64_t updates = 0;  // of this stage; 0 (the last only): to the end
  model::LossWeights losses;
};
struct DistillPlan {
  std::filesystem::path teacher;  // a model directory; empty: no distillation
  // false: the teacher reads the student's pieces. true: each reads its own, and states are compared as means
  // over the shortest stretches of text that both cut out.
  bool own_pieces = false;
  std::vector<DistillStage> stages;
};

// [graph], beside what the model's configuration says of it.
struct GraphPlan {
  bool subtypes = false;  // labels as "nsubj:pass"; else cut at the colon
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
  StartPlan start;
  DistillPlan distill;
  GraphPlan graph;
  std::filesystem::path output;  // model directory, relative to the working directory; may be empty
  io::WeightsType weights = io::WeightsType::float16;  // of the written model
  std::string license = "Apache-2.0";                  // of the written model
  std::string twin;       // model directory to compare with in the card; may be empty
  std::string text;       // the file, verbatim
  std::string sweep_run;  // its name where it is one of a sweep

  bool translation() const noexcept { return model.decoder.has_value(); }
  bool distills() const noexcept { return !distill.stages.empty(); }
};

// Throws FormatError naming file, line and key: no TOML, unknown or missing key, wrong type, value out of
// range; ModelError where keys contradict each other. `file` is only named in messages.
TrainConfig parse_train_config(std::string_view toml, const std::filesystem::path& file);
// Throws StorageError when the file cannot be read.
TrainConfig read_train_config(const std::filesystem::path& file);

// Throws UsageError that names the file where neither its section [output] nor the command line names a
// folder.
void require_output(const std::filesystem::path& configured, const std::filesystem::path& given,
                    const std::filesystem::path& file);

// The losses of update `step` (from 1); without distillation those of the tasks alone.
model::LossWeights losses_at(const DistillPlan& plan, std::int64_t step);

// Learning rate of update `step` (from 1) of `total` (0 when unknown: cosine is then refused by
// parse_train_config).
double learning_rate(const TrainingPlan& plan, std::int64_t step, std::int64_t total);

}  // namespace mog::app
