// Rows compared with a query, the nearest of many, k-occurrences, shares, attention rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "analysis/neighbours/k_occurrence.h"
#include "analysis/neighbours/nearest.h"
#include "analysis/neighbours/relative_row.h"
#include "analysis/neighbours/row_products.h"
#include "analysis/neighbours/share_ratio.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

// Sixteen sums side by side, folded in halves, then what is left: whatever the processor has.
double in_order(const std::vector<double>& left, const std::vector<double>& right) {
  std::array<double, 16> sums{};
  std::size_t at = 0;
  for (; at + 16 <= left.size(); at += 16) {
    for (std::size_t lane = 0; lane < 16; ++lane) {
      const double product = left[at + lane] * right[at + lane];
      sums[lane] += product;
    }
  }
  for (std::size_t width = 8; width > 0; width /= 2) {
    for (std::size_t lane = 0; lane < width; ++lane) {
      sums[lane] += sums[lane + width];
    }
  }
  double sum = sums[0];
  for (; at < left.size(); ++at) {
    const double product = left[at] * right[at];
    sum += product;
  }
  return sum;
}

TEST(RowProducts, AreSummedInOneOrderWhateverTheTypeAndTheProcessor) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (const std::int64_t width : {1, 7, 16, 19, 64, 384}) {
    for (const bool centered : {false, true}) {
      const std::size_t rows = 21;
      std::vector<Float16> halves;
      for (std::size_t i = 0; i < rows * static_cast<std::size_t>(width); ++i) {
        halves.push_back(to_float16(normal(random)));
      }
      std::vector<float> floats(halves.size());
      convert(halves, floats);
      const std::vector<double> doubles(floats.begin(), floats.end());
      std::vector<double> state;
      std::vector<double> mean;
      for (std::int64_t i = 0; i < width; ++i) {
        state.push_back(static_cast<double>(normal(random)));
        mean.push_back(centered ? static_cast<double>(normal(random)) / 4 : 0.0);
      }
      const RowQuery query(state, centered ? std::span<const double>(mean) : std::span<const double>());
      for (std::int64_t i = 0; i < width; ++i) {
        state[static_cast<std::size_t>(i)] -= mean[static_cast<std::size_t>(i)];
      }
      std::vector<RowProduct> of_halves(rows);
      std::vector<RowProduct> of_floats(rows);
      std::vector<RowProduct> of_doubles(rows);
      query.products(std::span<const Float16>(halves), of_halves);
      query.products(std::span<const float>(floats), of_floats);
      query.products(std::span<const double>(doubles), of_doubles);
      for (std::size_t row = 0; row < rows; ++row) {
        std::vector<double> values(doubles.begin() + static_cast<std::ptrdiff_t>(row) * width,
                                   doubles.begin() + static_cast<std::ptrdiff_t>(row + 1) * width);
        for (std::size_t i = 0; i < values.size(); ++i) {
          values[i] -= mean[i];
        }
        for (const auto* const found : {&of_halves, &of_floats, &of_doubles}) {
          // The test may be compiled with fused multiply-adds; the sums are not.
          EXPECT_NEAR((*found)[row].dot, in_order(values, state), 1e-12);
          EXPECT_NEAR((*found)[row].squares, in_order(values, values), 1e-11);
          EXPECT_EQ((*found)[row].dot, of_doubles[row].dot);
          EXPECT_EQ((*found)[row].squares, of_doubles[row].squares);
        }
      }
    }
  }
}

// With every set of instructions that this processor has, in every type.
TEST(RowProducts, AreTheSameBitsWithAllInstructions) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  const std::span<const Instructions> all = row_instructions();
  EXPECT_EQ(all.front(), Instructions::plain);
  for (const std::size_t width : {std::size_t{5}, std::size_t{16}, std::size_t{40}, std::size_t{384}}) {
    const std::size_t rows = 9;
    std::vector<float> floats(rows * width);
    std::vector<double> doubles(rows * width);
    std::vector<double> state(width);
    std::vector<double> mean(width);
    std::generate(floats.begin(), floats.end(), [&] { return normal(random); });
    std::generate(doubles.begin(), doubles.end(), [&] { return static_cast<double>(normal(random)) / 3; });
    std::generate(state.begin(), state.end(), [&] { return static_cast<double>(normal(random)) / 3; });
    std::generate(mean.begin(), mean.end(), [&] { return static_cast<double>(normal(random)) / 7; });
    for (const std::span<const double> taken : {std::span<const double>(), std::span<const double>(mean)}) {
      const auto products = [&](Instructions instructions) {
        const RowQuery query(state, taken, instructions);
        std::vector<RowProduct> found(2 * rows);
        query.products(std::span<const float>(floats), std::span(found).first(rows));
        query.products(std::span<const double>(doubles), std::span(found).last(rows));
        std::vector<double> numbers;
        for (const RowProduct& product : found) {
          numbers.insert(numbers.end(), {product.dot, product.squares});
        }
        return numbers;
      };
      for (const Instructions instructions : all) {
        EXPECT_EQ(products(instructions), products(Instructions::plain))
            << static_cast<int>(instructions) << " " << width << " " << taken.size();
      }
    }
  }
}

TEST(RowProducts, WithoutDirectionThereIsNoCosine) {
  const double inf = std::numeric_limits<double>::infinity();
  const RowQuery query(std::vector<double>{3, 4});
  EXPECT_EQ(query.norm(), 5);
  const std::vector<double> rows = {0, 0, std::nan(""), 1, inf, 1, -6, -8, 4, -3};
  std::vector<RowProduct> products(5);
  query.products(std::span<const double>(rows), products);
  for (std::size_t row = 0; row < 3; ++row) {
    EXPECT_TRUE(std::isnan(query.cosine(products[row]))) << row;
  }
  EXPECT_EQ(query.cosine(products[3]), -1);
  EXPECT_EQ(query.cosine(products[4]), 0);
  EXPECT_TRUE(std::isnan(RowQuery(std::vector<double>{0, 0}).cosine(products[3])));
  std::vector<RowProduct> few(4);
  EXPECT_THROW(query.products(std::span<const double>(rows), few), ShapeError);
  EXPECT_THROW(RowQuery(std::vector<double>{1, 2}, std::vector<double>{1}), ShapeError);
}

TEST(Nearest, IsTheBeginningOfASortedListHoweverItIsSharedOut) {
  std::mt19937 random(2);
  for (const std::int64_t k : {0, 1, 5, 40, 500}) {
    std::vector<NearWord> words;
    for (std::int64_t i = 0; i < 300; ++i) {
      const double similarity = i % 50 == 7 ? std::nan("") : static_cast<double>(random() % 12) / 12;
      words.push_back({similarity, {static_cast<std::int64_t>(random() % 20), i}});
    }
    Nearest first(k);
    Nearest second(k);
    for (std::size_t i = 0; i < words.size(); ++i) {
      (i % 3 == 0 ? first : second).add(words[i]);
    }
    first.merge(second);
    std::erase_if(words, [](const NearWord& word) { return std::isnan(word.similarity); });
    std::sort(words.begin(), words.end(), nearer);
    words.resize(std::min(words.size(), static_cast<std::size_t>(k)));
    EXPECT_EQ(first.sorted(), words);
  }
}

// Four words on a line, similarity the negative distance: 0, 1, 2, 10; a further one at 1.4.
TEST(KOccurrence, IsWorkedByHand) {
  const std::array<double, 5> place = {0, 1, 2, 10, 1.4};
  const KOccurrence found = k_occurrence(4, 1, 1, [&](std::int64_t i, std::int64_t j) {
    return -std::abs(place[static_cast<std::size_t>(i)] - place[static_cast<std::size_t>(j)]);
  });
  // 0 -> 1; 1 -> 0 (as near as 2, but first); 2 -> 1; 10 -> 2.
  EXPECT_EQ(found.sample, (std::vector<std::int64_t>{1, 2, 1, 0}));
  // Nearer than what they have: to 1 (0.4 < 1), to 2 (0.6 < 1); neither to 0 (1.4 > 1) nor to 10 (8.6 > 8).
  EXPECT_EQ(found.others, (std::vector<std::int64_t>{2}));
  EXPECT_EQ(found.most, 2);
  EXPECT_DOUBLE_EQ(found.never, 0.25);
  EXPECT_NEAR(found.pair_mean, -(1 + 2 + 10 + 1 + 9 + 8) / 6.0, 1e-12);
  EXPECT_EQ(k_occurrence(0, 0, 3, {}).most, 0);
}

// Of 5 in 20 the interval is 0.1119 to 0.4687 (Wilson 1927).
TEST(ShareRatio, HasWilsonsInterval) {
  const ShareRatio found = share_ratio(5, 20, 50, 1000);
  EXPECT_DOUBLE_EQ(found.share, 0.25);
  EXPECT_DOUBLE_EQ(found.ratio, 5);
  EXPECT_NEAR(found.low, 0.1119 / 0.05, 2e-3);
  EXPECT_NEAR(found.high, 0.4687 / 0.05, 2e-3);
  EXPECT_EQ(share_ratio(0, 20, 50, 1000).low, 0);
  EXPECT_EQ(share_ratio(20, 20, 500, 1000).high, 2);
  EXPECT_TRUE(std::isnan(share_ratio(0, 20, 0, 1000).ratio));
  EXPECT_TRUE(std::isnan(share_ratio(0, 0, 50, 1000).share));
}

TEST(RelativeRow, AlignsWordsByTheirDistance) {
  Sentence sentence;
  sentence.words = {{"a", {}}, {"b", {}}, {"c", {}}};
  sentence.tokens = {
      {"<s>", 0, -1, {}}, {"a", 1, 0, {}}, {"b1", 2, 1, {}}, {"b2", 3, 1, {}}, {"c", 4, 2, {}}};
  const RelativeRow row = relative_row(sentence, 1, std::vector<double>{0.5, 0.25, 0.5, 0.25, 0.5});
  EXPECT_EQ(row.first, -1);
  EXPECT_EQ(row.weights, (std::vector<double>{0.125, 0.375, 0.25}));
  EXPECT_EQ(row.special, 0.25);
  EXPECT_DOUBLE_EQ(row_similarity(row, row), 1);
  const RelativeRow left{0, {1, 0}, 0, 0};
  const RelativeRow right{0, {0, 1}, 0, 0};
  EXPECT_DOUBLE_EQ(row_similarity(left, right), 0);
  EXPECT_DOUBLE_EQ(row_similarity(left, {-1, {0, 1}, 0, 0}), 1);  // the same place of another frame
  EXPECT_DOUBLE_EQ(row_similarity(left, {5, {0}, 1, 0}), 0);
  EXPECT_TRUE(std::isnan(row_similarity(left, {})));
  EXPECT_TRUE(relative_row(sentence, 1, std::vector<double>(5, 0.0)).weights.empty());
  EXPECT_THROW(relative_row(sentence, 1, std::vector<double>(4, 0.2)), ShapeError);
}

}  // namespace
}  // namespace mog::analysis
