#include "tests/unit/engine/attention_row_checks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "io/recording/host_tensor.h"
#include "model/engine/cuda/attention_rows.h"

namespace mog::test {
namespace {

constexpr double kTolerance = 1e-5;
constexpr std::int32_t kTop = 5;
constexpr std::int32_t kBins = 6;
constexpr float kNever = -std::numeric_limits<float>::infinity();

enum class Bias { none, random, some_never, by_distance };

struct Shape {
  std::string name;
  std::vector<std::pair<std::int64_t, std::int64_t>> lengths;  // queries, keys
  std::int64_t heads = 2;
  std::int64_t key_heads = 2;
  std::int64_t width = 32;
  bool causal = false;
  std::int64_t window = -1;
  Bias bias = Bias::none;
  std::vector<std::int64_t> hidden = {};  // key rows
  float spread = 1.0F;                    // of the scores; 0: all equal
  float cap = 0.0F;
  std::int64_t broken = -1;  // a key row that is no number
};

std::vector<float> normal(std::size_t count, float spread, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> draw(0.0F, 1.0F);
  std::vector<float> values(count);
  std::generate(values.begin(), values.end(), [&] { return spread * draw(random); });
  return values;
}

// What bfloat16 makes of values.
std::vector<std::uint16_t> halved(const std::vector<float>& values) {
  std::vector<std::uint16_t> bits(values.size());
  std::transform(values.begin(), values.end(), bits.begin(), engine::rounded_bfloat16);
  return bits;
}

// Inputs on the host: queries, and keys and values as columns of one joined projection.
class Case {
 public:
  Case(Shape shape, engine::AttentionNumbers numbers) : shape_(std::move(shape)), numbers_(numbers) {
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    std::int64_t area = 0;
    for (const auto& [own_queries, own_keys] : shape_.lengths) {
      table_.insert(table_.end(), {own_queries, own_keys, area, queries, keys});
      queries += own_queries;
      keys += own_keys;
      area += own_queries * own_keys;
      longest_query_ = std::max(longest_query_, own_queries);
      longest_key_ = std::max(longest_key_, own_keys);
    }
    queries_ = queries;
    area_ = area;
    const auto joined = static_cast<std::size_t>(2 * shape_.key_heads * shape_.width);
    query_ = normal(static_cast<std::size_t>(queries * query_columns()), shape_.spread, 1);
    keys_values_ = normal(static_cast<std::size_t>(keys) * joined, 1.0F, 2);
    if (shape_.broken >= 0) {
      keys_values_[static_cast<std::size_t>(shape_.broken) * joined] =
          std::bit_cast<float>(0x7FFFFFFFU);  // as graphics cards compute it
    }
    if (numbers_ == engine::AttentionNumbers::bfloat16) {
      for (std::vector<float>* const values : {&query_, &keys_values_}) {
        const std::vector<std::uint16_t> bits = halved(*values);
        std::transform(bits.begin(), bits.end(), values->begin(), engine::from_bfloat16);
      }
    }
    hidden_.assign(static_cast<std::size_t>(keys), 0);
    for (const std::int64_t row : shape_.hidden) {
      hidden_[static_cast<std::size_t>(row)] = 1;
    }
    if (shape_.bias != Bias::none) {
      const bool vectors = shape_.bias == Bias::by_distance;
      bias_row_ = vectors ? -1 : longest_key_;
      bias_head_ = vectors ? longest_query_ + longest_key_ - 1 : longest_query_ * longest_key_;
      bias_first_ = vectors ? longest_query_ - 1 : 0;
      bias_ = normal(static_cast<std::size_t>(shape_.heads * bias_head_), 1.0F, 3);
      for (std::size_t i = 0; shape_.bias == Bias::some_never && i < bias_.size(); i += 3) {
        bias_[i] = kNever;
      }
    }
  }

  const Shape& shape() const { return shape_; }
  bool half() const { return numbers_ == engine::AttentionNumbers::bfloat16; }
  std::int64_t query_columns() const { return shape_.heads * shape_.width; }
  std::int64_t queries() const { return queries_; }
  std::int64_t area() const { return area_; }
  float scale() const { return 1.0F / std::sqrt(static_cast<float>(shape_.width)); }

  engine::AttentionBlock block(DeviceMemory& memory) const {
    const auto put = [&](const auto& values) {
      return memory.put(values.data(), values.size() * sizeof(values.front()));
    };
    engine::AttentionBlock block;
    block.numbers = numbers_;
    block.query = half() ? put(halved(query_)) : put(query_);
    block.key = half() ? put(halved(keys_values_)) : put(keys_values_);
    block.value = static_cast<const char*>(block.key) + shape_.key_heads * shape_.width * (half() ? 2 : 4);
    block.query_stride = query_columns();
    block.key_stride = block.value_stride = 2 * shape_.key_heads * shape_.width;
    if (!bias_.empty()) {
      block.bias = static_cast<const float*>(put(bias_)) + bias_first_;
      block.bias_head_stride = bias_head_;
      block.bias_row_stride = bias_row_;
    }
    block.hidden = shape_.hidden.empty() ? nullptr : static_cast<const std::uint8_t*>(put(hidden_));
    block.table = static_cast<const std::int64_t*>(put(table_));
    block.sentences = static_cast<std::int64_t>(shape_.lengths.size());
    block.heads = shape_.heads;
    block.key_heads = shape_.key_heads;
    block.width = shape_.width;
    block.queries = longest_query_;
    block.scale = scale();
    block.cap = shape_.cap;
    block.causal = shape_.causal ? 1 : 0;
    block.window = shape_.window;
    return block;
  }

  // Row `query` of the map of a sentence and head, and its context.
  struct Row {
    std::vector<double> weights;
    std::vector<double> context;
  };
  Row row(std::size_t sentence, std::int64_t head, std::int64_t query) const {
    const std::int64_t* const entry = table_.data() + 5 * sentence;
    const std::int64_t width = shape_.width;
    const std::int64_t key_head = head / (shape_.heads / shape_.key_heads);
    const std::int64_t columns = 2 * shape_.key_heads * width;
    std::vector<double> scores;
    for (std::int64_t key = 0; key < entry[1]; ++key) {
      double score = 0.0;
      for (std::int64_t d = 0; d < width; ++d) {
        score += static_cast<double>(at(query_, (entry[3] + query) * query_columns() + head * width + d)) *
                 static_cast<double>(at(keys_values_, (entry[4] + key) * columns + key_head * width + d));
      }
      score *= static_cast<double>(scale());
      if (!bias_.empty()) {
        score += static_cast<double>(at(bias_, bias_first_ + head * bias_head_ + query * bias_row_ + key));
      }
      if (shape_.cap > 0.0F) {
        score = static_cast<double>(shape_.cap) * std::tanh(score / static_cast<double>(shape_.cap));
      }
      const bool hidden = hidden_[static_cast<std::size_t>(entry[4] + key)] != 0 ||
                          (shape_.causal && key > query) ||
                          (shape_.window >= 0 && std::abs(query - key) > shape_.window);
      scores.push_back(hidden ? -std::numeric_limits<double>::infinity() : score);
    }
    Row row{softmax(scores), std::vector<double>(static_cast<std::size_t>(width), 0.0)};
    for (std::int64_t key = 0; key < entry[1]; ++key) {
      for (std::int64_t d = 0; d < width; ++d) {
        row.context[static_cast<std::size_t>(d)] +=
            row.weights[static_cast<std::size_t>(key)] *
            static_cast<double>(
                at(keys_values_, (entry[4] + key) * columns + (shape_.key_heads + key_head) * width + d));
      }
    }
    return row;
  }

 private:
  static float at(const std::vector<float>& values, std::int64_t place) {
    return values[static_cast<std::size_t>(place)];
  }
  // All 0 where every score is -inf.
  static std::vector<double> softmax(std::vector<double> scores) {
    const double greatest = *std::max_element(scores.begin(), scores.end());
    double sum = 0.0;
    for (double& score : scores) {
      score = std::isinf(score) ? 0.0 : std::exp(score - greatest);
      sum += score;
    }
    for (double& score : scores) {
      score = sum > 0.0 ? score / sum : 0.0;
    }
    return scores;
  }

  Shape shape_;
  engine::AttentionNumbers numbers_;
  std::vector<std::int64_t> table_;
  std::int64_t longest_query_ = 0;
  std::int64_t longest_key_ = 0;
  std::int64_t queries_ = 0;
  std::int64_t area_ = 0;
  std::int64_t bias_row_ = 0;    // from query to query
  std::int64_t bias_head_ = 0;   // from head to head
  std::int64_t bias_first_ = 0;  // of the first query and key
  std::vector<float> query_;
  std::vector<float> keys_values_;
  std::vector<float> bias_;
  std::vector<std::uint8_t> hidden_;
};

// What came back, on the host.
struct Results {
  explicit Results(const Case& input)
      : context(static_cast<std::size_t>(input.queries() * input.query_columns())),
        entropy(static_cast<std::size_t>(input.queries() * input.shape().heads)),
        greatest(entropy.size()),
        first(entropy.size()),
        top_weights(entropy.size() * kTop),
        top_keys(entropy.size() * kTop),
        distances(entropy.size() * kBins),
        maps16(static_cast<std::size_t>(input.area() * input.shape().heads)),
        maps32(maps16.size()),
        means(static_cast<std::size_t>(input.area()), std::numeric_limits<float>::quiet_NaN()) {}

  std::vector<float> context;
  std::vector<float> entropy;
  std::vector<float> greatest;
  std::vector<float> first;
  std::vector<float> top_weights;
  std::vector<std::int32_t> top_keys;
  std::vector<float> distances;
  std::vector<std::uint16_t> maps16;
  std::vector<float> maps32;
  std::vector<float> means;
};

enum class Want { statistics, detail, maps, means, means_and_detail };

bool gives_means(Want want) {
  return want == Want::means || want == Want::means_and_detail;
}

Results run(const Case& input, Want want, const AttendRows& attend, DeviceMemory& memory) {
  Results results(input);
  const engine::AttentionBlock block = input.block(memory);
  const auto room = [&](const auto& values) { return memory.room(values.size() * sizeof(values.front())); };
  engine::AttentionRows rows;
  std::vector<std::uint16_t> half(input.half() ? results.context.size() : 0);
  rows.context = input.half() ? room(half) : room(results.context);
  rows.entropy = static_cast<float*>(room(results.entropy));
  rows.greatest = static_cast<float*>(room(results.greatest));
  const bool detail = want == Want::detail || want == Want::means_and_detail;
  if (gives_means(want)) {
    rows.means = static_cast<float*>(room(results.means));
  }
  if (want == Want::maps) {
    rows.maps16 = static_cast<std::uint16_t*>(room(results.maps16));
    rows.maps32 = static_cast<float*>(room(results.maps32));
  }
  if (detail) {
    rows.first = static_cast<float*>(room(results.first));
    rows.top_weights = static_cast<float*>(room(results.top_weights));
    rows.top_keys = static_cast<std::int32_t*>(room(results.top_keys));
    rows.top = kTop;
    rows.distances = static_cast<float*>(room(results.distances));
    rows.bins = kBins;
  }
  attend(block, rows);
  const auto get = [&](auto& values, const void* from) {
    memory.get(values.data(), from, values.size() * sizeof(values.front()));
  };
  if (input.half()) {
    get(half, rows.context);
    std::transform(half.begin(), half.end(), results.context.begin(), engine::from_bfloat16);
  } else {
    get(results.context, rows.context);
  }
  get(results.entropy, rows.entropy);
  get(results.greatest, rows.greatest);
  if (want == Want::maps) {
    get(results.maps16, rows.maps16);
    get(results.maps32, rows.maps32);
  }
  if (gives_means(want)) {
    get(results.means, rows.means);
  }
  if (detail) {
    get(results.first, rows.first);
    get(results.top_weights, rows.top_weights);
    get(results.top_keys, rows.top_keys);
    get(results.distances, rows.distances);
  }
  return results;
}

void expect_near(float found, double expected, const std::string& what, double tolerance = kTolerance) {
  EXPECT_NEAR(static_cast<double>(found), expected, tolerance * std::max(1.0, std::abs(expected))) << what;
}

void expect_top(const Results& results, std::size_t row, const std::vector<double>& weights,
                const std::string& what) {
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
  for (std::size_t i = 0; i < kTop; ++i) {
    const std::int32_t key = results.top_keys[row * kTop + i];
    const float weight = results.top_weights[row * kTop + i];
    if (i >= order.size() || weights[order[i]] == 0.0) {
      EXPECT_EQ(key, -1) << what;
      EXPECT_EQ(weight, 0.0F) << what;
      continue;
    }
    expect_near(weight, weights[order[i]], what);
    ASSERT_GE(key, 0) << what;
    // Of weights that float32 cannot tell apart either may come first; of equal ones the earlier key.
    const double own = weights[static_cast<std::size_t>(key)];
    if (own == weights[order[i]]) {
      EXPECT_EQ(static_cast<std::size_t>(key), order[i]) << what;
    } else {
      EXPECT_NEAR(own, weights[order[i]], kTolerance) << what;
    }
  }
}

// Bins 0, 1, 2, 3 to 4, 5 to 8 and the rest.
void expect_distances(const Results& results, std::size_t row, std::int64_t query,
                      const std::vector<double>& weights, const std::string& what) {
  std::vector<double> bins(kBins, 0.0);
  for (std::size_t key = 0; key < weights.size(); ++key) {
    const std::int64_t distance = std::abs(query - static_cast<std::int64_t>(key));
    const std::size_t bin =
        distance <= 2 ? static_cast<std::size_t>(distance) : (distance <= 4 ? 3U : (distance <= 8 ? 4U : 5U));
    bins[bin] += weights[key];
  }
  for (std::size_t bin = 0; bin < bins.size(); ++bin) {
    expect_near(results.distances[row * kBins + bin], bins[bin], what);
  }
}

// Row by row of a sentence and head, from `at` on.
void expect_map(const Results& results, std::size_t at, const std::vector<double>& weights,
                const std::string& what) {
  for (std::size_t key = 0; key < weights.size(); ++key) {
    expect_near(results.maps32[at + key], weights[key], what);
    EXPECT_EQ(results.maps16[at + key], to_float16(results.maps32[at + key]).bits) << what;
  }
}

void expect_means(const Results& results, const Case& input) {
  const Shape& shape = input.shape();
  std::size_t at = 0;
  for (std::size_t s = 0; s < shape.lengths.size(); ++s) {
    for (std::int64_t query = 0; query < shape.lengths[s].first; ++query) {
      std::vector<double> mean(static_cast<std::size_t>(shape.lengths[s].second), 0.0);
      for (std::int64_t head = 0; head < shape.heads; ++head) {
        const Case::Row row = input.row(s, head, query);
        for (std::size_t key = 0; key < mean.size(); ++key) {
          mean[key] += row.weights[key] / static_cast<double>(shape.heads);
        }
      }
      for (const double value : mean) {
        expect_near(results.means[at++], value, shape.name + ", mean, query " + std::to_string(query));
      }
      if (testing::Test::HasFailure()) {
        return;
      }
    }
  }
  EXPECT_EQ(at, results.means.size());
}

void check(const Shape& shape, engine::AttentionNumbers numbers, Want want, const AttendRows& attend,
           const MakeMemory& make_memory) {
  const Case input(shape, numbers);
  // Weights and the sums of values are rounded to eight bits.
  const double context_tolerance = input.half() ? 1e-2 : kTolerance;
  const std::unique_ptr<DeviceMemory> memory = make_memory();
  const Results results = run(input, want, attend, *memory);
  if (gives_means(want)) {
    expect_means(results, input);
  }
  std::int64_t first_query = 0;
  std::size_t at = 0;  // in the maps
  for (std::size_t s = 0; s < shape.lengths.size(); ++s) {
    const std::int64_t queries = shape.lengths[s].first;
    for (std::int64_t head = 0; head < shape.heads; ++head) {
      for (std::int64_t query = 0; query < queries; ++query) {
        const std::string what = shape.name + ", sentence " + std::to_string(s) + ", head " +
                                 std::to_string(head) + ", query " + std::to_string(query);
        const Case::Row expected = input.row(s, head, query);
        double entropy = 0.0;
        for (const double p : expected.weights) {
          entropy -= p > 0.0 ? p * std::log(p) : 0.0;
        }
        const auto row = static_cast<std::size_t>(shape.heads * first_query + head * queries + query);
        expect_near(results.entropy[row], entropy, what);
        expect_near(results.greatest[row],
                    *std::max_element(expected.weights.begin(), expected.weights.end()), what);
        for (std::size_t d = 0; d < expected.context.size(); ++d) {
          const auto column =
              static_cast<std::size_t>((first_query + query) * input.query_columns() + head * shape.width);
          expect_near(results.context[column + d], expected.context[d], what, context_tolerance);
        }
        if (want == Want::maps) {
          expect_map(results, at, expected.weights, what);
          at += expected.weights.size();
        }
        if (want == Want::detail || want == Want::means_and_detail) {
          expect_near(results.first[row], expected.weights.front(), what);
          expect_top(results, row, expected.weights, what);
          expect_distances(results, row, query, expected.weights, what);
        }
        if (testing::Test::HasFailure()) {
          return;  // one row tells enough
        }
      }
    }
    first_query += queries;
  }
}

// What a broken model computes is seen, by whoever sees the key: in a causal row, from its place on.
void check_no_numbers(engine::AttentionNumbers numbers, const AttendRows& attend,
                      const MakeMemory& make_memory) {
  const Case input(
      {.name = "no number", .lengths = {{20, 20}}, .heads = 1, .key_heads = 1, .causal = true, .broken = 5},
      numbers);
  const std::unique_ptr<DeviceMemory> memory = make_memory();
  const Results results = run(input, Want::statistics, attend, *memory);
  for (std::size_t row = 0; row < results.entropy.size(); ++row) {
    const bool seen = row >= 5;
    EXPECT_EQ(std::isnan(results.entropy[row]), seen) << row;
    EXPECT_EQ(std::isnan(results.greatest[row]), seen) << row;
  }
  EXPECT_TRUE(std::isnan(results.context.back()));
}

}  // namespace

void check_attention_rows(const AttendRows& attend, const MakeMemory& memory, const AttentionChecks& checks) {
  const std::vector<std::pair<std::int64_t, std::int64_t>> ragged = {
      {1, 1}, {7, 7}, {16, 16}, {33, 33}, {150, 150}};
  const std::vector<Shape> shapes = {
      {.name = "one token", .lengths = {{1, 1}}},
      {.name = "full", .lengths = ragged},
      {.name = "causal", .lengths = ragged, .causal = true},
      {.name = "window", .lengths = ragged, .window = 3},
      {.name = "causal window", .lengths = ragged, .causal = true, .window = 40},
      {.name = "own place alone", .lengths = {{9, 9}}, .window = 0},
      {.name = "grouped", .lengths = ragged, .heads = 6, .key_heads = 2, .width = 16},
      {.name = "one key head", .lengths = {{5, 5}, {18, 18}}, .heads = 4, .key_heads = 1, .causal = true},
      {.name = "cross", .lengths = {{6, 40}, {9, 3}, {1, 129}, {130, 1}}},
      {.name = "narrow", .lengths = ragged, .width = 4},
      {.name = "odd width", .lengths = {{11, 11}, {20, 20}}, .width = 13},
      {.name = "wide", .lengths = {{29, 29}, {70, 70}}, .width = 64},
      {.name = "wide, causal", .lengths = {{17, 17}, {200, 200}}, .width = 64, .causal = true},
      {.name = "widest, grouped", .lengths = {{130, 130}}, .key_heads = 1, .width = 128, .window = 60},
      {.name = "bias", .lengths = ragged, .bias = Bias::random},
      {.name = "bias by distance", .lengths = ragged, .bias = Bias::by_distance},
      {.name = "bias with -inf", .lengths = ragged, .causal = true, .bias = Bias::some_never},
      {.name = "masked keys", .lengths = {{8, 8}, {40, 40}}, .hidden = {0, 5, 10, 47}},
      {.name = "nothing to attend to", .lengths = {{3, 3}, {4, 4}}, .hidden = {0, 1, 2, 5}},
      {.name = "equal scores", .lengths = ragged, .spread = 0.0F},
      {.name = "equal scores, causal", .lengths = ragged, .causal = true, .spread = 0.0F},
      {.name = "peaked", .lengths = ragged, .spread = 12.0F},
      {.name = "capped",
       .lengths = ragged,
       .causal = true,
       .bias = Bias::random,
       .spread = 3.0F,
       .cap = 1.5F},
      {.name = "widest", .lengths = {{3, 3}, {45, 45}}, .heads = 1, .key_heads = 1, .width = 128},
      {.name = "of a processor", .lengths = {{3, 3}, {45, 45}}, .heads = 2, .key_heads = 1, .width = 256},
  };
  for (const Shape& shape : shapes) {
    if (shape.width > checks.most_width) {
      continue;
    }
    check(shape, checks.numbers, Want::statistics, attend, memory);
    if (checks.detail && shape.width <= engine::kMostCardWidth) {
      check(shape, checks.numbers, Want::detail, attend, memory);
    }
    if (checks.maps) {
      check(shape, checks.numbers, Want::maps, attend, memory);
    }
    if (checks.means) {
      check(shape, checks.numbers, checks.detail ? Want::means_and_detail : Want::means, attend, memory);
    }
  }
  check_no_numbers(checks.numbers, attend, memory);
}

}  // namespace mog::test
