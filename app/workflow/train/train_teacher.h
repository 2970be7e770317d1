// The trained encoders that a run starts from or learns from, and their vocabularies.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/workflow/experiment/train_config.h"
#include "app/workflow/experiment/train_data.h"
#include "model/model.h"
#include "model/model_directory.h"

namespace mog::app {

// [id of `from`] the id of the same token in `to`; special tokens (pad, bos, eos, unknown) by their role,
// `missing` for a token that `to` does not have. Empty when both vocabularies are the same.
std::vector<std::int64_t> map_vocabulary(const model::Vocabulary& from, const model::ModelConfig& from_config,
                                         const model::Vocabulary& to, const model::ModelConfig& to_config,
                                         std::int64_t missing);

struct Teacher {
  std::shared_ptr<const model::Model> model;
  std::vector<std::int64_t> ids;  // [student id] its id; empty: the same
  std::string weights_sha256;
  std::vector<std::int64_t> translate(const std::vector<std::int64_t>& student_ids) const;
};
Teacher load_teacher(const std::filesystem::path& directory, const model::Vocabulary& vocabulary,
                     const model::ModelConfig& config, const model::DeviceOptions& device);

struct StartWeights {
  std::map<std::string, HostTensor> weights;
  std::int64_t positions = 0;  // rows of the encoder's position table; 0: none
  std::string weights_sha256;
};
// The weights of [start] for this configuration. heads = "fit" samples whole sentences from `examples`, the
// training data, by the seed.
StartWeights load_start(const TrainConfig& config, const model::Vocabulary& vocabulary,
                        const std::vector<Example>& examples);

}  // namespace mog::app
