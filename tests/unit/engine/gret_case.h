// The capsules of tests/data/gret/golden.safetensors (shared golden/gret) as a model, and small models around
// a global representation.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "io/recording/host_tensor.h"
#include "model/model.h"

namespace mog::test {

// A plain encoder whose feed-forward blocks hand on the states of the golden file, layer by layer, and a
// decoder that hands on its embeddings.
struct GretCase {
  std::shared_ptr<const model::Model> model;
  std::map<std::string, HostTensor> expected;  // all keys of the file
  model::PackedBatch batch() const;            // its sentence and its five target positions
};
// axis: "positions" or "capsules".
GretCase open_gret(const std::string& axis, const model::DeviceOptions& options = {});
// Routing, capsules, pooling weights, gate and decoder states within 1e-5 of the file's.
void check_gret(const std::string& axis, const model::DeviceOptions& options = {});

// A translator of two layers with random weights; every tensor is drawn from the seed.
model::ModelConfig small_translator(model::EncoderKind kind = model::EncoderKind::graph_transformer);
std::map<std::string, HostTensor> random_weights(const model::ModelConfig& config, std::uint32_t seed);
std::shared_ptr<const model::Model> open_weights(const model::ModelConfig& config,
                                                 std::map<std::string, HostTensor> weights,
                                                 const model::DeviceOptions& options = {});
// Three sentences of 3, 6 and 4 tokens with targets of 4, 2 and 5.
model::PackedBatch small_batch();
// Sentence `index` of a batch by itself.
model::PackedBatch alone(const model::PackedBatch& batch, std::size_t index);

}  // namespace mog::test
