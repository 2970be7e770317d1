// Attention with statistics of its rows on a graphics card. Where the card has matrix units for float32 and
// bfloat16 (compute capability 8.0), a warp takes sixteen queries (attention_tensor.h), or in bfloat16, of
// long sentences, four warps share tiles of keys (attention_team.h). Elsewhere, and where greatest weights or
// distances are wanted, a thread takes one (attention_rows.h): a block of threads for a sentence, a head and
// as many queries as it has threads, with tiles of keys and values in shared memory.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <limits>

#include "model/engine/cuda/attention_rows.h"
#include "model/engine/cuda/attention_team.h"
#include "model/engine/cuda/attention_tensor.h"

namespace mog::engine {
namespace {

constexpr int kWarp = 32;

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

// What lanes of a warp do together, from compute capability 8.0 on.
#if __CUDA_ARCH__ >= 800
struct CardWarp {
  static constexpr unsigned kAll = 0xFFFFFFFFU;

  __device__ int lane() const { return static_cast<int>(threadIdx.x) % kWarp; }
  __device__ void multiply_bfloat16(TensorSums& sums, const std::uint32_t (&left)[4],
                                    const std::uint32_t (&right)[2]) const {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]));
  }
  __device__ void multiply_tf32(TensorSums& sums, const std::uint32_t (&left)[4],
                                const std::uint32_t (&right)[2]) const {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]));
  }
  __device__ float of_other(float value, int mask) const { return __shfl_xor_sync(kAll, value, mask); }
  __device__ bool any(bool own) const { return __any_sync(kAll, own) != 0; }
  // Results below 2^-126 are 0.
  __device__ float power_of_two(float x) const {
    float value;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(value) : "f"(x));
    return value;
  }
  __device__ std::uint16_t rounded_float16(float value) const {
    return __half_as_ushort(__float2half_rn(value));
  }
};

struct CardTeam {
  using Warp = CardWarp;

  __device__ int thread() const { return static_cast<int>(threadIdx.x); }
  __device__ Warp warp() const { return {}; }
  __device__ void barrier() const { __syncthreads(); }
  __device__ void copy_chunk(unsigned char* to, const char* from, bool real) const {
    const auto shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(from), "r"(real ? 16 : 0)
                 : "memory");
  }
  __device__ void wait() const { asm volatile("cp.async.wait_all;" ::: "memory"); }
};
#endif

constexpr int kWarps = 4;  // of a block: neighbouring queries of a head, or neighbouring heads

// Blocks that a multiprocessor holds at a time: as many as leave the registers for it.
constexpr int blocks_for(int width, AttentionNumbers numbers) {
  const int bytes = width * (numbers == AttentionNumbers::bfloat16 ? 2 : 4);
  return bytes <= 128 ? 4 : (bytes <= 256 ? 3 : 2);
}

template <class Form, int kWidth, bool kPlain, bool kMaps>
__global__ void __launch_bounds__(kWarps* kWarp, blocks_for(kWidth, Form::kNumbers))
    attend_tensor(AttentionBlock block, AttentionRows rows, unsigned tiles, unsigned warps) {
#if __CUDA_ARCH__ >= 800
  const unsigned at = blockIdx.x * kWarps + threadIdx.x / kWarp;
  if (at >= warps) {
    return;
  }
  const unsigned pair = at / tiles;
  const auto heads = static_cast<unsigned>(block.heads);
  const AttentionPlace place = place_of(block, pair / heads, pair % heads);
  const int first = static_cast<int>(at % tiles) * kTensorQueries;
  if (first >= place.queries) {
    return;
  }
  const CardWarp warp;
  AttentionWarp<Form, kWidth, kPlain, kMaps, CardWarp>(warp, block, rows, place, first).run();
#endif
}

// Blocks a multiprocessor, as far as the sums of their queries leave registers.
constexpr int teams_for(int width, int groups) {
  return groups == 1 ? (width == 128 ? 2 : 4) : (width == 64 ? 2 : 3);
}

template <int kWidth, int kGroups, bool kMaps>
__global__ void __launch_bounds__(kTeamThreads, teams_for(kWidth, kGroups))
    attend_team(AttentionBlock block, AttentionRows rows, unsigned tiles) {
#if __CUDA_ARCH__ >= 800
  __shared__ SharedTile<kWidth> shared[2];
  const unsigned pair = blockIdx.x / tiles;
  const auto heads = static_cast<unsigned>(block.heads);
  const AttentionPlace place = place_of(block, pair / heads, pair % heads);
  const int first = static_cast<int>(blockIdx.x % tiles) * kTeamQueries<kGroups>;
  if (first >= place.queries) {  // the whole block leaves
    return;
  }
  AttentionTeam<kWidth, kGroups, kMaps, CardTeam>(CardTeam(), block, rows, place, shared).run(first);
#endif
}

template <int kWidth>
int launch_rows(const AttentionBlock& block, const AttentionRows& rows) {
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

// Whether every row of every head begins at a multiple of 16 bytes.
bool lies_well(const AttentionBlock& block, std::int64_t bytes) {
  constexpr std::uintptr_t kTogether = 16;
  const auto whole = [&](const void* values, std::int64_t stride) {
    return (reinterpret_cast<std::uintptr_t>(values) | static_cast<std::uintptr_t>(stride * bytes)) %
               kTogether ==
           0;
  };
  return whole(block.query, block.query_stride) && whole(block.key, block.key_stride) &&
         whole(block.value, block.value_stride) &&
         block.width * bytes % static_cast<std::int64_t>(kTogether) == 0;
}

// Queries of the longest sentence from which on a team is faster than a warp by itself, and two groups than
// one (measured on an H200, docs/benchmarks.md).
constexpr std::int64_t kTeamFrom = 48;
constexpr std::int64_t kTwoGroupsFrom = 200;

template <int kWidth, int kGroups>
int launch_team_of(const AttentionBlock& block, const AttentionRows& rows) {
  constexpr std::int64_t kQueries = kTeamQueries<kGroups>;
  const std::int64_t tiles = (block.queries + kQueries - 1) / kQueries;
  const std::int64_t blocks = block.sentences * block.heads * tiles;
  if (blocks > std::numeric_limits<int>::max()) {
    return cudaErrorInvalidConfiguration;
  }
  const auto kernel =
      wants_maps(rows) ? attend_team<kWidth, kGroups, true> : attend_team<kWidth, kGroups, false>;
  kernel<<<static_cast<unsigned>(blocks), kTeamThreads>>>(block, rows, static_cast<unsigned>(tiles));
  return cudaGetLastError();
}

template <int kWidth>
int launch_team(const AttentionBlock& block, const AttentionRows& rows) {
  if constexpr (kWidth <= 64) {  // wider heads have no registers for a second group
    if (block.queries >= kTwoGroupsFrom) {
      return launch_team_of<kWidth, 2>(block, rows);
    }
  }
  return launch_team_of<kWidth, 1>(block, rows);
}

template <class Form, int kWidth>
int launch_tensor(const AttentionBlock& block, const AttentionRows& rows) {
  const std::int64_t tiles = (block.queries + kTensorQueries - 1) / kTensorQueries;
  const std::int64_t all = block.sentences * block.heads * tiles;
  if (all > std::numeric_limits<int>::max()) {
    return cudaErrorInvalidConfiguration;
  }
  const auto warps = static_cast<unsigned>(all);
  const unsigned grid = (warps + kWarps - 1) / kWarps;
  const bool plain = is_plain<kWidth>(block) && lies_well(block, 4 / Form::kPerWord);
  if constexpr (Form::kNumbers == AttentionNumbers::bfloat16 && kWidth >= 32) {
    if (plain && block.queries >= kTeamFrom) {
      return launch_team<kWidth>(block, rows);
    }
  }
  const auto kernel =
      wants_maps(rows)
          ? (plain ? attend_tensor<Form, kWidth, true, true> : attend_tensor<Form, kWidth, false, true>)
          : (plain ? attend_tensor<Form, kWidth, true, false> : attend_tensor<Form, kWidth, false, false>);
  kernel<<<grid, kWarps * kWarp>>>(block, rows, static_cast<unsigned>(tiles), warps);
  return cudaGetLastError();
}

template <int kWidth>
int launch_numbers(const AttentionBlock& block, const AttentionRows& rows) {
  if (block.numbers == AttentionNumbers::bfloat16) {
    return launch_tensor<BFloat16Form<kWidth>, kWidth>(block, rows);
  }
  if constexpr (kWidth <= kMostCardWidth) {
    return launch_tensor<Float32Form<kWidth>, kWidth>(block, rows);
  }
  return cudaErrorNotSupported;
}

bool has_matrix_units() {
  constexpr int kLeast = 8;
  int device = 0;
  int major = 0;
  return cudaGetDevice(&device) == cudaSuccess &&
         cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
         major >= kLeast;
}

int attend(const AttentionBlock& block, const AttentionRows& rows) {
  if (block.sentences * block.heads * block.queries == 0) {
    return cudaSuccess;
  }
  const bool single = rows.top > 0 || rows.bins > 0;
  if (!single && has_matrix_units()) {
    return block.width <= 16   ? launch_numbers<16>(block, rows)
           : block.width <= 32 ? launch_numbers<32>(block, rows)
           : block.width <= 64 ? launch_numbers<64>(block, rows)
                               : launch_numbers<128>(block, rows);
  }
  if (wants_maps(rows)) {
    return cudaErrorNotSupported;
  }
  return block.width <= 16               ? launch_rows<16>(block, rows)
         : block.width <= 32             ? launch_rows<32>(block, rows)
         : block.width <= kMostCardWidth ? launch_rows<64>(block, rows)
                                         : cudaErrorNotSupported;
}

}  // namespace
}  // namespace mog::engine

extern "C" __attribute__((visibility("default"))) int mog_cuda_attend_rows(
    const mog::engine::AttentionBlock* block, const mog::engine::AttentionRows* rows) {
  return mog::engine::attend(*block, *rows);
}
