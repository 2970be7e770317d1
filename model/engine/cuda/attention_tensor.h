// Attention with statistics of its rows on the matrix units of a graphics card: a warp for sixteen queries of
// a sentence and a head (C++17, for nvcc; a test runs it on the host, 32 lanes in turn).
//
// The softmax goes on line as in attention_rows.h, on scores in powers of two: with x = s·log2(e) - m the
// weights are 2^x, Z = Σ 2^x, W = Σ x·2^x, and the entropy is ln 2·(log2 Z - W / Z). It costs two operations
// a score more than flash attention does. (Dao et al. 2022.)
//
// Why a warp by itself: most sentences have fewer than 64 tokens, so that nothing is gained by sharing tiles,
// and nobody waits for anybody. Keys and values come from global memory straight into the registers of the
// products; warps of one head are neighbours and find them in the first cache. The order of a product's terms
// is ours to choose: lane t of four takes a quarter of a row's neighbouring columns, and column j of the
// values goes to product j mod J, so that every load is as wide as it can be and nothing is transposed.
//
// bfloat16 numbers are multiplied as they are and summed in float32; weights are rounded to bfloat16 for the
// context alone. float32 numbers are split into two of eleven bits each (TF32), whose three greater products
// are summed: relative error 2^-21, as of float32 sums (Ootomo and Yokota 2022).
//
// Maps, where they are wanted, are written by a second walk that computes the scores again: then Z is known.
//
// Cost: O(queries · keys · width); keys and values are read once for sixteen queries (keys twice with maps).
#pragma once

#include <cstdint>

#include "model/engine/cuda/attention_block.h"
#include "model/engine/cuda/attention_forms.h"
#include "model/engine/cuda/attention_rows.h"

namespace mog::engine {

constexpr int kTensorQueries = 16;  // of a warp
constexpr int kTensorTiles = 4;     // of eight keys, whose scores are in registers at a time

// Sixteen queries from `first` on, as one lane of their warp goes through them. Warp: lane(), the products of
// two blocks, greatest and sum among four neighbouring lanes, any() among all, power_of_two(),
// rounded_float16().
// kPlain: the width is kWidth, every row of a head begins at a multiple of 16 bytes, and there is neither
// bias nor cap. (What a path does not need costs it registers and instructions to step over.)
template <class Form, int kWidth, bool kPlain, class Warp>
class AttentionWarp {
 public:
  MOG_BOTH AttentionWarp(const Warp& warp, const AttentionBlock& block, const AttentionRows& rows,
                         const AttentionPlace& place, int first)
      : warp_(warp),
        block_(block),
        rows_(rows),
        place_(place),
        first_(first),
        own_queries_(static_cast<int>(place.queries)),
        own_keys_(static_cast<int>(place.keys)) {
    const std::int64_t column = place.head * block.key_heads / block.heads * block.width;
    keys_ = bytes_from(block.key, place.first_key * block.key_stride + column);
    values_ = bytes_from(block.value, place.first_key * block.value_stride + column);
    key_step_ = static_cast<int>(block.key_stride) * kBytes;
    value_step_ = static_cast<int>(block.value_stride) * kBytes;
  }

  MOG_BOTH void run() {
    const int last = first_ + kTensorQueries < own_queries_ ? first_ + kTensorQueries : own_queries_;
    MOG_UNROLL for (int row = 0; row < 2; ++row) {
      const int query = query_of(row) < own_queries_ ? query_of(row) : own_queries_ - 1;
      load<Form::kSlice>(bytes_from(block_.query, (place_.first_query + query) * block_.query_stride +
                                                      place_.head * block_.width),
                         part() * (kWidth / 4), queries_[row]);
    }
    MOG_UNROLL for (unsigned j = 0; j < Form::kProducts; ++j) {
      MOG_UNROLL for (int i = 0; i < 4; ++i) {
        context_[j][i] = 0.0F;
      }
    }
    const KeyRange range = key_range(block_, place_, first_, last);
    const int begin = static_cast<int>(range.begin);
    const int end = static_cast<int>(range.end);
    const bool maps = rows_.maps16 != nullptr || rows_.maps32 != nullptr;
    const bool context = rows_.context != nullptr;
    for (int key = begin; key < end; key += kKeys) {
      TensorSums scores[kTensorTiles];
      score(key, scores);
      weigh(key, scores);
      if (context && !maps) {
        shrink();
        add_values(key, scores);
      }
    }
    finish();
    if (maps) {
      for (int key = 0; key < own_keys_; key += kKeys) {
        TensorSums weights[kTensorTiles];
        score(key, weights);
        weigh_again(weights);
        store_maps(key, weights);
        if (context && key < end && key + kKeys > begin) {
          add_values(key, weights);
        }
      }
    }
    if (context) {
      store_context(0, maps ? 1.0F : inverse_[0]);
      store_context(1, maps ? 1.0F : inverse_[1]);
    }
  }

 private:
  static constexpr int kKeys = 8 * kTensorTiles;  // in registers at a time
  static constexpr int kBytes = 4 / Form::kPerWord;
  static constexpr int kOwnColumns = kWidth / 8;  // J, of the values
  // Tiles whose keys are loaded at a time, as far as there are registers.
  static constexpr unsigned kTogether = Form::kSlice <= 4 ? 4 : (Form::kSlice <= 8 ? 2 : 1);

  MOG_BOTH static const char* bytes_from(const void* values, std::int64_t index) {
    return static_cast<const char*>(values) + index * kBytes;
  }
  // Of the four lanes of a row.
  MOG_BOTH int part() const { return warp_.lane() % 4; }
  MOG_BOTH int query_of(int row) const { return first_ + warp_.lane() / 4 + 8 * row; }
  // A key that is not there repeats the last one and is hidden afterwards.
  MOG_BOTH int real_key(int key) const { return key < own_keys_ ? key : own_keys_ - 1; }

  // Words of a row of a head, from number `column` on; beyond the width of the head they are 0.
  template <unsigned kWords>
  MOG_BOTH void load(const char* row, int column, std::uint32_t (&to)[kWords]) const {
    if constexpr (kPlain) {
      load_words(row + column * kBytes, to);
    } else {
      MOG_UNROLL for (unsigned i = 0; i < kWords; ++i) {
        const int at = column + static_cast<int>(i) * Form::kPerWord;
        to[i] = Form::word(row, at, block_.width - at);
      }
    }
  }

  MOG_BOTH void load_key(int key, std::uint32_t (&to)[Form::kSlice]) const {
    const std::int64_t row = static_cast<std::int64_t>(key) * key_step_;
    load<Form::kSlice>(keys_ + row, part() * (kWidth / 4), to);
  }
  MOG_BOTH void load_values(int key, std::uint32_t (&to)[Form::kPiece]) const {
    const std::int64_t row = static_cast<std::int64_t>(key) * value_step_;
    load<Form::kPiece>(values_ + row, warp_.lane() / 4 * kOwnColumns, to);
  }

  // scores = queries · keysᵀ. Loads that are not waited for one by one where all keys are there.
  MOG_BOTH void multiply_keys(int key, TensorSums (&scores)[kTensorTiles]) const {
    const int own = key + warp_.lane() / 4;
    MOG_UNROLL for (int tile = 0; tile < kTensorTiles; ++tile) {
      MOG_UNROLL for (int i = 0; i < 4; ++i) {
        scores[tile][i] = 0.0F;
      }
    }
    if (key + kKeys <= own_keys_) {
      MOG_UNROLL for (int tile = 0; tile < kTensorTiles; tile += static_cast<int>(kTogether)) {
        std::uint32_t keys[kTogether][Form::kSlice];
        MOG_UNROLL for (unsigned i = 0; i < kTogether; ++i) {
          load_key(own + 8 * (tile + static_cast<int>(i)), keys[i]);
        }
        MOG_UNROLL for (unsigned i = 0; i < kTogether; ++i) {
          Form::score(warp_, scores[tile + static_cast<int>(i)], queries_, keys[i]);
        }
      }
      return;
    }
    MOG_UNROLL for (int tile = 0; tile < kTensorTiles; ++tile) {
      if (key + 8 * tile < own_keys_) {
        std::uint32_t keys[Form::kSlice];
        load_key(real_key(own + 8 * tile), keys);
        Form::score(warp_, scores[tile], queries_, keys);
      }
    }
  }

  // Scores in powers of two of the keys from `key` on; -inf where a key is hidden.
  MOG_BOTH void score(int key, TensorSums (&scores)[kTensorTiles]) const {
    multiply_keys(key, scores);
    constexpr float kLog2E = 1.44269504F;
    if constexpr (kPlain) {
      const float scale = block_.scale * kLog2E;
      MOG_UNROLL for (int tile = 0; tile < kTensorTiles; ++tile) {
        MOG_UNROLL for (int i = 0; i < 4; ++i) {
          scores[tile][i] *= scale;
        }
      }
    } else {
      add_bias(key, scores, kLog2E);
    }
    if (!all_shown(key)) {
      hide(key, scores);
    }
  }
  MOG_BOTH void add_bias(int key, TensorSums (&scores)[kTensorTiles], float factor) const {
    MOG_UNROLL for (int tile = 0; tile < kTensorTiles; ++tile) {
      MOG_UNROLL for (int i = 0; i < 4; ++i) {
        const int query = query_of(i / 2);
        const int own = key + 8 * tile + 2 * part() + i % 2;
        float bias = 0.0F;
        if (block_.bias != nullptr && query < own_queries_ && own < own_keys_) {
          bias = block_.bias[place_.head * block_.bias_head_stride + query * block_.bias_row_stride + own];
        }
        scores[tile][i] = finish_score(block_, scores[tile][i] * block_.scale, bias) * factor;
      }
    }
  }

  // Whether every query sees every key of those from `key` on.
  MOG_BOTH bool all_shown(int key) const {
    const bool near = block_.window < 0 || (first_ + kTensorQueries - 1 - key <= block_.window &&
                                            key + kKeys - 1 - first_ <= block_.window);
    return block_.hidden == nullptr && key + kKeys <= own_keys_ && near &&
           (block_.causal == 0 || key + kKeys - 1 <= first_);
  }
  MOG_BOTH void hide(int key, TensorSums (&scores)[kTensorTiles]) const {
    MOG_UNROLL for (int tile = 0; tile < kTensorTiles; ++tile) {
      MOG_UNROLL for (int i = 0; i < 4; ++i) {
        const int own = key + 8 * tile + 2 * part() + i % 2;
        if (own >= own_keys_ || !is_shown(block_, place_, query_of(i / 2), own)) {
          scores[tile][i] = kNoScore;
        }
      }
    }
  }

  // -inf - -inf is no number.
  MOG_BOTH static float base_of(float greatest) { return greatest == kNoScore ? 0.0F : greatest; }

  // Scores become weights under the greatest score so far.
  MOG_BOTH void weigh(int key, TensorSums (&scores)[kTensorTiles]) {
    if (key == 0 && part() == 0) {
      first_scores_[0] = scores[0][0];
      first_scores_[1] = scores[0][2];
    }
    constexpr float kFar = -1e30F;
    MOG_UNROLL for (int row = 0; row < 2; ++row) {
      float greatest = greatest_[row];
      MOG_UNROLL for (int tile = 0; tile < kTensorTiles; ++tile) {
        greatest = fmaxf(greatest, fmaxf(scores[tile][2 * row], scores[tile][2 * row + 1]));
      }
      greatest = warp_.greatest_of_four(greatest);
      const float base = base_of(greatest);
      const bool begun = greatest_[row] != kNoScore;
      const float fall = begun ? greatest_[row] - base : 0.0F;
      const float factor = begun ? warp_.power_of_two(fall) : 0.0F;
      factors_[row] = factor;
      float weighted = factor * (weighted_[row] + sum_[row] * fmaxf(fall, kFar));
      float sum = factor * sum_[row];
      MOG_UNROLL for (int tile = 0; tile < kTensorTiles; ++tile) {
        MOG_UNROLL for (int i = 0; i < 2; ++i) {
          float& score = scores[tile][2 * row + i];
          const float x = score - base;
          const float weight = warp_.power_of_two(x);
          sum += weight;
          weighted += weight * fmaxf(x, kFar);
          score = weight;
        }
      }
      sum_[row] = sum;
      weighted_[row] = weighted;
      greatest_[row] = greatest;
    }
  }
  // What was summed under a lesser greatest score.
  MOG_BOTH void shrink() {
    if (warp_.any(factors_[0] != 1.0F || factors_[1] != 1.0F)) {
      MOG_UNROLL for (unsigned j = 0; j < Form::kProducts; ++j) {
        MOG_UNROLL for (int i = 0; i < 4; ++i) {
          context_[j][i] *= factors_[i / 2];
        }
      }
    }
  }
  // Scores become the weights of the map, after finish().
  MOG_BOTH void weigh_again(TensorSums (&scores)[kTensorTiles]) const {
    MOG_UNROLL for (int tile = 0; tile < kTensorTiles; ++tile) {
      MOG_UNROLL for (int i = 0; i < 4; ++i) {
        scores[tile][i] = warp_.power_of_two(scores[tile][i] - base_of(greatest_[i / 2])) * inverse_[i / 2];
      }
    }
  }

  MOG_BOTH void add_values(int key, const TensorSums (&weights)[kTensorTiles]) {
    const int own = key + 2 * part();
    if (key + kKeys <= own_keys_) {
      MOG_UNROLL for (int tile = 0; tile < kTensorTiles; tile += 2) {
        std::uint32_t values[4][Form::kPiece];
        MOG_UNROLL for (int i = 0; i < 4; ++i) {
          load_values(own + 8 * (tile + i / 2) + i % 2, values[i]);
        }
        Form::add_values(warp_, context_, weights[tile], weights[tile + 1], values);
      }
      return;
    }
    MOG_UNROLL for (int tile = 0; tile < kTensorTiles; tile += 2) {
      if (key + 8 * tile < own_keys_) {
        std::uint32_t values[4][Form::kPiece];
        MOG_UNROLL for (int i = 0; i < 4; ++i) {
          load_values(real_key(own + 8 * (tile + i / 2) + i % 2), values[i]);
        }
        Form::add_values(warp_, context_, weights[tile], weights[tile + 1], values);
      }
    }
  }

  // Statistics of the rows, when all keys have been seen.
  MOG_BOTH void finish() {
    constexpr float kLn2 = 0.693147181F;
    MOG_UNROLL for (int row = 0; row < 2; ++row) {
      const float sum = warp_.sum_of_four(sum_[row]);
      const float weighted = warp_.sum_of_four(weighted_[row]);
      const float inverse = sum == 0.0F ? 0.0F : 1.0F / sum;
      inverse_[row] = inverse;
      if (query_of(row) >= own_queries_ || part() != 0) {
        continue;
      }
      const std::int64_t at = packed_row(block_, place_, query_of(row));
      if (rows_.entropy != nullptr) {
        const float entropy = sum == 0.0F ? 0.0F : kLn2 * (log2f(sum) - weighted * inverse);
        rows_.entropy[at] = entropy < 0.0F ? 0.0F : entropy;
      }
      if (rows_.greatest != nullptr) {
        rows_.greatest[at] = inverse;
      }
      if (rows_.first != nullptr) {
        const float score = first_scores_[row];
        rows_.first[at] = score == kNoScore ? 0.0F : warp_.power_of_two(score - greatest_[row]) * inverse;
      }
    }
  }

  MOG_BOTH void store_maps(int key, const TensorSums (&weights)[kTensorTiles]) const {
    const std::int64_t start = block_.heads * place_.area + place_.head * place_.queries * place_.keys;
    MOG_UNROLL for (int row = 0; row < 2; ++row) {
      if (query_of(row) >= own_queries_) {
        continue;
      }
      const std::int64_t at = start + query_of(row) * place_.keys;
      MOG_UNROLL for (int tile = 0; tile < kTensorTiles; ++tile) {
        MOG_UNROLL for (int i = 0; i < 2; ++i) {
          const int own = key + 8 * tile + 2 * part() + i;
          const float weight = weights[tile][2 * row + i];
          if (own < own_keys_ && rows_.maps16 != nullptr) {
            rows_.maps16[at + own] = warp_.rounded_float16(weight);
          }
          if (own < own_keys_ && rows_.maps32 != nullptr) {
            rows_.maps32[at + own] = weight;
          }
        }
      }
    }
  }

  MOG_BOTH void store_context(int row, float factor) const {
    if (query_of(row) >= own_queries_) {
      return;
    }
    float values[2 * Form::kProducts];
    MOG_UNROLL for (unsigned j = 0; j < Form::kProducts; ++j) {
      values[j] = context_[j][2 * row] * factor;
      values[Form::kProducts + j] = context_[j][2 * row + 1] * factor;
    }
    const std::int64_t start =
        ((place_.first_query + query_of(row)) * block_.heads + place_.head) * block_.width;
    const int column = 2 * kOwnColumns * part();
    if constexpr (kPlain) {
      std::uint32_t words[Form::kContextWords];
      Form::pack(values, words);
      store_words(words, static_cast<char*>(rows_.context) + (start + column) * kBytes);
    } else {
      MOG_UNROLL for (unsigned i = 0; i < 2 * Form::kProducts; ++i) {
        const int at = column + static_cast<int>(i);
        if (at < block_.width) {
          store_number(block_, rows_.context, start + at, values[i]);
        }
      }
    }
  }

  const Warp& warp_;
  const AttentionBlock& block_;
  const AttentionRows& rows_;
  const AttentionPlace& place_;
  int first_;
  int own_queries_;
  int own_keys_;
  const char* keys_ = nullptr;    // of the head
  const char* values_ = nullptr;  // likewise
  int key_step_ = 0;              // bytes from row to row
  int value_step_ = 0;
  std::uint32_t queries_[2][Form::kSlice];
  TensorSums context_[Form::kProducts];
  float greatest_[2] = {kNoScore, kNoScore};
  float sum_[2] = {0.0F, 0.0F};       // Z, of the keys that this lane saw
  float weighted_[2] = {0.0F, 0.0F};  // W, likewise
  float inverse_[2] = {0.0F, 0.0F};   // 1 / Z of the row
  float factors_[2] = {0.0F, 0.0F};
  float first_scores_[2] = {kNoScore, kNoScore};
};

}  // namespace mog::engine
