// Small models, batches with everything that their heads learn from, and gradients against finite
// differences.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/trainer.h"

namespace mog::model {

using WeightTable = std::map<std::string, HostTensor>;

// Taggers of two tasks.
ModelConfig small_config(EncoderKind kind, bool share_qkv = false);
ModelConfig translator(bool share_output);

// Sentences of these lengths with labels for all heads of the configuration; some tokens have none.
TrainingBatch batch_for(const ModelConfig& config, std::uint32_t seed,
                        const std::vector<std::int64_t>& lengths = {5, 5, 3, 2});

// Without dropout.
TrainerOptions quiet();
// On test::test_device().
std::unique_ptr<Trainer> trainer(const ModelConfig& config, const TrainerOptions& options,
                                 const WeightTable* initial = nullptr);

// Every tensor's gradient along a random direction against a central difference of the loss over `length`.
void check_gradients(const ModelConfig& config, float length = 2e-2F, std::uint32_t seed = 7);

}  // namespace mog::model
