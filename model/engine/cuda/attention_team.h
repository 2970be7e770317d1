// Attention with statistics of its rows in bfloat16 for long sentences: the warps of a block share tiles of
// keys and values (C++17, for nvcc; a test runs it on the host).
//
// Four warps take neighbouring queries of a head. While they go through one tile in shared memory
// (AttentionWarp::add), the next is on its way there; every thread brings a share. So a key is read from
// global memory once for 64 to 128 queries, and nobody waits for it but at the first tile. (Dao 2023.)
//
// Rows lie in shared memory in chunks of sixteen bytes, whose places are exchanged within lines of eight
// (SharedRows::place) so that the lanes of a wide load of keys, and those of one of values, find each bank
// once.
//
// Cost: O(queries · keys · width); keys and values are read once a block (keys twice with maps).
#pragma once

#include <cstdint>

#include "model/engine/cuda/attention_block.h"
#include "model/engine/cuda/attention_forms.h"
#include "model/engine/cuda/attention_rows.h"
#include "model/engine/cuda/attention_tensor.h"

namespace mog::engine {

constexpr int kTeamWarps = 4;
constexpr int kTeamThreads = 32 * kTeamWarps;

// Keys of a tile of shared memory, whose scores a warp holds at a time.
template <int kWidth>
constexpr int kTeamKeys = kWidth <= 64 ? 64 : 32;
// Queries of a block whose warps take kGroups times sixteen. Two groups read a tile half as often, and where
// sentences are long that is faster; one leaves registers for more blocks beside each other.
template <int kGroups>
constexpr int kTeamQueries = kTensorQueries* kGroups* kTeamWarps;

// Rows of kWidth bfloat16 numbers in shared memory.
template <int kWidth>
struct SharedRows {
  static_assert(kWidth == 32 || kWidth == 64 || kWidth == 128);
  static constexpr unsigned kChunk = 16;  // bytes
  static constexpr unsigned kChunks = 2 * kWidth / kChunk;
  static constexpr unsigned kRows = kTeamKeys<kWidth>;

  alignas(128) unsigned char bytes[kRows * kChunks * kChunk];

  // Where the chunk of a row lies. Eight lanes load at a time: of keys, the chunks of four quarters of two
  // neighbouring rows; of values, neighbouring chunks of four rows, each two apart.
  MOG_BOTH static unsigned place(unsigned row, unsigned chunk) {
    if constexpr (kWidth == 32) {  // two rows a line
      const unsigned line = row / 2;
      return 128 * line + kChunk * ((row % 2 * 4 + chunk) ^ (line % 4 * 2));
    } else if constexpr (kWidth == 64) {
      return 128 * row + kChunk * (chunk ^ (row % 8));
    } else {  // two lines a row
      const unsigned turn = (((row / 2) ^ row) & 1U) | (row & 4U);
      return 256 * row + 128 * (chunk / 8) + kChunk * ((chunk % 8) ^ (chunk / 8 * 2) ^ turn);
    }
  }
};

template <int kWidth>
struct SharedTile {
  SharedRows<kWidth> keys;
  SharedRows<kWidth> values;
};

// Keys and values of a tile, as one lane of a warp reads them; `first`: the key of the tile's first row.
template <int kWidth>
class SharedKeys {
 public:
  using Form = BFloat16Form<kWidth>;
  using Rows = SharedRows<kWidth>;
  static constexpr int kTogether = kWidth == 128 ? 1 : 2;

  MOG_BOTH SharedKeys(const SharedTile<kWidth>& tile, int first, int lane)
      : tile_(tile), first_(first), lane_(static_cast<unsigned>(lane)) {}
  // Rows beyond the sentence are 0.
  MOG_BOTH bool whole(int, int) const { return true; }
  MOG_BOTH void load_key(int key, std::uint32_t (&to)[Form::kSlice]) const {
    constexpr unsigned kOwn = Rows::kChunks / 4;
    MOG_UNROLL for (unsigned i = 0; i < kOwn; ++i) {
      load_chunk(tile_.keys, row_of(key), lane_ % 4 * kOwn + i, to + 4 * i);
    }
  }
  MOG_BOTH void load_values(int key, std::uint32_t (&to)[Form::kPiece]) const {
    const unsigned eighth = lane_ / 4;
    if constexpr (kWidth == 32) {  // half a chunk
      const unsigned char* const from =
          tile_.values.bytes + Rows::place(row_of(key), eighth / 2) + eighth % 2 * (Rows::kChunk / 2);
#ifdef __CUDA_ARCH__
      const uint2 two = *reinterpret_cast<const uint2*>(from);
      to[0] = two.x;
      to[1] = two.y;
#else
      memcpy(to, from, sizeof(to));
#endif
    } else {
      constexpr unsigned kOwn = Rows::kChunks / 8;
      MOG_UNROLL for (unsigned i = 0; i < kOwn; ++i) {
        load_chunk(tile_.values, row_of(key), eighth * kOwn + i, to + 4 * i);
      }
    }
  }

 private:
  MOG_BOTH unsigned row_of(int key) const {
    return static_cast<unsigned>(key - first_);
  }
  MOG_BOTH static void load_chunk(const Rows& rows, unsigned row, unsigned chunk, std::uint32_t* to) {
    const unsigned char* const from = rows.bytes + Rows::place(row, chunk);
#ifdef __CUDA_ARCH__
    const uint4 four = *reinterpret_cast<const uint4*>(from);
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
#else
    memcpy(to, from, Rows::kChunk);
#endif
  }

  const SharedTile<kWidth>& tile_;
  int first_;
  unsigned lane_;
};

// One thread's part of a block: kTeamQueries queries of a sentence and a head from `first` on. Only
// for what AttentionWarp calls plain. kMaps: whether maps are wanted.
// Team: thread(); warp(), as AttentionWarp needs it; barrier(); copy_chunk(to, from, real), which goes on by
// itself and writes 0 where `from` is not real; wait(), until all copies of this thread are there.
template <int kWidth, int kGroups, bool kMaps, class Team>
class AttentionTeam {
 public:
  using Form = BFloat16Form<kWidth>;
  using Warp = typename Team::Warp;
  using Member = AttentionWarp<Form, kWidth, true, kMaps, Warp, kGroups, kTeamKeys<kWidth> / 8>;

  MOG_BOTH AttentionTeam(const Team& team, const AttentionBlock& block, const AttentionRows& rows,
                         const AttentionPlace& place, SharedTile<kWidth>* tiles)
      : team_(team), block_(block), rows_(rows), place_(place), tiles_(tiles) {
    const std::int64_t column = place.head * block.key_heads / block.heads * block.width;
    keys_ = numbers_from<Form>(block.key, place.first_key * block.key_stride + column);
    values_ = numbers_from<Form>(block.value, place.first_key * block.value_stride + column);
  }

  MOG_BOTH void run(int first) const {
    const int beyond = first + kTeamQueries<kGroups>;
    const std::int64_t last = beyond < place_.queries ? beyond : place_.queries;
    const KeyRange range = key_range(block_, place_, first, last);
    const bool context = rows_.context != nullptr;
    bring(0, static_cast<int>(range.begin), !kMaps && context);  // on its way while queries are
    const Warp warp = team_.warp();
    Member own(warp, block_, rows_, place_, first + team_.thread() / 32 * Member::kQueries);
    walk(static_cast<int>(range.begin), static_cast<int>(range.end), !kMaps && context,
         [&](int tile, int key) { own.add(SharedKeys<kWidth>(tiles_[tile], key, warp.lane()), key); });
    own.finish();
    if constexpr (kMaps) {
      team_.wait();
      team_.barrier();  // what was walked through has been read
      bring(0, 0, context);
      walk(0, static_cast<int>(place_.keys), context,
           [&](int tile, int key) { own.add_maps(SharedKeys<kWidth>(tiles_[tile], key, warp.lane()), key); });
    }
    team_.wait();  // where there was nothing to walk through
    own.store();
  }

 private:
  static constexpr int kRows = static_cast<int>(SharedRows<kWidth>::kRows);

  // work(tile, first key of it) of the keys [begin, end), while the next tile is on its way; so is the first.
  template <class Work>
  MOG_BOTH void walk(int begin, int end, bool values, const Work& work) const {
    for (int key = begin, tile = 0; key < end; key += kRows, tile = 1 - tile) {
      team_.wait();
      team_.barrier();  // what every thread brought is there, and the other tile has been read
      if (key + kRows < end) {
        bring(1 - tile, key + kRows, values);
      }
      work(tile, key);
    }
  }
  // This thread's share of the rows from `key` on: the same chunk of every kStep-th row.
  MOG_BOTH void bring(int tile, int key, bool values) const {
    bring_rows(tiles_[tile].keys, keys_, block_.key_stride, key);
    if (values) {
      bring_rows(tiles_[tile].values, values_, block_.value_stride, key);
    }
  }
  MOG_BOTH void bring_rows(SharedRows<kWidth>& to, const char* from, std::int64_t stride, int key) const {
    using Rows = SharedRows<kWidth>;
    constexpr unsigned kStep = kTeamThreads / Rows::kChunks;
    const unsigned row = static_cast<unsigned>(team_.thread()) / Rows::kChunks;
    const unsigned chunk = static_cast<unsigned>(team_.thread()) % Rows::kChunks;
    const int own_keys = static_cast<int>(place_.keys);
    const int bytes = static_cast<int>(stride) * 2;
    const char* own = from + std::int64_t{key + static_cast<int>(row)} * bytes + chunk * Rows::kChunk;
    MOG_UNROLL for (unsigned i = 0; i < Rows::kRows; i += kStep) {
      const bool real = key + static_cast<int>(row + i) < own_keys;
      team_.copy_chunk(to.bytes + Rows::place(row + i, chunk), real ? own : from, real);
      own += std::int64_t{kStep} * bytes;
    }
  }

  const Team& team_;
  const AttentionBlock& block_;
  const AttentionRows& rows_;
  const AttentionPlace& place_;
  SharedTile<kWidth>* tiles_;     // two
  const char* keys_ = nullptr;    // of the head
  const char* values_ = nullptr;  // likewise
};

}  // namespace mog::engine
