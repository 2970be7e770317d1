// Attention by rows on a graphics card: a block of threads for a sentence, a head and as many queries as it
// has threads. Tiles of keys and values lie in shared memory; what is done with them is attention_rows.h's.
#include <cuda_runtime.h>

#include "model/engine/cuda/attention_rows.h"

namespace mog::engine {
namespace {

template <int kWidth, bool kDetail>
__global__ void attend_rows(AttentionBlock block, AttentionRows rows) {
  __shared__ AttentionTile<kWidth> tile;
  const std::int64_t sentence = blockIdx.x / block.heads;
  const AttentionPlace place = place_of(block, sentence, blockIdx.x % block.heads);
  const int thread = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.y) * threads;
  if (first >= place.queries) {  // the whole block leaves
    return;
  }
  const std::int64_t last = first + threads < place.queries ? first + threads : place.queries;
  const bool real = first + thread < last;
  AttentionRow<kWidth, kDetail> row(block, place, real ? first + thread : first);
  DistanceSums distances;
  distances.clear();
  const KeyRange range = key_range(block, place, first, last);
  for (std::int64_t begin = range.begin; begin < range.end; begin += kTileKeys) {
    const std::int64_t end = begin + kTileKeys < range.end ? begin + kTileKeys : range.end;
    __syncthreads();  // the tile before has been read
    tile.load(block, place, begin, end, thread, threads);
    __syncthreads();
    if (real) {
      row.add(block, rows, place, tile, begin, end, distances);
    }
  }
  if (real) {
    row.store(block, rows, place, distances);
  }
}

template <int kWidth>
int launch(const AttentionBlock& block, const AttentionRows& rows) {
  constexpr std::int64_t kWarp = 32;
  constexpr std::int64_t kMostThreads = 128;
  const std::int64_t warps = (block.queries + kWarp - 1) / kWarp;
  const std::int64_t threads = warps * kWarp < kMostThreads ? warps * kWarp : kMostThreads;
  const dim3 grid(static_cast<unsigned>(block.sentences * block.heads),
                  static_cast<unsigned>((block.queries + threads - 1) / threads));
  if (wants_detail(rows)) {
    attend_rows<kWidth, true><<<grid, static_cast<unsigned>(threads)>>>(block, rows);
  } else {
    attend_rows<kWidth, false><<<grid, static_cast<unsigned>(threads)>>>(block, rows);
  }
  return cudaGetLastError();
}

int attend(const AttentionBlock& block, const AttentionRows& rows) {
  if (block.sentences * block.heads * block.queries == 0) {
    return cudaSuccess;
  }
  if (block.width <= 16) {
    return launch<16>(block, rows);
  }
  if (block.width <= 32) {
    return launch<32>(block, rows);
  }
  return launch<64>(block, rows);
}

}  // namespace
}  // namespace mog::engine

extern "C" __attribute__((visibility("default"))) int mog_cuda_attend_rows(
    const mog::engine::AttentionBlock* block, const mog::engine::AttentionRows* rows) {
  return mog::engine::attend(*block, *rows);
}
