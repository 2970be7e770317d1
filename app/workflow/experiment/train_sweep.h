// Many training runs from one file: the section [sweep] of a training configuration (docs/training.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/workflow/experiment/train_config.h"

namespace mog::app {

// One combination of axis values with one seed.
struct SweepRun {
  std::string name;                 // of its directory: the values and the seed, "gate-L5-s1"
  std::vector<std::string> values;  // [axis]
  std::int64_t seed = 1;
  TrainConfig config;  // with the changes; config.text is TOML without [sweep] that gives the same run
};

// What stays of a finished run besides its scores.
enum class SweepKeep : std::uint8_t {
  all,     // the model and the float32 weights that it was written from
  models,  // the model
  scores,  // neither
};

struct Sweep {
  std::filesystem::path file;
  std::string name;
  std::filesystem::path output;   // holds a model directory for each run, and the tables
  std::vector<std::string> axes;  // in the order of the file
  std::vector<SweepRun> runs;     // the last axis changes before the one in front of it, seeds first
  SweepKeep keep = SweepKeep::all;
};

// nullopt when the file has no [sweep]. Every run is read as a configuration of its own. Throws as
// parse_train_config (the line is that of the change where a change is wrong), and for changes of keys in
// sections that the file does not have, of seed, name or output directory, and of one key by two axes.
std::optional<Sweep> parse_sweep(std::string_view toml, const std::filesystem::path& file);
// Throws StorageError when the file cannot be read.
std::optional<Sweep> read_sweep(const std::filesystem::path& file);

// Indices of the runs that one of `patterns` names: a run's name with the shell's * ? [ ], or "K/N" for every
// N-th run from the K-th (from 1). All runs when there is no pattern. Throws UsageError for a pattern that
// names no run.
std::vector<std::size_t> select_runs(const Sweep& sweep, std::span<const std::string> patterns);

// Parameters besides token embeddings, output map and task heads, whose sizes follow from the data.
std::int64_t inner_parameters(const TrainConfig& config);

}  // namespace mog::app
