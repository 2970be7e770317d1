#include "io/statistics/sentence_columns.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "io/recording/errors.h"

namespace mog::io {
namespace {

using Whole = std::vector<std::int64_t>;

SentenceColumns columns(const Whole& numbers, const std::vector<double>& values, const Whole& counts) {
  SentenceColumns result(numbers);
  result.add(values);
  result.add(std::span<const std::int64_t>(counts));
  return result;
}

TEST(SentenceColumns, JoinByNumberAndKeepEveryBit) {
  const double odd = std::bit_cast<double>(std::uint64_t{0x7ff8000000000123});  // a NaN that says something
  const SentenceColumns parts[] = {
      columns({2, 7}, {0.1, odd}, {-1, 5}),
      columns({1, 5, 9}, {-0.0, std::numeric_limits<double>::infinity(), 3}, {10, 11, 12})};
  const SentenceColumns all = SentenceColumns::joined(parts);
  EXPECT_EQ(all.numbers(), (Whole{1, 2, 5, 7, 9}));
  const SentenceColumns read = SentenceColumns::from_vectors(all.vectors());
  std::size_t at = 0;
  const std::vector<double> values = read.next(at);
  EXPECT_TRUE(std::signbit(values[0]));
  EXPECT_EQ(values[1], 0.1);
  EXPECT_TRUE(std::isinf(values[2]));
  EXPECT_EQ(std::bit_cast<std::uint64_t>(values[3]), 0x7ff8000000000123U);
  EXPECT_EQ(read.next_whole(at), (Whole{10, -1, 11, 5, 12}));
  EXPECT_THROW(read.next(at), FormatError);
}

TEST(SentenceColumns, APartWithoutSentencesJoins) {
  const SentenceColumns parts[] = {columns({}, {}, {}), columns({3}, {1.5}, {2}), columns({}, {}, {})};
  const SentenceColumns all = SentenceColumns::joined(parts);
  EXPECT_EQ(all.vectors(), (std::vector<Whole>{{3}, {std::bit_cast<std::int64_t>(1.5)}, {2}}));
}

TEST(SentenceColumns, WhatDoesNotFitIsRefused) {
  SentenceColumns all = columns({1, 2}, {1, 2}, {3, 4});
  const SentenceColumns twice[] = {all, columns({2}, {1}, {1})};
  const SentenceColumns other[] = {all, SentenceColumns({5})};
  EXPECT_THROW(SentenceColumns::joined(twice), FormatError);
  EXPECT_THROW(SentenceColumns::joined(other), FormatError);
  EXPECT_THROW(all.add(std::vector<double>{1}), UsageError);
  EXPECT_THROW(SentenceColumns::from_vectors({}), FormatError);
  const std::vector<Whole> same = {{1, 1}};
  const std::vector<Whole> zero = {{0, 1}};
  const std::vector<Whole> shorter = {{1, 2}, {5}};
  EXPECT_THROW(SentenceColumns::from_vectors(same), FormatError);
  EXPECT_THROW(SentenceColumns::from_vectors(zero), FormatError);
  EXPECT_THROW(SentenceColumns::from_vectors(shorter), FormatError);
}

}  // namespace
}  // namespace mog::io
