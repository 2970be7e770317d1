// Rows of queries, keys and values in global memory, as the lanes of a warp read them (C++17, for nvcc and
// the host). In shared memory: attention_team.h.
#pragma once

#include <cstdint>

#include "model/engine/cuda/attention_block.h"
#include "model/engine/cuda/attention_forms.h"
#include "model/engine/cuda/attention_rows.h"

namespace mog::engine {

// Words of a row of a head from number `column` on; beyond the width of the head they are 0.
// kPlain: every row lies as wide loads ask for, and the words are within it.
template <class Form, bool kPlain, unsigned kWords>
MOG_BOTH inline void load_row(const AttentionBlock& block, const char* row, int column,
                              std::uint32_t (&to)[kWords]) {
  if constexpr (kPlain) {
    load_words(row + column * (4 / Form::kPerWord), to);
  } else {
    MOG_UNROLL for (unsigned i = 0; i < kWords; ++i) {
      const int at = column + static_cast<int>(i) * Form::kPerWord;
      to[i] = Form::word(row, at, block.width - at);
    }
  }
}

template <class Form>
MOG_BOTH inline const char* numbers_from(const void* values, std::int64_t index) {
  return static_cast<const char*>(values) + index * (4 / Form::kPerWord);
}

// Keys and values of a sentence and a head in global memory, as one lane of a warp reads them.
template <class Form, int kWidth, bool kPlain>
class GlobalKeys {
 public:
  // Tiles whose keys are loaded at a time, as far as there are registers.
  static constexpr int kTogether = Form::kSlice <= 4 ? 4 : (Form::kSlice <= 8 ? 2 : 1);

  MOG_BOTH GlobalKeys(const AttentionBlock& block, const AttentionPlace& place, int lane)
      : block_(block), lane_(lane), own_keys_(static_cast<int>(place.keys)) {
    const std::int64_t column = place.head * block.key_heads / block.heads * block.width;
    keys_ = numbers_from<Form>(block.key, place.first_key * block.key_stride + column);
    values_ = numbers_from<Form>(block.value, place.first_key * block.value_stride + column);
    key_step_ = static_cast<int>(block.key_stride) * (4 / Form::kPerWord);
    value_step_ = static_cast<int>(block.value_stride) * (4 / Form::kPerWord);
  }
  // Whether `count` keys from `key` on can be read; else only those of the sentence.
  MOG_BOTH bool whole(int key, int count) const { return key + count <= own_keys_; }
  // What the lane takes of a key: its quarter of the row.
  MOG_BOTH void load_key(int key, std::uint32_t (&to)[Form::kSlice]) const {
    const std::int64_t row = static_cast<std::int64_t>(key) * key_step_;
    load_row<Form, kPlain>(block_, keys_ + row, lane_ % 4 * (kWidth / 4), to);
  }
  // … and of a key's values: an eighth.
  MOG_BOTH void load_values(int key, std::uint32_t (&to)[Form::kPiece]) const {
    const std::int64_t row = static_cast<std::int64_t>(key) * value_step_;
    load_row<Form, kPlain>(block_, values_ + row, lane_ / 4 * (kWidth / 8), to);
  }

 private:
  const AttentionBlock& block_;
  int lane_;
  int own_keys_;
  const char* keys_ = nullptr;    // of the head
  const char* values_ = nullptr;  // likewise
  int key_step_ = 0;              // bytes from row to row
  int value_step_ = 0;
};

}  // namespace mog::engine
