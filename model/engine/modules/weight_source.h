// Where the weights of a model are taken from when they are bound.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <string>
#include <vector>

#include "model/config/config.h"
#include "model/engine/modules/weights.h"

namespace mog::engine {

// A tensor by name, and the shape that it must have.
struct WantedTensor {
  std::string name;
  std::vector<std::int64_t> shape;  // -1 is free
};

class WeightSource {
 public:
  WeightSource() = default;
  WeightSource(const WeightSource&) = delete;
  WeightSource& operator=(const WeightSource&) = delete;
  virtual ~WeightSource() = default;
  // Who asks twice while the first is alive gets the same handle. Throws ModelError naming a tensor that is
  // missing or has another shape.
  virtual at::Tensor get(const WantedTensor& wanted) const = 0;
  // Several with the same columns, one below the other, as one tensor.
  virtual at::Tensor stacked(const std::vector<WantedTensor>& wanted) const = 0;
};

// As bind_weights of a table. `layers`: false leaves the layers of the encoder as they are when nothing was
// bound, as many as it has.
Weights bind_weights(const model::ModelConfig& config, const WeightSource& source, bool layers = true);
// Of an encoder that is not recurrent; index from 0.
EncoderLayer bind_encoder_layer(const model::ModelConfig& config, const WeightSource& source,
                                std::int64_t index);

// Texts of what get() throws.
[[noreturn]] void refuse_missing(const WantedTensor& wanted);
void require_shape(const WantedTensor& wanted, at::IntArrayRef found);

}  // namespace mog::engine
