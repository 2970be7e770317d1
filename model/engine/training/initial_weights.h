// Weights before the first update, and their way between host and device.
#pragma once

#include <ATen/ATen.h>

#include <map>
#include <string>

#include "io/recording/host_tensor.h"
#include "model/engine/modules/weights.h"
#include "model/tensor_table.h"
#include "model/trainer.h"

namespace mog::engine {

// Xavier-uniform maps, zero biases, unit layer norms, embeddings and position tables normal with standard
// deviation d_model^-0.5, the pad row zero; options.branch_scale multiplies out_proj, low and fc2 weights.
// Drawn on the CPU in the order of tensor_table(), so that a seed means the same on every device.
TensorTable initial_weights(const model::ModelConfig& config, const model::TrainerOptions& options);

// Copies of `given` under the names that `config` demands. Throws ModelError for a tensor that is
// missing, too many, or of another shape.
TensorTable given_weights(const model::ModelConfig& config, const std::map<std::string, HostTensor>& given);

// Contiguous copy on the host; float64, int64, uint8, or else float32.
HostTensor to_host(const at::Tensor& tensor);
// Copy on the CPU; narrower floating types are widened to float32.
at::Tensor from_host(const HostTensor& tensor);

}  // namespace mog::engine
