// Attention maps on their way out of the device: compaction of padded blocks into packed ones, with or
// without rounding to float16, entropy and greatest weight of every row. Each operation exists twice, for
// host memory and for CUDA, behind one interface; free of Torch.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "io/recording/host_tensor.h"
#include "model/engine/cuda/attention_block.h"
#include "model/engine/cuda/map_block.h"

namespace mog::engine {

// Output layouts, packed: maps [heads, queries, keys] of a sentence begin at heads * area offset, row
// statistics [heads, queries] at heads * query offset.
class MapKernels {
 public:
  virtual ~MapKernels() = default;
  virtual void compact(const MapBlock& block, Float16* packed) const = 0;  // rounds to nearest even
  virtual void compact(const MapBlock& block, float* packed) const = 0;
  // -Σ p·ln p over the keys of a row, in nats; 0·ln 0 = 0.
  virtual void row_entropy(const MapBlock& block, float* packed) const = 0;
  virtual void row_max(const MapBlock& block, float* packed) const = 0;
};

const MapKernels& cpu_map_kernels();

// The functions of libmog_cuda.so, looked up by name.
struct CudaLibrary {
  MogCudaMapFunction* compact_float16 = nullptr;
  MogCudaMapFunction* compact_float32 = nullptr;
  MogCudaMapFunction* row_entropy = nullptr;
  MogCudaMapFunction* row_max = nullptr;
  MogCudaAttentionFunction* attend_rows = nullptr;
  MogCudaDeviceFunction* device = nullptr;
  MogCudaErrorFunction* error_text = nullptr;
  MogCudaArchitecturesFunction* architectures = nullptr;
};

// Opens libmog_cuda.so beside this library, once per process. nullptr when it cannot be opened; `reason` then
// says why.
const CudaLibrary* open_cuda_library(std::string& reason);

// Kernels for memory of the current CUDA device. Errors are DeviceError.
std::unique_ptr<MapKernels> make_cuda_map_kernels(const CudaLibrary& library);

}  // namespace mog::engine
