// The CUDA twins: one warp a row. Rows are short (a sentence), so that a warp reads its row in one or two
// transactions, and neighbouring warps write neighbouring rows of the packed output.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstring>

#include "model/engine/cuda/map_block.h"

#ifndef MOG_CUDA_ARCHITECTURES_TEXT
#error "MOG_CUDA_ARCHITECTURES_TEXT names the architectures of this build"
#endif

namespace mog::engine {
namespace {

constexpr int kWarp = 32;
constexpr int kWarpsPerBlock = 8;
constexpr unsigned kAllLanes = 0xFFFFFFFFU;

// One row of the padded block, and its places in the packed outputs.
struct Row {
  const float* values;
  std::int64_t keys;
  std::int64_t packed_row;
  std::int64_t packed;
  bool real;
};

__device__ Row find_row(const MapBlock& block) {
  const std::int64_t warp = static_cast<std::int64_t>(blockIdx.x) * kWarpsPerBlock + threadIdx.x / kWarp;
  const std::int64_t rows = block.sentences * block.heads * block.queries;
  Row row{};
  if (warp >= rows) {
    return row;
  }
  const std::int64_t q = warp % block.queries;
  const std::int64_t h = warp / block.queries % block.heads;
  const std::int64_t* const entry = block.table + kTableColumns * (warp / (block.queries * block.heads));
  row.real = q < entry[0];
  row.values = block.maps + warp * block.keys;
  row.keys = entry[1];
  row.packed_row = block.heads * entry[3] + h * entry[0] + q;
  row.packed = block.heads * entry[2] + (h * entry[0] + q) * entry[1];
  return row;
}

__device__ void store(__half* to, float value) {
  *to = __float2half_rn(value);
}
__device__ void store(float* to, float value) {
  *to = value;
}

template <class Out>
__global__ void compact_rows(MapBlock block, Out* packed) {
  const Row row = find_row(block);
  if (!row.real) {
    return;
  }
  for (std::int64_t n = threadIdx.x % kWarp; n < row.keys; n += kWarp) {
    store(packed + row.packed + n, row.values[n]);
  }
}

__global__ void entropy_rows(MapBlock block, float* packed) {
  const Row row = find_row(block);
  if (!row.real) {  // the whole warp leaves
    return;
  }
  float sum = 0.0F;
  for (std::int64_t n = threadIdx.x % kWarp; n < row.keys; n += kWarp) {
    const float p = row.values[n];
    sum += p > 0.0F ? p * logf(p) : 0.0F;
  }
  for (int step = kWarp / 2; step > 0; step /= 2) {
    sum += __shfl_xor_sync(kAllLanes, sum, step);
  }
  if (threadIdx.x % kWarp == 0) {
    packed[row.packed_row] = -sum;
  }
}

__global__ void maximum_rows(MapBlock block, float* packed) {
  const Row row = find_row(block);
  if (!row.real) {
    return;
  }
  float greatest = 0.0F;
  for (std::int64_t n = threadIdx.x % kWarp; n < row.keys; n += kWarp) {
    greatest = fmaxf(greatest, row.values[n]);
  }
  for (int step = kWarp / 2; step > 0; step /= 2) {
    greatest = fmaxf(greatest, __shfl_xor_sync(kAllLanes, greatest, step));
  }
  if (threadIdx.x % kWarp == 0) {
    packed[row.packed_row] = greatest;
  }
}

template <class Kernel, class Out>
int launch(Kernel kernel, const MapBlock& block, Out* packed) {
  const std::int64_t rows = block.sentences * block.heads * block.queries;
  if (rows == 0) {
    return cudaSuccess;
  }
  const std::int64_t blocks = (rows + kWarpsPerBlock - 1) / kWarpsPerBlock;
  kernel<<<static_cast<unsigned>(blocks), kWarp * kWarpsPerBlock>>>(block, packed);
  return cudaGetLastError();
}

}  // namespace
}  // namespace mog::engine

#define MOG_EXPORT extern "C" __attribute__((visibility("default")))

MOG_EXPORT int mog_cuda_compact_float16(const mog::engine::MapBlock* block, void* packed) {
  return mog::engine::launch(mog::engine::compact_rows<__half>, *block, static_cast<__half*>(packed));
}
MOG_EXPORT int mog_cuda_compact_float32(const mog::engine::MapBlock* block, void* packed) {
  return mog::engine::launch(mog::engine::compact_rows<float>, *block, static_cast<float*>(packed));
}
MOG_EXPORT int mog_cuda_row_entropy(const mog::engine::MapBlock* block, void* packed) {
  return mog::engine::launch(mog::engine::entropy_rows, *block, static_cast<float*>(packed));
}
MOG_EXPORT int mog_cuda_row_max(const mog::engine::MapBlock* block, void* packed) {
  return mog::engine::launch(mog::engine::maximum_rows, *block, static_cast<float*>(packed));
}
MOG_EXPORT int mog_cuda_device(int index, mog::engine::MogCudaDevice* device) {
  cudaDeviceProp properties{};
  const cudaError_t error = cudaGetDeviceProperties(&properties, index);
  if (error != cudaSuccess) {
    static_cast<void>(cudaGetLastError());  // else the next call of anybody reports it
    return error;
  }
  static_assert(sizeof(device->name) >= sizeof(properties.name));
  std::memcpy(device->name, properties.name, sizeof(properties.name));
  device->memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  device->major = properties.major;
  device->minor = properties.minor;
  return cudaSuccess;
}
MOG_EXPORT const char* mog_cuda_error_text(int error) {
  return cudaGetErrorString(static_cast<cudaError_t>(error));
}
MOG_EXPORT const char* mog_cuda_architectures() {
  return MOG_CUDA_ARCHITECTURES_TEXT;
}
