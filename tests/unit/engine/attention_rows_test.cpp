// The twins of attention by rows: lanes of the host, the threads of one CUDA kernel one after another, and
// the lanes of a warp of the other, or of the four warps of a team, in turn.
#include <gtest/gtest.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "io/recording/errors.h"
#include "io/recording/host_tensor.h"
#include "model/engine/cuda/attention_kernels.h"
#include "model/engine/cuda/attention_rows.h"
#include "model/engine/cuda/attention_team.h"
#include "model/engine/cuda/attention_tensor.h"
#include "tests/unit/engine/attention_row_checks.h"

namespace mog::test {
namespace {

class HostMemory final : public DeviceMemory {
 public:
  const void* put(const void* values, std::size_t bytes) override {
    void* const to = room(bytes);
    std::memcpy(to, values, bytes);
    return to;
  }
  void* room(std::size_t bytes) override { return rooms_.emplace_back(bytes).data(); }
  void get(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }

 private:
  std::vector<std::vector<std::byte>> rooms_;
};

std::unique_ptr<DeviceMemory> host_memory() {
  return std::make_unique<HostMemory>();
}

// What a block of threads of attention_kernel.cu does between two barriers, thread by thread.
template <int kWidth, bool kDetail>
void run_thread_block(const engine::AttentionBlock& block, const engine::AttentionRows& rows,
                      const engine::AttentionPlace& place, std::int64_t first, int threads) {
  const std::int64_t last = std::min<std::int64_t>(first + threads, place.queries);
  std::vector<engine::AttentionRow<kWidth, kDetail>> own;
  std::vector<engine::DistanceSums> distances(static_cast<std::size_t>(last - first));
  for (std::int64_t query = first; query < last; ++query) {
    own.emplace_back(block, place, query);
    distances[own.size() - 1].clear();
  }
  const auto tile = std::make_unique<engine::AttentionTile<kWidth>>();
  const engine::KeyRange range = engine::key_range(block, place, first, last);
  for (std::int64_t begin = range.begin; begin < range.end; begin += engine::kTileKeys) {
    const std::int64_t end = std::min<std::int64_t>(begin + engine::kTileKeys, range.end);
    for (int thread = 0; thread < threads; ++thread) {
      tile->load(block, place, begin, end, thread, threads);
    }
    for (std::size_t i = 0; i < own.size(); ++i) {
      own[i].add(block, rows, place, *tile, begin, end, distances[i]);
    }
  }
  for (std::size_t i = 0; i < own.size(); ++i) {
    own[i].store(block, rows, place, distances[i]);
  }
}

template <int kWidth>
void run_threads(const engine::AttentionBlock& block, const engine::AttentionRows& rows, int threads) {
  for (std::int64_t at = 0; at < block.sentences * block.heads; ++at) {
    const engine::AttentionPlace place = engine::place_of(block, at / block.heads, at % block.heads);
    for (std::int64_t first = 0; first < place.queries; first += threads) {
      if (engine::wants_detail(rows)) {
        run_thread_block<kWidth, true>(block, rows, place, first, threads);
      } else {
        run_thread_block<kWidth, false>(block, rows, place, first, threads);
      }
    }
  }
}

// The lanes of warps, each a context of its own that runs until it has to wait for the others. What a warp's
// do together is defined as the instructions are (PTX, mma.m16n8k16 and m16n8k8).
class HostLanes {
 public:
  static constexpr int kWarp = 32;

  // As engine::AttentionWarp needs its warp.
  struct Warp {
    HostLanes& lanes;
    int own;  // of all

    int lane() const { return own % kWarp; }
    void multiply_bfloat16(engine::TensorSums& sums, const std::uint32_t (&left)[4],
                           const std::uint32_t (&right)[2]) const {
      lanes.multiply(own, sums, left, right, /*per_word=*/2);
    }
    void multiply_tf32(engine::TensorSums& sums, const std::uint32_t (&left)[4],
                       const std::uint32_t (&right)[2]) const {
      lanes.multiply(own, sums, left, right, /*per_word=*/1);
    }
    float of_other(float value, int mask) const {
      return lanes.exchange(own, value)[static_cast<std::size_t>(lane() ^ mask)];
    }
    bool any(bool value) const {
      const std::array<float, kWarp> all = lanes.exchange(own, value ? 1.0F : 0.0F);
      return std::any_of(all.begin(), all.end(), [](float one) { return one != 0.0F; });
    }
    float power_of_two(float x) const { return std::exp2(x); }
    std::uint16_t rounded_float16(float value) const { return to_float16(value).bits; }
  };
  // As engine::AttentionTeam needs its team. A copy is there as early or as late as it may be: at once, or
  // when it is waited for.
  struct Team {
    using Warp = HostLanes::Warp;
    HostLanes& lanes;
    int own;
    bool early;

    int thread() const { return own; }
    Warp warp() const { return {lanes, own}; }
    void barrier() const { lanes.barrier(own); }
    void copy_chunk(unsigned char* to, const char* from, bool real) const {
      lanes.copies_[static_cast<std::size_t>(own)].push_back({to, real ? from : nullptr});
      if (early) {
        wait();
      }
    }
    void wait() const { lanes.finish_copies(own); }
  };

  // work(lanes, lane) for every lane of `warps`.
  template <class Work>
  static void run(int warps, const Work& work) {
    HostLanes lanes(warps);
    lanes.work_ = [&](int lane) { work(lanes, lane); };
    for (int lane = 0; lane < lanes.count_; ++lane) {
      lanes.make(lane);
    }
    // The lanes of a warp do the same, so that each waits at the same place when its turn is over.
    while (lanes.finished_ < lanes.count_) {
      for (int lane = 0; lane < lanes.count_; ++lane) {
        if (!lanes.done_[static_cast<std::size_t>(lane)]) {
          swapcontext(&lanes.outside_, &lanes.contexts_[static_cast<std::size_t>(lane)]);
        }
      }
    }
  }

 private:
  static constexpr std::size_t kStack = std::size_t{1} << 17U;
  static constexpr std::size_t kChunk = 16;  // bytes

  struct Copy {
    unsigned char* to;
    const char* from;  // nullptr: zeros
  };

  explicit HostLanes(int warps)
      : count_(warps * kWarp),
        contexts_(static_cast<std::size_t>(count_)),
        stacks_(contexts_.size()),
        done_(contexts_.size(), false),
        values_(contexts_.size()),
        left_(contexts_.size()),
        right_(contexts_.size()),
        copies_(contexts_.size()) {}

  static void enter(unsigned low, unsigned high, int lane) {
    auto* const lanes = reinterpret_cast<HostLanes*>(std::uintptr_t{low} | std::uintptr_t{high} << 32U);
    lanes->work_(lane);
    lanes->done_[static_cast<std::size_t>(lane)] = true;
    ++lanes->finished_;
  }
  void make(int lane) {
    const auto at = static_cast<std::size_t>(lane);
    getcontext(&contexts_[at]);
    stacks_[at].resize(kStack);
    contexts_[at].uc_stack.ss_sp = stacks_[at].data();
    contexts_[at].uc_stack.ss_size = kStack;
    contexts_[at].uc_link = &outside_;
    const auto address = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&contexts_[at], reinterpret_cast<void (*)()>(&HostLanes::enter), 3,
                static_cast<unsigned>(address & 0xFFFFFFFFU), static_cast<unsigned>(address >> 32U), lane);
  }
  // Until all of its warp have come as far.
  void wait(int lane) { swapcontext(&contexts_[static_cast<std::size_t>(lane)], &outside_); }
  // Until all of all warps have: lanes arrive in rising order, the last one of a warp last.
  void barrier(int lane) {
    const int before = passed_;
    if (++arrived_ == count_) {
      arrived_ = 0;
      ++passed_;
    }
    do {
      wait(lane);
    } while (passed_ == before);
  }
  void finish_copies(int lane) {
    for (const Copy& copy : copies_[static_cast<std::size_t>(lane)]) {
      if (copy.from == nullptr) {
        std::memset(copy.to, 0, kChunk);
      } else {
        std::memcpy(copy.to, copy.from, kChunk);
      }
    }
    copies_[static_cast<std::size_t>(lane)].clear();
  }

  static std::size_t first_of_warp(int lane) { return static_cast<std::size_t>(lane - lane % kWarp); }

  std::array<float, kWarp> exchange(int lane, float value) {
    values_[static_cast<std::size_t>(lane)] = value;
    wait(lane);
    std::array<float, kWarp> all{};
    std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(first_of_warp(lane)), kWarp, all.begin());
    wait(lane);
    return all;
  }

  // Number k of 16 (or 8) of row `row` of the left block, and of column `column` of the right one.
  static float number(std::uint32_t word, int half, int per_word) {
    return per_word == 1 ? engine::float_of(word & 0xFFFFE000U)  // the units read no more
                         : engine::from_bfloat16(static_cast<std::uint16_t>(half == 0 ? word : word >> 16U));
  }
  float left(std::size_t warp, int row, int k, int per_word) const {
    const int quarter = per_word == 1 ? k % 4 : k % 8 / 2;
    const int later = per_word == 1 ? k / 4 : k / 8;
    const std::size_t lane = warp + static_cast<std::size_t>(row % 8 * 4 + quarter);
    return number(left_[lane][static_cast<std::size_t>(row / 8 + 2 * later)], k % 2, per_word);
  }
  float right(std::size_t warp, int k, int column, int per_word) const {
    const int quarter = per_word == 1 ? k % 4 : k % 8 / 2;
    const int later = per_word == 1 ? k / 4 : k / 8;
    const std::size_t lane = warp + static_cast<std::size_t>(column * 4 + quarter);
    return number(right_[lane][static_cast<std::size_t>(later)], k % 2, per_word);
  }
  void multiply(int lane, engine::TensorSums& sums, const std::uint32_t (&left_words)[4],
                const std::uint32_t (&right_words)[2], int per_word) {
    const auto at = static_cast<std::size_t>(lane);
    const std::size_t warp = first_of_warp(lane);
    std::copy(std::begin(left_words), std::end(left_words), left_[at].begin());
    std::copy(std::begin(right_words), std::end(right_words), right_[at].begin());
    wait(lane);
    for (int i = 0; i < 4; ++i) {
      const int row = lane % kWarp / 4 + 8 * (i / 2);
      const int column = lane % 4 * 2 + i % 2;
      for (int k = 0; k < 8 * per_word; ++k) {
        sums[i] += left(warp, row, k, per_word) * right(warp, k, column, per_word);
      }
    }
    wait(lane);
  }

  int count_;
  std::function<void(int)> work_;
  ucontext_t outside_{};
  std::vector<ucontext_t> contexts_;
  std::vector<std::vector<char>> stacks_;
  std::vector<bool> done_;
  std::vector<float> values_;
  std::vector<std::array<std::uint32_t, 4>> left_;
  std::vector<std::array<std::uint32_t, 2>> right_;
  std::vector<std::vector<Copy>> copies_;
  int finished_ = 0;
  int arrived_ = 0;
  int passed_ = 0;
};

template <class Form, int kWidth, bool kPlain, bool kMaps>
void run_warps_as(const engine::AttentionBlock& block, const engine::AttentionRows& rows) {
  for (std::int64_t at = 0; at < block.sentences * block.heads; ++at) {
    const engine::AttentionPlace place = engine::place_of(block, at / block.heads, at % block.heads);
    for (int first = 0; first < place.queries; first += engine::kTensorQueries) {
      HostLanes::run(1, [&](HostLanes& lanes, int lane) {
        const HostLanes::Warp warp{lanes, lane};
        engine::AttentionWarp<Form, kWidth, kPlain, kMaps, HostLanes::Warp>(warp, block, rows, place, first)
            .run();
      });
    }
  }
}

template <class Form, int kWidth>
void run_warps(const engine::AttentionBlock& block, const engine::AttentionRows& rows) {
  const bool plain = engine::is_plain<kWidth>(block);
  const auto run =
      wants_maps(rows)
          ? (plain ? run_warps_as<Form, kWidth, true, true> : run_warps_as<Form, kWidth, false, true>)
          : (plain ? run_warps_as<Form, kWidth, true, false> : run_warps_as<Form, kWidth, false, false>);
  run(block, rows);
}

template <template <int> class Form>
void run_warps_of(const engine::AttentionBlock& block, const engine::AttentionRows& rows) {
  if (block.width <= 16) {
    run_warps<Form<16>, 16>(block, rows);
  } else if (block.width <= 32) {
    run_warps<Form<32>, 32>(block, rows);
  } else if (block.width <= 64) {
    run_warps<Form<64>, 64>(block, rows);
  } else {
    run_warps<Form<128>, 128>(block, rows);
  }
}

template <int kWidth, int kGroups, bool kMaps>
void run_teams_as(const engine::AttentionBlock& block, const engine::AttentionRows& rows) {
  for (std::int64_t at = 0; at < block.sentences * block.heads; ++at) {
    const engine::AttentionPlace place = engine::place_of(block, at / block.heads, at % block.heads);
    for (int first = 0; first < place.queries; first += engine::kTeamQueries<kGroups>) {
      const auto tiles = std::make_unique<std::array<engine::SharedTile<kWidth>, 2>>();
      std::memset(tiles->data(), 0xFF, sizeof(*tiles));  // no numbers
      HostLanes::run(engine::kTeamWarps, [&](HostLanes& lanes, int lane) {
        const HostLanes::Team team{lanes, lane, kGroups == 2};
        engine::AttentionTeam<kWidth, kGroups, kMaps, HostLanes::Team>(team, block, rows, place,
                                                                       tiles->data())
            .run(first);
      });
    }
  }
}

template <int kWidth, int kGroups>
void run_teams(const engine::AttentionBlock& block, const engine::AttentionRows& rows) {
  if (!engine::is_plain<kWidth>(block)) {
    run_warps<engine::BFloat16Form<kWidth>, kWidth>(block, rows);
  } else if (engine::wants_maps(rows)) {
    run_teams_as<kWidth, kGroups, true>(block, rows);
  } else {
    run_teams_as<kWidth, kGroups, false>(block, rows);
  }
}

template <int kGroups>
void run_teams_of(const engine::AttentionBlock& block, const engine::AttentionRows& rows) {
  if (block.width <= 32) {
    run_teams<32, kGroups>(block, rows);
  } else if (block.width <= 64) {
    run_teams<64, kGroups>(block, rows);
  } else {
    run_teams<128, 1>(block, rows);
  }
}

TEST(CpuAttentionKernels, GiveWhatMapsInDoubleGive) {
  check_attention_rows(
      [](const auto& block, const auto& rows) { engine::cpu_attention_kernels().attend(block, rows); },
      host_memory, {.most_width = engine::kMostHostWidth, .means = true});
}

// Blocks of queries from several threads, in any order.
TEST(CpuAttentionKernels, GiveItSharedOut) {
  const engine::ShareOut backwards = [](std::int64_t count, std::int64_t least, const auto& work) {
    std::vector<std::jthread> threads;
    for (std::int64_t end = count; end > 0; end -= std::min(least, end)) {
      threads.emplace_back([&work, end, least] { work(std::max<std::int64_t>(0, end - least), end); });
    }
  };
  check_attention_rows(
      [&](const auto& block, const auto& rows) { engine::attend_on_processor(block, rows, backwards); },
      host_memory, {.most_width = engine::kMostHostWidth, .means = true});
}

TEST(AttentionWarps, GiveWhatMapsInDoubleGive) {
  check_attention_rows(run_warps_of<engine::Float32Form>, host_memory,
                       {.most_width = engine::kMostWidth, .detail = false, .maps = true});
}

TEST(AttentionWarps, GiveItInBfloat16) {
  check_attention_rows(run_warps_of<engine::BFloat16Form>, host_memory,
                       {.numbers = engine::AttentionNumbers::bfloat16,
                        .most_width = engine::kMostWidth,
                        .detail = false,
                        .maps = true});
}

TEST(AttentionTeams, GiveWhatMapsInDoubleGive) {
  for (const AttendRows& attend : {AttendRows(run_teams_of<1>), AttendRows(run_teams_of<2>)}) {
    check_attention_rows(attend, host_memory,
                         {.numbers = engine::AttentionNumbers::bfloat16,
                          .most_width = engine::kMostWidth,
                          .detail = false,
                          .maps = true});
  }
}

// As on a card: kernels that write maps and no means.
class TwinOfACard final : public engine::AttentionKernels {
 public:
  void attend(const engine::AttentionBlock& block, const engine::AttentionRows& rows) const override {
    engine::check_attention(*this, block, rows);
    run_warps_of<engine::Float32Form>(block, rows);
  }
  std::int64_t most_width(engine::AttentionNumbers, bool) const override { return engine::kMostWidth; }
  bool give_maps() const override { return true; }
};

TEST(AttentionWarps, MeansComeHeadByHead) {
  check_attention_rows(
      [](const engine::AttentionBlock& block, engine::AttentionRows rows) {
        float* const means = rows.means;
        rows.means = nullptr;
        const TwinOfACard kernels;
        kernels.attend(block, rows);
        if (means == nullptr) {
          return;
        }
        const std::int64_t* const last = block.table + engine::kTableColumns * (block.sentences - 1);
        std::vector<float> room(static_cast<std::size_t>(last[0] * last[1] + last[2]));
        std::fill_n(means, room.size(), 0.0F);
        engine::attend_head_by_head(kernels, block, room.data(), [&] {
          for (std::size_t i = 0; i < room.size(); ++i) {
            means[i] += room[i] / static_cast<float>(block.heads);
          }
        });
      },
      host_memory, {.most_width = engine::kMostWidth, .detail = false, .means = true});
}

class AttentionThreads : public testing::TestWithParam<int> {};

TEST_P(AttentionThreads, GiveWhatMapsInDoubleGive) {
  check_attention_rows(
      [](const engine::AttentionBlock& block, const engine::AttentionRows& rows) {
        if (block.width <= 16) {
          run_threads<16>(block, rows, GetParam());
        } else if (block.width <= 32) {
          run_threads<32>(block, rows, GetParam());
        } else {
          run_threads<64>(block, rows, GetParam());
        }
      },
      host_memory);
}
INSTANTIATE_TEST_SUITE_P(Blocks, AttentionThreads, testing::Values(32, 64, 128));

TEST(AttentionRows, DistancesAreBinnedByPowersOfTwo) {
  std::vector<std::int32_t> bins;
  for (const std::int64_t distance : {0, 1, 2, 3, 4, 5, 8, 9, 16, 17, 1000000}) {
    bins.push_back(engine::distance_bin(distance, 7));
  }
  EXPECT_EQ(bins, (std::vector<std::int32_t>{0, 1, 2, 3, 3, 4, 4, 5, 5, 6, 6}));
  EXPECT_EQ(engine::distance_bin(5, 1), 0);
  EXPECT_EQ(engine::distance_bin(1, 2), 1);
}

TEST(AttentionRows, WhatNoKernelCanDoIsRefused) {
  engine::AttentionBlock block;
  block.heads = block.key_heads = 2;
  block.width = engine::kMostHostWidth + 1;
  EXPECT_THROW(engine::cpu_attention_kernels().attend(block, {}), UsageError);
  block.width = 8;
  block.numbers = engine::AttentionNumbers::bfloat16;
  EXPECT_THROW(engine::cpu_attention_kernels().attend(block, {}), UsageError);
  block.numbers = engine::AttentionNumbers::float32;
  block.heads = 3;
  EXPECT_THROW(engine::cpu_attention_kernels().attend(block, {}), UsageError);
  block.heads = 2;
  engine::AttentionRows rows;
  rows.top = engine::kMostTop + 1;
  EXPECT_THROW(engine::cpu_attention_kernels().attend(block, rows), UsageError);
}

}  // namespace
}  // namespace mog::test
