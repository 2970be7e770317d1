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
  // The widest head that they take, with greatest weights or distances (`detail`) and without; 0: none of
  // these numbers.
  virtual std::int64_t most_width(AttentionNumbers numbers, bool detail = false) const = 0;
  // Whether they write maps, too (not beside greatest weights and distances).
  virtual bool give_maps() const { return false; }
};

const AttentionKernels& cpu_attention_kernels();
// A part of what they do: of all heads of all sentences, one after another, those from `begin` to `end`.
void attend_on_processor(const AttentionBlock& block, const AttentionRows& rows, std::int64_t begin,
                         std::int64_t end);
// Whether they are faster on this processor than products, softmax and statistics one after another: where it
// has AVX-512 (docs/benchmarks.md).
bool cpu_attends_fast();

// Kernels for memory of the CUDA device `index`, which is the current one when they are called. Errors are
// DeviceError.
std::unique_ptr<AttentionKernels> make_cuda_attention_kernels(const CudaLibrary& library, int index = 0);

// What all check first. most_width: of `kernels`.
void check_attention(const AttentionKernels& kernels, const AttentionBlock& block, const AttentionRows& rows);

}  // namespace mog::engine
