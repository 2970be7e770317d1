// The twins of attention by rows: lanes of the host, and the threads of the CUDA kernel one after another.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#include "io/recording/errors.h"
#include "model/engine/cuda/attention_kernels.h"
#include "model/engine/cuda/attention_rows.h"
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

TEST(CpuAttentionKernels, GiveWhatMapsInDoubleGive) {
  check_attention_rows(
      [](const auto& block, const auto& rows) { engine::cpu_attention_kernels().attend(block, rows); },
      host_memory);
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
  block.width = engine::kMostWidth + 1;
  EXPECT_THROW(engine::cpu_attention_kernels().attend(block, {}), UsageError);
  block.width = 8;
  block.heads = 3;
  EXPECT_THROW(engine::cpu_attention_kernels().attend(block, {}), UsageError);
  block.heads = 2;
  engine::AttentionRows rows;
  rows.top = engine::kMostTop + 1;
  EXPECT_THROW(engine::cpu_attention_kernels().attend(block, rows), UsageError);
}

}  // namespace
}  // namespace mog::test
