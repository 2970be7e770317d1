// Attention with statistics of its rows and without its maps (attention_block.h), for host memory and for
// CUDA, behind one interface; free of Torch.
#pragma once

#include <functional>
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
  // Whether they write the mean map of the heads, without theirs.
  virtual bool give_means() const { return false; }
};

const AttentionKernels& cpu_attention_kernels();
// Calls `work` with parts of [0, count), of at least `least` where there are so many, on any threads, and
// returns when all are done.
using ShareOut = std::function<void(std::int64_t count, std::int64_t least,
                                    const std::function<void(std::int64_t begin, std::int64_t end)>& work)>;
// What they do, shared out: heads of sentences, or where means are wanted blocks of queries with all heads.
void attend_on_processor(const AttentionBlock& block, const AttentionRows& rows, const ShareOut& share_out);
// Whether they are faster on this processor than products, softmax and statistics one after another: where it
// has AVX-512 (docs/benchmarks.md).
bool cpu_attends_fast();

// Kernels for memory of the CUDA device `index`, which is the current one when they are called. Errors are
// DeviceError.
std::unique_ptr<AttentionKernels> make_cuda_attention_kernels(const CudaLibrary& library, int index = 0);

// The maps of one head after another, for the mean over heads of long texts where kernels write maps and no
// means: `room` takes those of a head, packed [query, key] at the area offsets of the sentences, and then
// `add` is called. Nothing of AttentionRows is written. Every head's scores are computed twice more.
void attend_head_by_head(const AttentionKernels& kernels, const AttentionBlock& block, float* room,
                         const std::function<void()>& add);

// What all check first. most_width: of `kernels`.
void check_attention(const AttentionKernels& kernels, const AttentionBlock& block, const AttentionRows& rows);

}  // namespace mog::engine
