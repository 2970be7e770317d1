#include "tests/unit/engine/map_kernel_checks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace mog::test {
namespace {

// Sentences of these (queries, keys), padded to the greatest; padding holds NaN, which nobody may read.
class PaddedMaps {
 public:
  PaddedMaps(std::int64_t heads, const std::vector<std::pair<std::int64_t, std::int64_t>>& lengths)
      : heads_(heads), lengths_(lengths) {
    for (const auto& [queries, keys] : lengths) {
      queries_ = std::max(queries_, queries);
      keys_ = std::max(keys_, keys);
      table_.insert(table_.end(), {queries, keys, area_, rows_, 0});
      area_ += queries * keys;
      rows_ += queries;
    }
    maps_.assign(lengths.size() * static_cast<std::size_t>(heads * queries_ * keys_),
                 std::numeric_limits<float>::quiet_NaN());
    fill();
  }

  engine::MapBlock block(const float* maps, const std::int64_t* table) const {
    return {maps, table, static_cast<std::int64_t>(lengths_.size()), heads_, queries_, keys_};
  }
  const std::vector<float>& maps() const { return maps_; }
  const std::vector<std::int64_t>& table() const { return table_; }
  // Expected outputs.
  std::vector<float> packed;
  std::vector<double> entropy;
  std::vector<float> maximum;

 private:
  // Rows of every kind: peaked on one key, uniform, random; all with exact zeros.
  void fill() {
    std::mt19937 random(7);
    std::uniform_real_distribution<float> uniform(0.0F, 1.0F);
    for (std::size_t s = 0; s < lengths_.size(); ++s) {
      const auto [queries, keys] = lengths_[s];
      for (std::int64_t row = 0; row < heads_ * queries; ++row) {
        std::vector<float> values(static_cast<std::size_t>(keys), 0.0F);
        for (float& value : values) {
          value = row % 3 == 0 ? 0.0F : row % 3 == 1 ? 1.0F : uniform(random);
        }
        values[static_cast<std::size_t>(row % keys)] += row % 3 == 0 ? 1.0F : 0.0F;
        float total = 0.0F;
        for (const float value : values) {
          total += value;
        }
        add_row(s, row / queries, row % queries, values, total);
      }
    }
  }
  void add_row(std::size_t s, std::int64_t head, std::int64_t query, const std::vector<float>& values,
               float total) {
    const std::int64_t first = ((static_cast<std::int64_t>(s) * heads_ + head) * queries_ + query) * keys_;
    double sum = 0.0;
    float greatest = 0.0F;
    for (std::size_t key = 0; key < values.size(); ++key) {
      const float p = values[key] / total;
      maps_[static_cast<std::size_t>(first) + key] = p;
      packed.push_back(p);
      sum -= p > 0.0F ? static_cast<double>(p) * std::log(static_cast<double>(p)) : 0.0;
      greatest = std::max(greatest, p);
    }
    entropy.push_back(sum);
    maximum.push_back(greatest);
  }

  std::int64_t heads_;
  std::vector<std::pair<std::int64_t, std::int64_t>> lengths_;
  std::int64_t queries_ = 0;
  std::int64_t keys_ = 0;
  std::int64_t area_ = 0;
  std::int64_t rows_ = 0;
  std::vector<float> maps_;
  std::vector<std::int64_t> table_;
};

template <class T, class Operation>
std::vector<T> outputs(const PaddedMaps& maps, std::size_t count, const RunOnDevice& run,
                       const Operation& operation) {
  std::vector<T> output(count);
  run(maps.maps(), maps.table(), output.data(), count * sizeof(T),
      [&](const float* values, const std::int64_t* table, void* to) {
        operation(maps.block(values, table), static_cast<T*>(to));
      });
  return output;
}

void check(const PaddedMaps& maps, const engine::MapKernels& kernels, const RunOnDevice& run) {
  const auto wide =
      outputs<float>(maps, maps.packed.size(), run,
                     [&](const engine::MapBlock& block, float* to) { kernels.compact(block, to); });
  EXPECT_EQ(wide, maps.packed);
  const auto narrow =
      outputs<Float16>(maps, maps.packed.size(), run,
                       [&](const engine::MapBlock& block, Float16* to) { kernels.compact(block, to); });
  for (std::size_t i = 0; i < narrow.size(); ++i) {
    ASSERT_EQ(narrow[i], to_float16(maps.packed[i])) << "element " << i;
  }
  const auto entropy =
      outputs<float>(maps, maps.entropy.size(), run,
                     [&](const engine::MapBlock& block, float* to) { kernels.row_entropy(block, to); });
  for (std::size_t i = 0; i < entropy.size(); ++i) {
    ASSERT_NEAR(static_cast<double>(entropy[i]), maps.entropy[i], 1e-6 * std::max(1.0, maps.entropy[i]))
        << "row " << i;
  }
  const auto maximum =
      outputs<float>(maps, maps.maximum.size(), run,
                     [&](const engine::MapBlock& block, float* to) { kernels.row_max(block, to); });
  EXPECT_EQ(maximum, maps.maximum);
}

}  // namespace

void check_map_kernels(const engine::MapKernels& kernels, const RunOnDevice& run) {
  check(PaddedMaps(1, {{1, 1}}), kernels, run);
  check(PaddedMaps(4, {{5, 5}, {5, 5}}), kernels, run);
  check(PaddedMaps(3, {{1, 1}, {11, 11}, {32, 32}, {33, 33}, {7, 7}}), kernels, run);
  check(PaddedMaps(2, {{6, 40}, {9, 3}, {1, 129}}), kernels, run);
}

}  // namespace mog::test
