// What a training run reads beside its configuration.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/workflow/train/train_job.h"

namespace mog::app {

// Folder that the data files' names are relative to: the option's, else $MOG_DATA_DIR, else the
// configuration's.
std::filesystem::path data_root(const TrainConfig& config, const TrainJobOptions& options);

// Files of the data, and pieces and vocabularies taken from there, that are not there; each once.
std::vector<std::filesystem::path> missing_inputs(const TrainConfig& config, const TrainJobOptions& options);

// Fingerprints of data files and models; every file is read once, however many runs share it.
class InputFingerprints {
 public:
  // Of all data files of the run, the weights that it starts from and its teacher's, in hexadecimal digits;
  // nullopt where one of them cannot be read.
  std::optional<std::string> of(const TrainConfig& config, const TrainJobOptions& options);

 private:
  std::map<std::filesystem::path, std::string> files_;
};

}  // namespace mog::app
