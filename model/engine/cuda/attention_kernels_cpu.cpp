// The host twin of attention by rows: what is a thread on a graphics card is a lane here. Sixteen queries go
// side by side through the keys of their sentence, so that scores are products of keys with a vector of
// queries, and no statistic adds up across lanes; the context is a product of weights with a vector of
// columns. Keys and values of a head are packed first (rows of a joined projection lie a power of two apart
// and would evict each other), queries are turned round ([width, lane]), and a tile of scores (64 keys, 4 kB)
// never leaves the first cache. The mean over heads needs the weights of whole rows, which are known when the
// last key was seen: the scores of sixteen rows are kept until then. Compiled once per instruction set; the
// exponential is written out so that it becomes vector instructions.
#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "io/recording/errors.h"
#include "model/engine/common/text.h"
#include "model/engine/common/vector_clones.h"
#include "model/engine/cuda/attention_kernels.h"
#include "model/engine/cuda/attention_rows.h"
#include "model/engine/cuda/lane_arithmetic.h"

namespace mog::engine {
namespace {

using lanes::exponential;
using lanes::kLanes;
using lanes::multiply;

constexpr std::int64_t kTile = 64;  // keys
constexpr std::int64_t kMeanQueries =
    8 * kLanes;  // that find the keys of a head in a cache, one block after another

// Queries from `first` on of one sentence and head, on their way through the keys.
struct LaneState {
  alignas(64) float query[kMostHostWidth * kLanes];    // [width, lane], scaled
  alignas(64) float context[kMostHostWidth * kLanes];  // [lane, columns]
  alignas(64) float scores[kTile * kLanes];            // [key, lane], then the weights
  alignas(64) float greatest[kLanes];
  alignas(64) float sum[kLanes];
  alignas(64) float weighted[kLanes];
  alignas(64) float factor[kLanes];
};
// Keys and values of one head, [key, columns].
struct PackedHead {
  std::vector<float> keys;
  std::vector<float> values;
};
struct LaneDetail {
  alignas(64) float scores[kTile * kLanes];
  std::array<RowDetail, kLanes> rows;
  std::array<DistanceSums, kLanes> distances;
};

// The width, as whole vectors.
MOG_IN_CLONES std::int64_t columns_of(const AttentionBlock& block) {
  return (block.width + kLanes - 1) / kLanes * kLanes;
}

// One block of queries.
class LanePass {
 public:
  LanePass(const AttentionBlock& block, const AttentionRows& rows, const AttentionPlace& place,
           const PackedHead& head, std::int64_t first)
      : block_(block),
        rows_(rows),
        place_(place),
        head_(head),
        first_(first),
        lanes_(std::min(kLanes, place.queries - first)),
        columns_(columns_of(block)) {}

  // whole: of all keys, where the mean over heads is wanted.
  MOG_IN_CLONES void run(LaneState& state, LaneDetail* detail, float* whole = nullptr) const {
    begin(state, detail);
    const KeyRange range = key_range(block_, place_, first_, first_ + lanes_);
    for (std::int64_t key = range.begin; key < range.end; key += kTile) {
      const std::int64_t keys = std::min(kTile, range.end - key);
      score(state, key, keys);
      if (detail != nullptr) {
        std::copy(state.scores, state.scores + keys * kLanes, detail->scores);
      }
      if (whole != nullptr) {
        std::copy(state.scores, state.scores + keys * kLanes, whole + (key - range.begin) * kLanes);
      }
      weigh(state, keys);
      if (detail != nullptr) {
        gather(state, *detail, key, keys);
      }
      if (rows_.context != nullptr) {
        add_values(state, key, keys, key == range.begin);
      }
    }
    store(state, detail);
    if (whole != nullptr) {
      add_means(state, whole, range);
    }
  }

 private:
  MOG_IN_CLONES void begin(LaneState& state, LaneDetail* detail) const {
    const float* const from = static_cast<const float*>(block_.query) +
                              (place_.first_query + first_) * block_.query_stride +
                              place_.head * block_.width;
    for (std::int64_t d = 0; d < block_.width; ++d) {
      for (std::int64_t lane = 0; lane < kLanes; ++lane) {
        const std::int64_t row = std::min(lane, lanes_ - 1);  // lanes without a query repeat the last
        state.query[d * kLanes + lane] = from[row * block_.query_stride + d] * block_.scale;
      }
    }
    std::fill(state.greatest, state.greatest + kLanes, kNoScore);
    std::fill(state.sum, state.sum + kLanes, 0.0F);
    std::fill(state.weighted, state.weighted + kLanes, 0.0F);
    std::fill(state.context, state.context + columns_ * kLanes, 0.0F);
    if (detail != nullptr) {
      for (std::size_t lane = 0; lane < detail->rows.size(); ++lane) {
        detail->rows[lane].first = kNoScore;
        detail->rows[lane].top.clear();
        detail->distances[lane].clear();
      }
    }
  }

  MOG_IN_CLONES void score(LaneState& state, std::int64_t key, std::int64_t keys) const {
    multiply<false>({head_.keys.data() + key * columns_, columns_, 1, state.query, kLanes}, keys,
                    block_.width, {state.scores, kLanes});
    if (block_.bias != nullptr) {
      const float* const bias =
          block_.bias + place_.head * block_.bias_head_stride + first_ * block_.bias_row_stride + key;
      for (std::int64_t lane = 0; lane < lanes_; ++lane) {
        for (std::int64_t k = 0; k < keys; ++k) {
          state.scores[k * kLanes + lane] += bias[lane * block_.bias_row_stride + k];
        }
      }
    }
    if (block_.cap > 0.0F) {
      for (std::int64_t i = 0; i < keys * kLanes; ++i) {
        state.scores[i] = finish_score(block_, state.scores[i], 0.0F);
      }
    }
    if (block_.causal != 0 || block_.window >= 0 || block_.hidden != nullptr) {
      hide(state, key, keys);
    }
  }

  MOG_IN_CLONES void hide(LaneState& state, std::int64_t key, std::int64_t keys) const {
    for (std::int64_t k = 0; k < keys; ++k) {
      for (std::int64_t lane = 0; lane < kLanes; ++lane) {
        if (!is_shown(block_, place_, first_ + lane, key + k)) {
          state.scores[k * kLanes + lane] = kNoScore;
        }
      }
    }
  }

  // Scores become exp(score - greatest), sums grow by them.
  MOG_IN_CLONES static void weigh(LaneState& state, std::int64_t keys) {
    float greatest[kLanes];
    float base[kLanes];
    std::copy(state.greatest, state.greatest + kLanes, greatest);
    for (std::int64_t k = 0; k < keys; ++k) {
      MOG_KEEP_LOOP for (std::int64_t lane = 0; lane < kLanes; ++lane) {
        const float score = state.scores[k * kLanes + lane];
        greatest[lane] = score > greatest[lane] ? score : greatest[lane];
      }
    }
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      base[lane] = greatest[lane] == kNoScore ? 0.0F : greatest[lane];  // -inf - -inf is no number
      const float fall = std::max(state.greatest[lane] - base[lane], -88.0F);
      const float factor = exponential(fall);
      state.factor[lane] = factor;
      state.weighted[lane] = factor * (state.weighted[lane] + state.sum[lane] * fall);
      state.sum[lane] *= factor;
      state.greatest[lane] = greatest[lane];
    }
    float sum[kLanes] = {};
    float weighted[kLanes] = {};
    for (std::int64_t k = 0; k < keys; ++k) {
      float* const scores = state.scores + k * kLanes;
      MOG_KEEP_LOOP for (std::int64_t lane = 0; lane < kLanes; ++lane) {
        const float fall = scores[lane] - base[lane];
        const float weight = exponential(fall);
        const float bounded = fall < -88.0F ? -88.0F : fall;
        sum[lane] += weight;
        weighted[lane] += weight * bounded;
        scores[lane] = weight;
      }
    }
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      state.sum[lane] += sum[lane];
      state.weighted[lane] += weighted[lane];
    }
  }

  // Most tiles of a long row lie in one range of distances, and have none of its greatest weights: of them
  // the sum and the greatest score are enough, which all lanes find together.
  MOG_IN_CLONES void gather(const LaneState& state, LaneDetail& detail, std::int64_t key,
                            std::int64_t keys) const {
    if (key == 0 && rows_.first != nullptr) {
      for (std::int64_t lane = 0; lane < lanes_; ++lane) {
        detail.rows[static_cast<std::size_t>(lane)].first = detail.scores[lane];
      }
    }
    if (rows_.top == 0 && rows_.bins == 0) {
      return;
    }
    float sums[kLanes] = {};
    float greatest[kLanes];
    std::fill(greatest, greatest + kLanes, kNoScore);
    for (std::int64_t k = 0; k < keys; ++k) {
      MOG_KEEP_LOOP for (std::int64_t lane = 0; lane < kLanes; ++lane) {
        const float score = detail.scores[k * kLanes + lane];
        sums[lane] += state.scores[k * kLanes + lane];
        greatest[lane] = score > greatest[lane] ? score : greatest[lane];
      }
    }
    for (std::int64_t lane = 0; lane < lanes_; ++lane) {
      const auto at = static_cast<std::size_t>(lane);
      if (rows_.bins > 0) {
        detail.distances[at].shrink(state.factor[lane], rows_.bins);
        add_distances(state, detail.distances[at], lane, key, keys, sums[lane]);
      }
      TopScores& top = detail.rows[at].top;
      for (std::int64_t k = 0; greatest[lane] > top.scores[kMostTop - 1] && k < keys && rows_.top > 0; ++k) {
        top.add(detail.scores[k * kLanes + lane], static_cast<std::int32_t>(key + k));
      }
    }
  }

  // sum: of the lane's weights of these keys.
  MOG_IN_CLONES void add_distances(const LaneState& state, DistanceSums& distances, std::int64_t lane,
                                   std::int64_t key, std::int64_t keys, float sum) const {
    const std::int64_t query = first_ + lane;
    const std::int64_t last = key + keys - 1;
    const auto bin_of = [&](std::int64_t other) {
      return distance_bin(query < other ? other - query : query - other, rows_.bins);
    };
    if ((query < key || query > last) && bin_of(key) == bin_of(last)) {
      distances.bins[bin_of(key)] += sum;
      return;
    }
    for (std::int64_t k = 0; k < keys; ++k) {
      distances.bins[bin_of(key + k)] += state.scores[k * kLanes + lane];
    }
  }

  MOG_IN_CLONES void add_values(LaneState& state, std::int64_t key, std::int64_t keys,
                                bool first_tile) const {
    if (!first_tile) {
      for (std::int64_t lane = 0; lane < kLanes; ++lane) {
        for (std::int64_t d = 0; d < columns_; ++d) {
          state.context[lane * columns_ + d] *= state.factor[lane];
        }
      }
    }
    for (std::int64_t d = 0; d < columns_; d += kLanes) {
      multiply<true>({state.scores, 1, kLanes, head_.values.data() + key * columns_ + d, columns_}, kLanes,
                     keys, {state.context + d, columns_});
    }
  }

  MOG_IN_CLONES void store(const LaneState& state, const LaneDetail* detail) const {
    for (std::int64_t lane = 0; lane < lanes_; ++lane) {
      const RowSum sum{state.greatest[lane], state.sum[lane], state.weighted[lane]};
      const std::int64_t query = first_ + lane;
      const std::int64_t row = packed_row(block_, place_, query);
      store_statistics(rows_, row, sum);
      if (detail != nullptr) {
        const auto at = static_cast<std::size_t>(lane);
        store_detail(rows_, row, sum, detail->rows[at], detail->distances[at]);
      }
      if (rows_.context != nullptr) {
        float* const to = static_cast<float*>(rows_.context) +
                          ((place_.first_query + query) * block_.heads + place_.head) * block_.width;
        const float inverse = sum.inverse();
        for (std::int64_t d = 0; d < block_.width; ++d) {
          to[d] = state.context[lane * columns_ + d] * inverse;
        }
      }
    }
  }

  // scores: of the keys of the range, [key, lane]; weights then. The first head finds what was there before.
  MOG_IN_CLONES void add_means(const LaneState& state, float* scores, const KeyRange& range) const {
    float* const means = rows_.means + place_.area + first_ * place_.keys;
    if (place_.head == 0) {
      std::fill(means, means + lanes_ * place_.keys, 0.0F);
    }
    float base[kLanes];
    float share[kLanes];
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      base[lane] = state.greatest[lane] == kNoScore ? 0.0F : state.greatest[lane];
      const RowSum sum{state.greatest[lane], state.sum[lane], state.weighted[lane]};
      share[lane] = sum.inverse() / static_cast<float>(block_.heads);
    }
    for (std::int64_t key = range.begin; key < range.end; key += kTile) {
      const std::int64_t keys = std::min(kTile, range.end - key);
      float* const tile = scores + (key - range.begin) * kLanes;
      for (std::int64_t k = 0; k < keys; ++k) {
        MOG_KEEP_LOOP for (std::int64_t lane = 0; lane < kLanes; ++lane) {
          tile[k * kLanes + lane] = exponential(tile[k * kLanes + lane] - base[lane]) * share[lane];
        }
      }
      for (std::int64_t lane = 0; lane < lanes_; ++lane) {
        float* const row = means + lane * place_.keys + key;
        for (std::int64_t k = 0; k < keys; ++k) {
          row[k] += tile[k * kLanes + lane];
        }
      }
    }
  }

  const AttentionBlock& block_;
  const AttentionRows& rows_;
  const AttentionPlace& place_;
  const PackedHead& head_;
  std::int64_t first_;
  std::int64_t lanes_;
  std::int64_t columns_;
};

// Columns beyond the width are 0.
MOG_IN_CLONES void pack(const float* from, std::int64_t stride, std::int64_t keys, std::int64_t width,
                        std::int64_t columns, std::vector<float>& to) {
  to.resize(static_cast<std::size_t>(keys * columns));
  for (std::int64_t key = 0; key < keys; ++key) {
    float* const row = to.data() + key * columns;
    std::copy(from + key * stride, from + key * stride + width, row);
    std::fill(row + width, row + columns, 0.0F);
  }
}

MOG_IN_CLONES void pack_head(const AttentionBlock& block, const AttentionPlace& place, PackedHead& head) {
  const std::int64_t column = place.head * block.key_heads / block.heads * block.width;
  const std::int64_t columns = columns_of(block);
  pack(static_cast<const float*>(block.key) + place.first_key * block.key_stride + column, block.key_stride,
       place.keys, block.width, columns, head.keys);
  if (block.value != nullptr) {
    pack(static_cast<const float*>(block.value) + place.first_key * block.value_stride + column,
         block.value_stride, place.keys, block.width, columns, head.values);
  }
}

MOG_VECTOR_CLONES void attend_head(const AttentionBlock& block, const AttentionRows& rows,
                                   const AttentionPlace& place, LaneState& state, PackedHead& packed,
                                   LaneDetail* detail) {
  pack_head(block, place, packed);
  for (std::int64_t first = 0; first < place.queries; first += kLanes) {
    LanePass(block, rows, place, packed, first).run(state, detail);
  }
}

// Queries of one sentence from `first` on, in all heads. packed: [key head].
MOG_VECTOR_CLONES void attend_queries(const AttentionBlock& block, const AttentionRows& rows,
                                      std::int64_t sentence, std::int64_t first,
                                      const std::vector<PackedHead>& packed, LaneState& state,
                                      LaneDetail* detail, float* whole) {
  for (std::int64_t head = 0; head < block.heads; ++head) {
    const AttentionPlace place = place_of(block, sentence, head);
    const PackedHead& keys = packed[static_cast<std::size_t>(head * block.key_heads / block.heads)];
    const std::int64_t last = std::min(first + kMeanQueries, place.queries);
    for (std::int64_t query = first; query < last; query += kLanes) {
      LanePass(block, rows, place, keys, query).run(state, detail, whole);
    }
  }
}

// Heads add to the same rows of the mean, so that one thread takes all heads of a block of queries, and finds
// the keys of all heads packed.
void attend_with_means(const AttentionBlock& block, const AttentionRows& rows, std::int64_t sentence,
                       const ShareOut& share_out) {
  std::vector<PackedHead> packed(static_cast<std::size_t>(block.key_heads));
  share_out(block.key_heads, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t head = begin; head < end; ++head) {
      pack_head(block, place_of(block, sentence, head * (block.heads / block.key_heads)),
                packed[static_cast<std::size_t>(head)]);
    }
  });
  const AttentionPlace place = place_of(block, sentence, 0);
  share_out((place.queries + kMeanQueries - 1) / kMeanQueries, 1, [&](std::int64_t begin, std::int64_t end) {
    LaneState state;
    LaneDetail detail;
    std::vector<float> whole(static_cast<std::size_t>(place.keys * kLanes));
    for (std::int64_t part = begin; part < end; ++part) {
      attend_queries(block, rows, sentence, part * kMeanQueries, packed, state,
                     wants_detail(rows) ? &detail : nullptr, whole.data());
    }
  });
}

class CpuAttentionKernels final : public AttentionKernels {
 public:
  void attend(const AttentionBlock& block, const AttentionRows& rows) const override {
    attend_on_processor(block, rows,
                        [](std::int64_t count, std::int64_t /*least*/, const auto& work) { work(0, count); });
  }
  std::int64_t most_width(AttentionNumbers numbers, bool /*detail*/) const override {
    return numbers == AttentionNumbers::float32 ? kMostHostWidth : 0;
  }
  bool give_means() const override { return true; }
};

}  // namespace

void check_attention(const AttentionKernels& kernels, const AttentionBlock& block,
                     const AttentionRows& rows) {
  const std::int64_t most = kernels.most_width(block.numbers, rows.top > 0 || rows.bins > 0);
  if (block.width < 1 || block.width > most || block.key_heads < 1 || block.heads % block.key_heads != 0) {
    throw UsageError(concat("attention by rows: ", block.heads, " heads of width ", block.width, " over ",
                            block.key_heads, " of keys; a head may have 1 to ", most,
                            " columns of these numbers, and a key head as many query heads as every other"));
  }
  if (wants_maps(rows) && (!kernels.give_maps() || rows.top > 0 || rows.bins > 0)) {
    throw UsageError(
        "attention by rows: these kernels write no maps, or not beside greatest weights and distances");
  }
  if (rows.means != nullptr && !kernels.give_means()) {
    throw UsageError("attention by rows: these kernels write no mean over heads");
  }
  if (rows.top < 0 || rows.top > kMostTop || rows.bins < 0 || rows.bins > kMostBins) {
    throw UsageError(concat("attention by rows: the ", rows.top, " greatest weights and ", rows.bins,
                            " distances; at most ", kMostTop, " and ", kMostBins));
  }
}

void attend_head_by_head(const AttentionKernels& kernels, const AttentionBlock& block, float* room,
                         const std::function<void()>& add) {
  const std::int64_t bytes = block.numbers == AttentionNumbers::bfloat16 ? 2 : 4;
  const auto from = [&](const void* values, std::int64_t head) {
    return static_cast<const void*>(static_cast<const char*>(values) + head * block.width * bytes);
  };
  for (std::int64_t head = 0; head < block.heads; ++head) {
    AttentionBlock one = block;
    one.query = from(block.query, head);
    one.key = from(block.key, head * block.key_heads / block.heads);
    one.value = nullptr;
    one.value_stride = 0;
    one.bias = block.bias == nullptr ? nullptr : block.bias + head * block.bias_head_stride;
    one.heads = one.key_heads = 1;
    AttentionRows rows;
    rows.maps32 = room;
    kernels.attend(one, rows);
    add();
  }
}

void attend_on_processor(const AttentionBlock& block, const AttentionRows& rows, const ShareOut& share_out) {
  check_attention(cpu_attention_kernels(), block, rows);
  if (rows.means != nullptr) {
    for (std::int64_t sentence = 0; sentence < block.sentences; ++sentence) {
      attend_with_means(block, rows, sentence, share_out);
    }
    return;
  }
  constexpr std::int64_t kHeadsAtOnce = 4;  // heads of one long sentence are shared out, too
  share_out(block.sentences * block.heads, kHeadsAtOnce, [&](std::int64_t begin, std::int64_t end) {
    LaneState state;
    PackedHead packed;
    LaneDetail detail;
    for (std::int64_t at = begin; at < end; ++at) {
      attend_head(block, rows, place_of(block, at / block.heads, at % block.heads), state, packed,
                  wants_detail(rows) ? &detail : nullptr);
    }
  });
}

const AttentionKernels& cpu_attention_kernels() {
  static const CpuAttentionKernels kernels;
  return kernels;
}

bool cpu_attends_fast() {
#ifdef MOG_HAS_VECTOR_CLONES
  static const bool fast = __builtin_cpu_supports("avx512f") != 0;
  return fast;
#else
  return false;
#endif
}

}  // namespace mog::engine
