// Attention with statistics of its rows on the matrix units of a graphics card: a warp for sixteen queries of
// a sentence and a head, or for more of them (C++17, for nvcc; a test runs it on the host, lanes in turn).
//
// The softmax goes on line as in attention_rows.h, on scores in powers of two: with x = s·log2(e) - b the
// weights are 2^x, Z = Σ 2^x, W = Σ x·2^x, and the entropy is ln 2·(log2 Z - W / Z). It costs one operation
// a score more than flash attention does. (Dao et al. 2022.) The base b is a greatest score of before, and
// stays until a score is 2^kHeadroom times as heavy: seldom, so that lanes of a row need not agree on one
// each time.
//
// Keys and values come from wherever `Keys` reads them, straight into the registers of the products:
// global memory for a warp by itself (attention_keys.h), since most sentences have fewer than 64 tokens,
// nothing is gained by sharing and nobody waits for anybody; shared memory for the warps of a team
// (attention_team.h). The order of a product's terms is ours to choose: lane t of four takes a quarter of a
// row's neighbouring columns, and column j of the values goes to product j mod J, so that every load is as
// wide as it can be and nothing is transposed.
//
// bfloat16 numbers are multiplied as they are and summed in float32; weights are rounded to bfloat16 for the
// context alone. float32 numbers are split into two of eleven bits each (TF32), whose three greater products
// are summed: relative error 2^-21, as of float32 sums (Ootomo and Yokota 2022).
//
// Maps, where they are wanted, are written by a second walk that computes the scores again: then Z is known.
//
// Cost: O(queries · keys · width); keys and values are read once for the queries of a warp (keys twice with
// maps).
#pragma once

#include <cstdint>

#include "model/engine/cuda/attention_block.h"
#include "model/engine/cuda/attention_forms.h"
#include "model/engine/cuda/attention_keys.h"
#include "model/engine/cuda/attention_rows.h"

namespace mog::engine {

constexpr int kTensorQueries = 16;  // of a product

constexpr float kHeadroom = 8.0F;  // of scores above the base, in powers of two

// A score that no key has: its weight is 0, and products with it are numbers.
constexpr float kHiddenScore = -1e30F;
// Other scales, and those that are no number, go another way, which does not multiply hidden scores.
constexpr float kLeastPlainScale = 1e-6F;
constexpr float kMostPlainScale = 1e6F;

// Whether a block, whose rows lie as wide loads ask for, is plain (AttentionWarp).
template <int kWidth>
MOG_BOTH inline bool is_plain(const AttentionBlock& block) {
  return block.width == kWidth && block.bias == nullptr && !(block.cap > 0.0F) &&
         block.scale >= kLeastPlainScale && block.scale <= kMostPlainScale;
}

// 16 · kGroups queries from `first` on, as one lane of their warp goes through them; the scores of 8 · kTiles
// keys are in registers at a time. Warp: lane(), the products of two blocks, of_other(value, mask), which is
// the value of lane XOR mask, any() among all lanes, power_of_two(), rounded_float16().
// kPlain: is_plain(), and every row of a head begins at a multiple of 16 bytes. kMaps: whether maps are
// wanted. (What a path does not need costs it registers and instructions to step over.)
template <class Form, int kWidth, bool kPlain, bool kMaps, class Warp, int kGroups = 1, int kTiles = 4>
class AttentionWarp {
 public:
  static constexpr int kQueries = kTensorQueries * kGroups;
  static constexpr int kKeys = 8 * kTiles;
  using TileScores = TensorSums[static_cast<unsigned>(kTiles)];
  using Scores = TileScores[static_cast<unsigned>(kGroups)];
  using RowNumbers = float[static_cast<unsigned>(kGroups)][2];

  MOG_BOTH AttentionWarp(const Warp& warp, const AttentionBlock& block, const AttentionRows& rows,
                         const AttentionPlace& place, int first)
      : warp_(warp),
        block_(block),
        rows_(rows),
        place_(place),
        first_(first),
        own_queries_(static_cast<int>(place.queries)),
        own_keys_(static_cast<int>(place.keys)),
        factor_(kPlain ? block.scale * kLog2E : 1.0F) {
    const int last = first + kQueries < own_queries_ ? first + kQueries : own_queries_;
    const KeyRange range = key_range(block, place, first, last);
    begin_ = static_cast<int>(range.begin);
    end_ = first < own_queries_ ? static_cast<int>(range.end) : begin_;
    MOG_UNROLL for (int group = 0; group < kGroups; ++group) {
      MOG_UNROLL for (int row = 0; row < 2; ++row) {
        load_query(group, row);
        greatest_[group][row] = kHiddenScore;
        limits_[group][row] = kHiddenScore;
        bases_[group][row] = 0.0F;
        sum_[group][row] = 0.0F;
        weighted_[group][row] = 0.0F;
        inverse_[group][row] = 0.0F;
        first_scores_[group][row] = kHiddenScore;
      }
      MOG_UNROLL for (unsigned j = 0; j < Form::kProducts; ++j) {
        MOG_UNROLL for (int i = 0; i < 4; ++i) {
          context_[group][j][i] = 0.0F;
        }
      }
    }
  }

  // All of it by the warp itself.
  MOG_BOTH void run() {
    const GlobalKeys<Form, kWidth, kPlain> keys(block_, place_, warp_.lane());
    for (int key = begin_; key < end_; key += kKeys) {
      add(keys, key);
    }
    finish();
    if constexpr (kMaps) {
      for (int key = 0; key < own_keys_; key += kKeys) {
        add_maps(keys, key);
      }
    }
    store();
  }

  // The keys from `key` on, in rising order; then finish(); then, where maps are wanted, all of them again by
  // add_maps(); then store().
  template <class Keys>
  MOG_BOTH void add(const Keys& keys, int key) {
    if (key >= end_ || key + kKeys <= begin_) {
      return;
    }
    Scores scores;
    score(keys, key, scores);
    weigh(key, scores);
    if (!kMaps && rows_.context != nullptr) {
      add_values(keys, key, scores);
    }
  }
  template <class Keys>
  MOG_BOTH void add_maps(const Keys& keys, int key) {
    if (first_ >= own_queries_) {
      return;
    }
    Scores weights;
    score(keys, key, weights);
    weigh_again(weights);
    MOG_UNROLL for (int group = 0; group < kGroups; ++group) {
      store_maps(key, group, weights[group]);
    }
    if (rows_.context != nullptr && key < end_ && key + kKeys > begin_) {
      add_values(keys, key, weights);
    }
  }
  // Statistics of the rows, when all keys have been seen.
  MOG_BOTH void finish() {
    constexpr float kLn2 = 0.693147181F;
    MOG_UNROLL for (int group = 0; group < kGroups; ++group) {
      MOG_UNROLL for (int row = 0; row < 2; ++row) {
        const float sum = sum_of_four(sum_[group][row]);
        const float weighted = sum_of_four(weighted_[group][row]);
        float greatest = greatest_[group][row];
        greatest = fmaxf(greatest, warp_.of_other(greatest, 1));
        greatest = fmaxf(greatest, warp_.of_other(greatest, 2));
        const float inverse = sum == 0.0F ? 0.0F : 1.0F / sum;
        inverse_[group][row] = inverse;
        const int query = query_of(group, row);
        if (query >= own_queries_ || part() != 0) {
          continue;
        }
        const std::int64_t at = packed_row(block_, place_, query);
        if (rows_.entropy != nullptr) {
          const float entropy = sum == 0.0F ? 0.0F : kLn2 * (log2f(sum) - weighted * inverse);
          rows_.entropy[at] = entropy < 0.0F ? 0.0F : entropy;
        }
        if (rows_.greatest != nullptr) {
          rows_.greatest[at] = weight_of(greatest, bases_[group][row]) * inverse;
        }
        if (rows_.first != nullptr) {
          rows_.first[at] = weight_of(first_scores_[group][row], bases_[group][row]) * inverse;
        }
      }
    }
  }
  MOG_BOTH void store() const {
    if (rows_.context == nullptr) {
      return;
    }
    MOG_UNROLL for (int group = 0; group < kGroups; ++group) {
      MOG_UNROLL for (int row = 0; row < 2; ++row) {
        store_context(group, row, kMaps ? 1.0F : inverse_[group][row]);
      }
    }
  }

 private:
  static constexpr float kLog2E = 1.44269504F;
  static constexpr int kBytes = 4 / Form::kPerWord;

  MOG_BOTH float sum_of_four(float value) const {
    value += warp_.of_other(value, 1);
    return value + warp_.of_other(value, 2);
  }
  // Of the four lanes of a row.
  MOG_BOTH int part() const { return warp_.lane() % 4; }
  // A key that is not there repeats the last one and is hidden afterwards.
  MOG_BOTH int real_key(int key) const { return key < own_keys_ ? key : own_keys_ - 1; }
  MOG_BOTH int query_of(int group, int row) const {
    return first_ + kTensorQueries * group + warp_.lane() / 4 + 8 * row;
  }

  // The lane's quarter of a query. One that is not there repeats the last one.
  MOG_BOTH void load_query(int group, int row) {
    const int own = query_of(group, row);
    const int query = own < own_queries_ ? own : own_queries_ - 1;
    const char* const from = numbers_from<Form>(
        block_.query, (place_.first_query + query) * block_.query_stride + place_.head * block_.width);
    load_row<Form, kPlain>(block_, from, part() * (kWidth / 4), queries_[group][row]);
  }

  // scores = queries · keysᵀ. Loads that are not waited for one by one where all keys are there.
  template <class Keys>
  MOG_BOTH void multiply_keys(const Keys& keys, int key, Scores& scores) const {
    MOG_UNROLL for (int group = 0; group < kGroups; ++group) {
      MOG_UNROLL for (int tile = 0; tile < kTiles; ++tile) {
        MOG_UNROLL for (int i = 0; i < 4; ++i) {
          scores[group][tile][i] = 0.0F;
        }
      }
    }
    const int own = key + warp_.lane() / 4;
    if (keys.whole(key, kKeys)) {
      MOG_UNROLL for (int tile = 0; tile < kTiles; tile += Keys::kTogether) {
        std::uint32_t words[static_cast<unsigned>(Keys::kTogether)][Form::kSlice];
        MOG_UNROLL for (int i = 0; i < Keys::kTogether; ++i) {
          keys.load_key(own + 8 * (tile + i), words[i]);
        }
        MOG_UNROLL for (int i = 0; i < Keys::kTogether; ++i) {
          MOG_UNROLL for (int group = 0; group < kGroups; ++group) {
            Form::score(warp_, scores[group][tile + i], queries_[group], words[i]);
          }
        }
      }
      return;
    }
    MOG_UNROLL for (int tile = 0; tile < kTiles; ++tile) {
      if (key + 8 * tile < own_keys_) {
        std::uint32_t words[Form::kSlice];
        keys.load_key(real_key(own + 8 * tile), words);
        MOG_UNROLL for (int group = 0; group < kGroups; ++group) {
          Form::score(warp_, scores[group][tile], queries_[group], words);
        }
      }
    }
  }

  // Scores of the keys from `key` on, which factor_ makes powers of two; kHiddenScore where a key is hidden.
  template <class Keys>
  MOG_BOTH void score(const Keys& keys, int key, Scores& scores) const {
    multiply_keys(keys, key, scores);
    const bool shown = all_shown(key);
    MOG_UNROLL for (int group = 0; group < kGroups; ++group) {
      if constexpr (!kPlain) {
        add_bias(key, group, scores[group]);
      }
      if (!shown) {
        hide(key, group, scores[group]);
      }
    }
  }
  MOG_BOTH void add_bias(int key, int group, TileScores& scores) const {
    MOG_UNROLL for (int tile = 0; tile < kTiles; ++tile) {
      MOG_UNROLL for (int i = 0; i < 4; ++i) {
        const int query = query_of(group, i / 2);
        const int own = key + 8 * tile + 2 * part() + i % 2;
        float bias = 0.0F;
        if (block_.bias != nullptr && query < own_queries_ && own < own_keys_) {
          bias = block_.bias[place_.head * block_.bias_head_stride + query * block_.bias_row_stride + own];
        }
        const float score = finish_score(block_, scores[tile][i] * block_.scale, bias) * kLog2E;
        scores[tile][i] = score < kHiddenScore ? kHiddenScore : score;
      }
    }
  }

  // Whether every query sees every key of those from `key` on.
  MOG_BOTH bool all_shown(int key) const {
    const bool near = block_.window < 0 || (first_ + kQueries - 1 - key <= block_.window &&
                                            key + kKeys - 1 - first_ <= block_.window);
    return block_.hidden == nullptr && key + kKeys <= own_keys_ && near &&
           (block_.causal == 0 || key + kKeys - 1 <= first_);
  }
  MOG_BOTH void hide(int key, int group, TileScores& scores) const {
    MOG_UNROLL for (int row = 0; row < 2; ++row) {
      const int query = query_of(group, row);
      const int window = block_.window < 0 || block_.window > own_keys_ + own_queries_
                             ? own_keys_ + own_queries_
                             : static_cast<int>(block_.window);
      const int last = block_.causal != 0 ? query : query + window;
      const int end = last + 1 < own_keys_ ? last + 1 : own_keys_;
      MOG_UNROLL for (int tile = 0; tile < kTiles; ++tile) {
        MOG_UNROLL for (int i = 0; i < 2; ++i) {
          const int own = key + 8 * tile + 2 * part() + i;
          if (own >= end || own < query - window) {
            scores[tile][2 * row + i] = kHiddenScore;
          }
        }
      }
    }
    if (block_.hidden != nullptr) {
      MOG_UNROLL for (int tile = 0; tile < kTiles; ++tile) {
        MOG_UNROLL for (int i = 0; i < 2; ++i) {
          const int own = key + 8 * tile + 2 * part() + i;
          if (own < own_keys_ && block_.hidden[place_.first_key + own] != 0) {
            scores[tile][i] = kHiddenScore;
            scores[tile][2 + i] = kHiddenScore;
          }
        }
      }
    }
  }

  MOG_BOTH float weight_of(float score, float base) const {
    return warp_.power_of_two(score * factor_ - base);
  }

  // Scores become weights. Row by row would be shorter, and slower: what rows do beside each other need not
  // be waited for.
  MOG_BOTH void weigh(int key, Scores& scores) {
    if (key == 0 && part() == 0) {
      MOG_UNROLL for (int group = 0; group < kGroups; ++group) {
        MOG_UNROLL for (int row = 0; row < 2; ++row) {
          first_scores_[group][row] = scores[group][0][2 * row];
        }
      }
    }
    bool beyond = false;
    MOG_UNROLL for (int group = 0; group < kGroups; ++group) {
      MOG_UNROLL for (int row = 0; row < 2; ++row) {
        MOG_UNROLL for (int tile = 0; tile < kTiles; ++tile) {
          greatest_[group][row] = fmaxf(
              greatest_[group][row], fmaxf(scores[group][tile][2 * row], scores[group][tile][2 * row + 1]));
        }
        beyond = beyond || greatest_[group][row] > limits_[group][row];
      }
    }
    if (warp_.any(beyond)) {
      raise();
    }
    MOG_UNROLL for (int tile = 0; tile < kTiles; ++tile) {
      MOG_UNROLL for (int i = 0; i < 4; ++i) {
        MOG_UNROLL for (int group = 0; group < kGroups; ++group) {
          float& score = scores[group][tile][i];
          const float x = score * factor_ - bases_[group][i / 2];
          score = warp_.power_of_two(x);
          sum_[group][i / 2] += score;
          weighted_[group][i / 2] += score * x;
        }
      }
    }
  }
  // Where a score is beyond its row's limit, the row's base becomes its greatest score, and what was summed
  // under the old base is brought under the new one.
  MOG_BOTH void raise() {
    MOG_UNROLL for (int group = 0; group < kGroups; ++group) {
      MOG_UNROLL for (int row = 0; row < 2; ++row) {
        float greatest = greatest_[group][row];
        greatest = fmaxf(greatest, warp_.of_other(greatest, 1));
        greatest = fmaxf(greatest, warp_.of_other(greatest, 2));
        const bool begun = limits_[group][row] != kHiddenScore;
        const bool higher = greatest > limits_[group][row];
        const float base = higher ? greatest * factor_ : bases_[group][row];
        const float fall = begun ? bases_[group][row] - base : 0.0F;
        const float factor = warp_.power_of_two(fall);
        weighted_[group][row] = factor * (weighted_[group][row] + sum_[group][row] * fall);
        sum_[group][row] *= factor;
        bases_[group][row] = base;
        limits_[group][row] = higher ? greatest + kHeadroom / factor_ : limits_[group][row];
        MOG_UNROLL for (unsigned j = 0; j < Form::kProducts; ++j) {
          context_[group][j][2 * row] *= factor;
          context_[group][j][2 * row + 1] *= factor;
        }
      }
    }
  }
  // Scores become the weights of the map, after finish().
  MOG_BOTH void weigh_again(Scores& scores) const {
    MOG_UNROLL for (int group = 0; group < kGroups; ++group) {
      MOG_UNROLL for (int tile = 0; tile < kTiles; ++tile) {
        MOG_UNROLL for (int i = 0; i < 4; ++i) {
          scores[group][tile][i] =
              weight_of(scores[group][tile][i], bases_[group][i / 2]) * inverse_[group][i / 2];
        }
      }
    }
  }

  template <class Keys>
  MOG_BOTH void add_values(const Keys& keys, int key, const Scores& weights) {
    const int own = key + 2 * part();
    const auto add_pair = [&](int tile, const auto& place_of_key) {
      std::uint32_t values[4][Form::kPiece];
      MOG_UNROLL for (int i = 0; i < 4; ++i) {
        keys.load_values(place_of_key(own + 8 * (tile + i / 2) + i % 2), values[i]);
      }
      MOG_UNROLL for (int group = 0; group < kGroups; ++group) {
        Form::add_values(warp_, context_[group], weights[group][tile], weights[group][tile + 1], values);
      }
    };
    if (keys.whole(key, kKeys)) {
      MOG_UNROLL for (int tile = 0; tile < kTiles; tile += 2) {
        add_pair(tile, [](int at) { return at; });
      }
      return;
    }
    MOG_UNROLL for (int tile = 0; tile < kTiles; tile += 2) {
      if (key + 8 * tile < own_keys_) {
        add_pair(tile, [this](int at) { return real_key(at); });
      }
    }
  }

  MOG_BOTH void store_maps(int key, int group, const TileScores& weights) const {
    const std::int64_t start = block_.heads * place_.area + place_.head * place_.queries * place_.keys;
    MOG_UNROLL for (int row = 0; row < 2; ++row) {
      if (query_of(group, row) >= own_queries_) {
        continue;
      }
      const std::int64_t at = start + query_of(group, row) * place_.keys;
      MOG_UNROLL for (int tile = 0; tile < kTiles; ++tile) {
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

  MOG_BOTH void store_context(int group, int row, float factor) const {
    const int query = query_of(group, row);
    if (query >= own_queries_) {
      return;
    }
    float values[2 * Form::kProducts];
    MOG_UNROLL for (unsigned j = 0; j < Form::kProducts; ++j) {
      values[j] = context_[group][j][2 * row] * factor;
      values[Form::kProducts + j] = context_[group][j][2 * row + 1] * factor;
    }
    const std::int64_t start = ((place_.first_query + query) * block_.heads + place_.head) * block_.width;
    const int column = kWidth / 4 * part();
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
  int begin_ = 0;  // keys that some query may see
  int end_ = 0;
  float factor_;
  std::uint32_t queries_[static_cast<unsigned>(kGroups)][2][Form::kSlice];
  TensorSums context_[static_cast<unsigned>(kGroups)][Form::kProducts];
  RowNumbers greatest_;  // score that this lane saw
  RowNumbers bases_;     // subtracted from scores in powers of two
  RowNumbers limits_;    // of scores under it; before the first one kHiddenScore
  RowNumbers sum_;       // Z, of the keys that this lane saw
  RowNumbers weighted_;  // W, likewise
  RowNumbers inverse_;   // 1 / Z of the row
  RowNumbers first_scores_;
};

}  // namespace mog::engine
