// A model with the shape and tokenizer of another but without what it has learnt: the control beside which
// numbers of a trained model mean something. The work behind `mog randomize`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "model/trainer.h"

namespace mog::app {

enum class RandomWeights : std::uint8_t {
  fresh,    // drawn as training draws them at its start
  permute,  // each tensor's own values in random places: its distribution stays
};
// "fresh", "permute"; throws UsageError.
RandomWeights parse_random_weights(std::string_view text);

struct RandomizeOptions {
  std::filesystem::path source;  // a model directory
  std::filesystem::path output;
  RandomWeights method = RandomWeights::fresh;
  std::int64_t seed = 1;
  double branch_scale = 1.0;      // fresh: training.branch_scale
  std::vector<std::string> keep;  // tensors whose names start so stay as they are
  bool overwrite = false;
};

struct RandomizeSummary {
  std::string path;
  std::int64_t tensors = 0;  // replaced
  std::int64_t kept = 0;
  std::int64_t parameters = 0;  // replaced
};

// Writes the model directory in the source's weight type. The same seed gives the same file.
// Throws UsageError (an output that holds a model, a prefix that no tensor has), and as open_model_directory,
// create_trainer and write_model_directory.
RandomizeSummary randomize_model(const RandomizeOptions& options, const model::DeviceOptions& device);

}  // namespace mog::app
