// How a Hugging Face folder wants its decoder to be run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/foreign/hf_config.h"

namespace mog::model {

struct Generation {
  std::optional<std::int64_t> start;  // the decoder's first input
  std::optional<std::int64_t> first;  // the token that every translation begins with
  std::optional<std::int64_t> end;
  std::vector<std::string> notes;  // what is asked for and not done
};

// generation_config.json; start and end that it lacks stand in config.json, and in older folders all. Throws
// FormatError for a damaged file, ModelError where several tokens end a translation.
Generation read_generation(const std::filesystem::path& folder, HfConfig& config);

}  // namespace mog::model
