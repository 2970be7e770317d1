// What attention by rows reads and gives: plain C types (C++17, for nvcc), as in map_block.h.
#pragma once

#include <cstdint>

#include "model/engine/cuda/map_block.h"

namespace mog::engine {

constexpr std::int64_t kMostWidth = 128;      // of a head
constexpr std::int64_t kMostHostWidth = 256;  // … on a processor
// … on a graphics card, but for bfloat16 without greatest weights and distances.
constexpr std::int64_t kMostCardWidth = 64;
constexpr std::int32_t kMostTop = 8;
constexpr std::int32_t kMostBins = 16;

enum class AttentionNumbers : std::int32_t { float32, bfloat16 };

// Attention of neighbouring sentences over packed rows: softmax(c·tanh((scale·q·kᵀ + bias) / c)) by head, a
// query's keys being those of its sentence that its mask shows. A key whose score is -inf has weight 0; a row
// of such keys alone has no weights: all it gives is 0. (On the matrix units of a card scores below -1e30 are
// such, too, and products beyond float32 make the entropy no number.) Everything lies in the memory of the
// device, and nothing else is read.
struct AttentionBlock {
  AttentionNumbers numbers = AttentionNumbers::float32;  // of queries, keys, values and context
  // [query row, query_stride]; head h is columns [h·width, (h+1)·width).
  const void* query = nullptr;
  // [key row, stride]; head h of the queries reads key head h·key_heads/heads.
  const void* key = nullptr;
  const void* value = nullptr;    // nullptr: no context is wanted
  std::int64_t query_stride = 0;  // in numbers, like all strides
  std::int64_t key_stride = 0;
  std::int64_t value_stride = 0;
  // [head, query, key] by place in the sentence, heads and queries this far apart (queries also backwards, or
  // at one place: what depends on key - query alone, or on the key); nullptr: 0.
  const float* bias = nullptr;
  std::int64_t bias_head_stride = 0;
  std::int64_t bias_row_stride = 0;
  const std::uint8_t* hidden = nullptr;  // [key row]: not 0 where nobody attends; nullptr: nowhere
  // [sentences, kTableColumns] int64 as in map_block.h; the query offset is the first query row, too.
  const std::int64_t* table = nullptr;
  std::int64_t sentences = 0;
  std::int64_t heads = 0;
  std::int64_t key_heads = 0;
  std::int64_t width = 0;    // of a head, at most AttentionKernels::most_width()
  std::int64_t queries = 0;  // of the longest sentence
  float scale = 1.0F;
  float cap = 0.0F;          // c; 0: none
  std::int32_t causal = 0;   // 1: keys up to the query's own place
  std::int64_t window = -1;  // keys at most this far from the query's place; negative: all
};

// Where results go; nullptr: not wanted. Statistics of rows are packed, [head, query] of a sentence at
// heads · first query row.
struct AttentionRows {
  void* context = nullptr;    // Σ weight·value, [query row, heads · width]; needs AttentionBlock::value
  float* entropy = nullptr;   // -Σ p·ln p, nats
  float* greatest = nullptr;  // the greatest weight
  // The weights, packed [head, query, key] at heads · area offset of the sentence: as float16 bits, and as
  // they are. Only where AttentionKernels::give_maps().
  std::uint16_t* maps16 = nullptr;
  float* maps32 = nullptr;
  // The mean of the weights over heads, packed [query, key] at the area offset of the sentence. Only where
  // AttentionKernels::give_means().
  float* means = nullptr;
  float* first = nullptr;  // the weight of the sentence's first key (attention sinks)
  // The greatest `top` weights (1 to kMostTop) in falling order and the places of their keys; of equal ones
  // the earlier key comes first. Where fewer keys have a weight above 0: weight 0, place -1. [row, top]
  float* top_weights = nullptr;
  std::int32_t* top_keys = nullptr;
  std::int32_t top = 0;
  // Weights summed by distance_bin() of |query - key|; `bins` 1 to kMostBins. [row, bins]
  float* distances = nullptr;
  std::int32_t bins = 0;
};

extern "C" {
// A cudaError_t, on the default stream, like the functions of map_block.h.
using MogCudaAttentionFunction = int(const AttentionBlock* block, const AttentionRows* rows);
}

}  // namespace mog::engine
