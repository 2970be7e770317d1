// Attention a tile of keys at a time, one query row a thread, without a map (C++17, for nvcc and the host).
//
// The softmax goes on line: a row keeps the greatest score m so far, Z = Σ exp(s - m), W = Σ (s - m)·exp(s -
// m) and the sum of values under the same factors. A greater score multiplies all of them by exp(m - m'), and
// W becomes c·(W + Z·(m - m')). At the end the weights are exp(s - m) / Z, the greatest is 1 / Z, and the
// entropy is ln Z - W / Z. (Milakov and Gimelshein 2018; Dao et al. 2022.)
//
// Why a thread for a row: nothing is exchanged between threads, so that entropy, maxima and the rest cost a
// few operations a score, and the arithmetic below is plain C++, which a test runs on the host thread by
// thread. The products are 2·width operations a score on values that all threads of a block read from one
// place of shared memory.
//
// Cost: O(queries · keys · width) operations; keys and values are read once a block of queries.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "model/engine/cuda/attention_block.h"

#ifdef __CUDACC__
#define MOG_BOTH __host__ __device__
#define MOG_UNROLL _Pragma("unroll")
#else
#define MOG_BOTH
#define MOG_UNROLL
#endif

namespace mog::engine {

// As a number that device code may use, too.
constexpr float kNoScore = -std::numeric_limits<float>::infinity();
constexpr int kTileKeys = 32;  // in shared memory at a time
constexpr int kChunkKeys = 8;  // scores in registers at a time

// 0, 1, 2, 3 to 4, 5 to 8, 9 to 16, …; the last of `bins` takes what is farther.
MOG_BOTH inline std::int32_t distance_bin(std::int64_t distance, std::int32_t bins) {
  std::int32_t bin = static_cast<std::int32_t>(distance);
  if (distance > 1) {  // 1 and the bits of distance - 1
    constexpr int kBits = 64;
#ifdef __CUDA_ARCH__
    bin = 1 + kBits - __clzll(distance - 1);
#else
    bin = 1 + kBits - __builtin_clzll(static_cast<unsigned long long>(distance - 1));
#endif
  }
  return bin < bins ? bin : bins - 1;
}

// A sentence and a head of the block.
struct AttentionPlace {
  std::int64_t queries;
  std::int64_t keys;
  std::int64_t area;  // queries · keys of the sentences before it
  std::int64_t first_query;
  std::int64_t first_key;
  std::int64_t head;
};

MOG_BOTH inline AttentionPlace place_of(const AttentionBlock& block, std::int64_t sentence,
                                        std::int64_t head) {
  const std::int64_t* const entry = block.table + kTableColumns * sentence;
  return {entry[0], entry[1], entry[2], entry[3], entry[4], head};
}

MOG_BOTH inline bool is_shown(const AttentionBlock& block, const AttentionPlace& place, std::int64_t query,
                              std::int64_t key) {
  const std::int64_t distance = query < key ? key - query : query - key;
  return !(block.causal != 0 && key > query) && !(block.window >= 0 && distance > block.window) &&
         !(block.hidden != nullptr && block.hidden[place.first_key + key] != 0);
}

// The score that a product of a query with a key gives. bias: 0 where there is none.
MOG_BOTH inline float finish_score(const AttentionBlock& block, float product, float bias) {
  const float score = product + bias;
  if (!(block.cap > 0.0F)) {
    return score;
  }
#ifdef __CUDA_ARCH__
  return block.cap * tanhf(__fdividef(score, block.cap));
#else
  return block.cap * tanhf(score / block.cap);
#endif
}

// The upper half of a float32.
MOG_BOTH inline float from_bfloat16(std::uint16_t bits) {
  const std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16U;
  float value = 0.0F;
  memcpy(&value, &wide, sizeof(value));
  return value;
}
// Rounded to the nearest, ties to even; what is no number stays none.
MOG_BOTH inline std::uint16_t rounded_bfloat16(float value) {
  std::uint32_t bits = 0;
  memcpy(&bits, &value, sizeof(bits));
  if (value != value) {
    return 0x7FC0U;
  }
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U);
}
// Number `index` of an input or of the context.
MOG_BOTH inline float number_at(const AttentionBlock& block, const void* values, std::int64_t index) {
  return block.numbers == AttentionNumbers::float32
             ? static_cast<const float*>(values)[index]
             : from_bfloat16(static_cast<const std::uint16_t*>(values)[index]);
}
MOG_BOTH inline void store_number(const AttentionBlock& block, void* values, std::int64_t index,
                                  float value) {
  if (block.numbers == AttentionNumbers::float32) {
    static_cast<float*>(values)[index] = value;
  } else {
    static_cast<std::uint16_t*>(values)[index] = rounded_bfloat16(value);
  }
}

// Keys that some query of [first, last) may see.
struct KeyRange {
  std::int64_t begin;
  std::int64_t end;
};
MOG_BOTH inline KeyRange key_range(const AttentionBlock& block, const AttentionPlace& place,
                                   std::int64_t first, std::int64_t last) {
  KeyRange range{0, place.keys};
  if (block.causal != 0 && last < range.end) {
    range.end = last;
  }
  if (block.window >= 0) {
    range.begin = first > block.window ? first - block.window : 0;
    range.end = last + block.window < range.end ? last + block.window : range.end;
  }
  if (range.end < range.begin) {
    range.end = range.begin;
  }
  return range;
}

// The softmax of one row so far.
struct RowSum {
  float greatest = kNoScore;
  float sum = 0.0F;       // Z
  float weighted = 0.0F;  // W

  // The factor of everything that was summed under the old maximum.
  MOG_BOTH float raise(float score) {
    if (!(score > greatest)) {
      return 1.0F;
    }
    if (greatest == kNoScore) {
      greatest = score;
      return 0.0F;
    }
    const float fall = greatest - score;
    const float factor = expf(fall);
    weighted = factor > 0.0F ? factor * (weighted + sum * fall) : 0.0F;
    sum *= factor;
    greatest = score;
    return factor;
  }
  // exp(score - m); the maximum has been raised to it.
  MOG_BOTH float add(float score) {
    const float weight = score == kNoScore ? 0.0F : expf(score - greatest);
    if (weight != 0.0F) {  // no number stays none
      sum += weight;
      weighted += weight * (score - greatest);
    }
    return weight;
  }
  MOG_BOTH bool empty() const { return sum == 0.0F; }
  MOG_BOTH float inverse() const { return empty() ? 0.0F : 1.0F / sum; }
  // At least 0: ln Z and W / Z are rounded.
  MOG_BOTH float entropy() const {
    if (empty()) {
      return 0.0F;
    }
    const float value = logf(sum) - weighted / sum;
    return value < 0.0F ? 0.0F : value;
  }
  MOG_BOTH float weight_of(float score) const {
    return score == kNoScore || empty() ? 0.0F : expf(score - greatest) / sum;
  }
};

// The greatest scores of a row, in falling order; keys come in rising order.
struct TopScores {
  float scores[kMostTop];
  std::int32_t keys[kMostTop];

  MOG_BOTH void clear() {
    MOG_UNROLL for (int i = 0; i < kMostTop; ++i) {
      scores[i] = kNoScore;
      keys[i] = -1;
    }
  }
  // What is put in pushes all behind it one place back, so that equal ones keep their order.
  MOG_BOTH void add(float score, std::int32_t key) {
    if (!(score > scores[kMostTop - 1])) {  // most keys of a long row
      return;
    }
    bool pushed = false;
    MOG_UNROLL for (int i = 0; i < kMostTop; ++i) {
      pushed = pushed || score > scores[i];
      if (pushed) {
        const float other_score = scores[i];
        const std::int32_t other_key = keys[i];
        scores[i] = score;
        keys[i] = key;
        score = other_score;
        key = other_key;
      }
    }
  }
};

// What only some want beside the sums. Two structures, since what is indexed at run time is no register.
struct RowDetail {
  float first = kNoScore;  // score of the first key
  TopScores top;
};
struct DistanceSums {
  float bins[kMostBins];

  MOG_BOTH void clear() {
    for (int i = 0; i < kMostBins; ++i) {
      bins[i] = 0.0F;
    }
  }
  MOG_BOTH void shrink(float factor, std::int32_t count) {
    for (std::int32_t i = 0; i < count; ++i) {
      bins[i] *= factor;
    }
  }
};

// One key of a row.
MOG_BOTH inline void add_detail(const AttentionRows& rows, std::int64_t query, std::int64_t key, float score,
                                float weight, RowDetail& detail, DistanceSums& distances) {
  if (key == 0) {
    detail.first = score;
  }
  if (rows.top > 0) {
    detail.top.add(score, static_cast<std::int32_t>(key));
  }
  if (rows.bins > 0) {
    distances.bins[distance_bin(query < key ? key - query : query - key, rows.bins)] += weight;
  }
}

MOG_BOTH inline bool wants_detail(const AttentionRows& rows) {
  return rows.first != nullptr || rows.top > 0 || rows.bins > 0;
}

MOG_BOTH inline bool wants_maps(const AttentionRows& rows) {
  return rows.maps16 != nullptr || rows.maps32 != nullptr;
}

// Of the packed statistics.
MOG_BOTH inline std::int64_t packed_row(const AttentionBlock& block, const AttentionPlace& place,
                                        std::int64_t query) {
  return block.heads * place.first_query + place.head * place.queries + query;
}

MOG_BOTH inline void store_statistics(const AttentionRows& rows, std::int64_t row, const RowSum& sum) {
  if (rows.entropy != nullptr) {
    rows.entropy[row] = sum.entropy();
  }
  if (rows.greatest != nullptr) {
    rows.greatest[row] = sum.inverse();
  }
}

MOG_BOTH inline void store_detail(const AttentionRows& rows, std::int64_t row, const RowSum& sum,
                                  const RowDetail& detail, const DistanceSums& distances) {
  if (rows.first != nullptr) {
    rows.first[row] = sum.weight_of(detail.first);
  }
  MOG_UNROLL for (int i = 0; i < kMostTop; ++i) {
    if (i < rows.top) {
      const float weight = sum.weight_of(detail.top.scores[i]);
      rows.top_weights[row * rows.top + i] = weight;
      rows.top_keys[row * rows.top + i] = weight == 0.0F ? -1 : detail.top.keys[i];
    }
  }
  for (std::int32_t i = 0; i < rows.bins; ++i) {
    rows.distances[row * rows.bins + i] = distances.bins[i] * sum.inverse();
  }
}

// Keys and values of kTileKeys neighbouring places; columns beyond the width are 0.
template <int kWidth>
struct alignas(16) AttentionTile {
  float keys[kTileKeys][static_cast<std::size_t>(kWidth)];
  float values[kTileKeys][static_cast<std::size_t>(kWidth)];

  // What `thread` of `threads` brings of the keys [begin, end).
  MOG_BOTH void load(const AttentionBlock& block, const AttentionPlace& place, std::int64_t begin,
                     std::int64_t end, int thread, int threads) {
    const std::int64_t column = place.head * block.key_heads / block.heads * block.width;
    const int count = static_cast<int>(end - begin) * kWidth;
    for (int i = thread; i < count; i += threads) {
      const int key = i / kWidth;
      const int d = i % kWidth;
      const std::int64_t row = place.first_key + begin + key;
      const bool real = d < block.width;
      keys[key][d] = real ? number_at(block, block.key, row * block.key_stride + column + d) : 0.0F;
      values[key][d] = real && block.value != nullptr
                           ? number_at(block, block.value, row * block.value_stride + column + d)
                           : 0.0F;
    }
  }
};

// One query row. kDetail: whether more than context, entropy and the greatest weight is wanted.
template <int kWidth, bool kDetail>
class AttentionRow {
 public:
  MOG_BOTH AttentionRow(const AttentionBlock& block, const AttentionPlace& place, std::int64_t query)
      : query_place_(query) {
    const std::int64_t from = (place.first_query + query) * block.query_stride + place.head * block.width;
    MOG_UNROLL for (int d = 0; d < kWidth; ++d) {
      query_[d] = d < block.width ? number_at(block, block.query, from + d) * block.scale : 0.0F;
      context_[d] = 0.0F;
    }
    detail_.top.clear();
  }

  // The keys [begin, end) lie in `tile`.
  MOG_BOTH void add(const AttentionBlock& block, const AttentionRows& rows, const AttentionPlace& place,
                    const AttentionTile<kWidth>& tile, std::int64_t begin, std::int64_t end,
                    DistanceSums& distances) {
    for (std::int64_t at = begin; at < end; at += kChunkKeys) {
      add_chunk(block, rows, place, tile, static_cast<int>(at - begin), at, end, distances);
    }
  }

  MOG_BOTH void store(const AttentionBlock& block, const AttentionRows& rows, const AttentionPlace& place,
                      const DistanceSums& distances) const {
    const std::int64_t row = packed_row(block, place, query_place_);
    store_statistics(rows, row, sum_);
    if (kDetail) {
      store_detail(rows, row, sum_, detail_, distances);
    }
    if (rows.context != nullptr) {
      const std::int64_t to = ((place.first_query + query_place_) * block.heads + place.head) * block.width;
      const float inverse = sum_.inverse();
      MOG_UNROLL for (int d = 0; d < kWidth; ++d) {
        if (d < block.width) {
          store_number(block, rows.context, to + d, context_[d] * inverse);
        }
      }
    }
  }

 private:
  MOG_BOTH float score(const AttentionBlock& block, const AttentionPlace& place, const float* tile_key,
                       std::int64_t key, std::int64_t end) const {
    if (key >= end || !is_shown(block, place, query_place_, key)) {
      return kNoScore;
    }
    float sum = 0.0F;
    MOG_UNROLL for (int d = 0; d < kWidth; ++d) {
      sum += query_[d] * tile_key[d];
    }
    float bias = 0.0F;
    if (block.bias != nullptr) {
      bias = block.bias[place.head * block.bias_head_stride + query_place_ * block.bias_row_stride + key];
    }
    return finish_score(block, sum, bias);
  }

  // The keys from `key` on, which lie in the tile from `in_tile` on.
  MOG_BOTH void add_chunk(const AttentionBlock& block, const AttentionRows& rows, const AttentionPlace& place,
                          const AttentionTile<kWidth>& tile, int in_tile, std::int64_t key, std::int64_t end,
                          DistanceSums& distances) {
    float scores[kChunkKeys];
    float greatest = kNoScore;
    MOG_UNROLL for (int i = 0; i < kChunkKeys; ++i) {
      scores[i] = score(block, place, tile.keys[in_tile + i], key + i, end);
      greatest = scores[i] > greatest ? scores[i] : greatest;
    }
    const float factor = sum_.raise(greatest);
    if (factor != 1.0F) {
      MOG_UNROLL for (int d = 0; d < kWidth; ++d) {
        context_[d] *= factor;
      }
      if (kDetail) {
        distances.shrink(factor, rows.bins);
      }
    }
    MOG_UNROLL for (int i = 0; i < kChunkKeys; ++i) {
      if (scores[i] == kNoScore) {
        continue;
      }
      const float weight = sum_.add(scores[i]);
      if (kDetail) {
        add_detail(rows, query_place_, key + i, scores[i], weight, detail_, distances);
      }
      if (rows.context != nullptr) {
        MOG_UNROLL for (int d = 0; d < kWidth; ++d) {
          context_[d] += weight * tile.values[in_tile + i][d];
        }
      }
    }
  }

  std::int64_t query_place_;
  float query_[static_cast<std::size_t>(kWidth)];
  float context_[static_cast<std::size_t>(kWidth)];
  RowSum sum_;
  RowDetail detail_;
};

}  // namespace mog::engine
