// What crosses between the engine and libmog_cuda.so: plain C types (C++17, for nvcc).
#pragma once

#include <cstdint>

namespace mog::engine {

// Of the table of sentences below.
constexpr std::int64_t kTableColumns = 5;

// Maps of neighbouring sentences, padded to common extents.
// maps: [sentences, heads, queries, keys], contiguous; what lies beyond the lengths of a sentence is not
// read. table: [sentences, kTableColumns] int64: queries, keys, area offset, query offset of each sentence in
// the packed output (lengths at most `queries` and `keys`), first row of its packed keys. Both in the memory
// of the device.
struct MapBlock {
  const float* maps = nullptr;
  const std::int64_t* table = nullptr;
  std::int64_t sentences = 0;
  std::int64_t heads = 0;
  std::int64_t queries = 0;
  std::int64_t keys = 0;
};

// What libmog_cuda.so exports (map_kernels.cu): each returns a cudaError_t (0: fine) and works on the default
// stream of the current device, which is ATen's unless a program chooses another.
extern "C" {
struct MogCudaDevice {
  char name[256];
  std::int64_t memory_bytes;
  int major;
  int minor;
};
using MogCudaMapFunction = int(const MapBlock* block, void* packed);
using MogCudaDeviceFunction = int(int index, MogCudaDevice* device);
using MogCudaErrorFunction = const char*(int error);
using MogCudaArchitecturesFunction = const char*();
}

}  // namespace mog::engine
