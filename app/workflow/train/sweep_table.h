// What the runs of a sweep gave, and the table of their combinations.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/workflow/experiment/train_sweep.h"
#include "app/workflow/train/train_job.h"

namespace mog::app {

// One run that came to its end, or to a loss that is not finite or a collapsed encoder.
struct SweepResult {
  std::string name;
  bool failed = false;
  std::string message;        // why it failed
  std::string config_sha256;  // of the run's configuration
  std::string device;         // empty: unknown
  std::string inputs_sha256;  // of data, start and teacher (InputFingerprints); empty: unknown
  std::int64_t parameters = 0;
  std::int64_t updates = 0;
  std::int64_t epochs = 0;
  bool stopped_early = false;
  // "dev.upos.accuracy", "test.ner.f1", "dev.teacher.sentence_cosine", "distillation.hidden", "token_cosine":
  // dev and test of the written weights, the losses of the last line of metrics.jsonl.
  std::map<std::string, double> scores;
  double tokens_per_second = 0.0;
  double elapsed_s = 0.0;
};

SweepResult to_sweep_result(const SweepRun& run, const TrainResult& result);
std::string config_hash(const TrainConfig& config);

// RUN.training/result.json. Throws FormatError for a damaged file, StorageError.
void write_result(const std::filesystem::path& file, const SweepResult& result);
std::optional<SweepResult> read_result(const std::filesystem::path& file);  // nullopt: there is none

// Over the seeds of one combination.
struct Spread {
  double mean = 0.0;
  double low = 0.0;  // the smallest
  double high = 0.0;
  std::optional<double> sd;  // sample standard deviation (n - 1); from two seeds on
  std::int64_t count = 0;
};
Spread spread_of(const std::vector<double>& values);

struct SweepRow {
  std::vector<std::string> values;  // [axis]
  std::int64_t planned = 0;         // runs
  std::int64_t finished = 0;
  std::int64_t failed = 0;
  std::int64_t parameters = 0;
  std::map<std::string, Spread> numbers;  // "updates", the scores, "tokens_per_second", "elapsed_s"
  std::vector<std::string> messages;      // of failed runs
};

struct SweepTable {
  std::string name;
  std::vector<std::string> axes;
  std::vector<SweepRow> rows;                       // in the order of the runs
  std::vector<const SweepRun*> runs;                // of the sweep, which must live on
  std::vector<std::optional<SweepResult>> results;  // [run]
  std::int64_t missing() const;                     // runs without a result
};

// `results`: [run] of the sweep.
SweepTable make_sweep_table(const Sweep& sweep, std::vector<std::optional<SweepResult>> results);

std::string to_csv(const SweepTable& table);         // a line a combination: mean, min, max, sd
std::string to_json_lines(const SweepTable& table);  // a line a run
std::string to_json(const SweepTable& table);        // both, one document
// For people: a line a combination, "mean (least to greatest)" where there are several seeds.
std::string to_markdown(const SweepTable& table);

}  // namespace mog::app
