#include "app/workflow/experiment/piece_units.h"

#include <gtest/gtest.h>

namespace mog::app {
namespace {

using Ids = std::vector<std::int64_t>;

// Tokens by where they end; -1 stands for a special token.
Sentence cut(const std::vector<std::int64_t>& ends) {
  Sentence sentence;
  std::int64_t begin = 0;
  for (const std::int64_t end : ends) {
    if (end < 0) {
      sentence.tokens.push_back({"<s>", 0, -1, {}});
      continue;
    }
    sentence.tokens.push_back({"x", 0, 0, {begin, end}});
    begin = end;
  }
  return sentence;
}

void expect_units(const PieceUnits& units, const Ids& first, const Ids& second, std::int64_t count) {
  EXPECT_EQ(units.first, first);
  EXPECT_EQ(units.second, second);
  EXPECT_EQ(units.count, count);
}

TEST(PieceUnits, WhereBothCutAlikeEveryTokenIsOne) {
  expect_units(common_units(cut({-1, 3, 7, 8, -1}), cut({-1, 3, 7, 8, -1})), {0, 1, 2, 3, 4}, {0, 1, 2, 3, 4},
               5);
}

TEST(PieceUnits, AreTheShortestStretchesThatBothCutOut) {
  // "parrot" is one piece there and three here; "ab|cd" and "abc|d" meet only at the end.
  expect_units(common_units(cut({-1, 2, 4, 6, 7, -1}), cut({-1, 6, 7, -1})), {0, 1, 1, 1, 2, 3}, {0, 1, 2, 3},
               4);
  expect_units(common_units(cut({2, 4, 5}), cut({3, 4, 5})), {0, 0, 1}, {0, 0, 1}, 2);
}

TEST(PieceUnits, SpecialTokensThatOnlyOneSideHasJoinTheirNeighbours) {
  expect_units(common_units(cut({-1, 3, 5, -1}), cut({3, 5})), {0, 0, 1, 1}, {0, 1}, 2);
  expect_units(common_units(cut({3, 5}), cut({-1, 3, 5, -1})), {0, 1}, {0, 0, 1, 1}, 2);
}

TEST(PieceUnits, EveryUnitHasATokenOnBothSides) {
  // Two letters of one character end at the same place.
  const PieceUnits units = common_units(cut({3, 3, 4, 9}), cut({3, 9}));
  EXPECT_EQ(units.count, 2);
  expect_units(units, {0, 1, 1, 1}, {0, 1}, 2);
  expect_units(common_units(cut({5}), cut({1, 2, 5})), {0}, {0, 0, 0}, 1);
  expect_units(common_units(cut({}), cut({5})), {}, {}, 0);
}

}  // namespace
}  // namespace mog::app
