// Attention with statistics of its rows and without its maps (attention_block.h), for host memory and for
// CUDA, behind one interface; free of Torch.
#pragma once

#include <memory>

#include "model/engine/cuda/attention_block.h"
#include "model/engine/cuda/map_kernels.h"

namespace mog::engine {

class AttentionKernels {
 public:
  virtual ~AttentionKernels() = default;
  // Throws UsageError for what no kernel can do (a wider head, more places of `top`, more bins).
  virtual void attend(const AttentionBlock& block, const AttentionRows& rows) const = 0;
};

const AttentionKernels& cpu_attention_kernels();
// Whether they are faster on this processor than products, softmax and statistics one after another: where it
// has AVX-512 (docs/benchmarks.md).
bool cpu_attends_fast();

// Kernels for memory of the current CUDA device. Errors are DeviceError.
std::unique_ptr<AttentionKernels> make_cuda_attention_kernels(const CudaLibrary& library);

// What both check first.
void check_attention(const AttentionBlock& block, const AttentionRows& rows);

}  // namespace mog::engine
