#include "analysis/mog/dependencies/arborescence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "analysis/mog/dependencies/dependency_trees.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();

bool is_tree(const std::vector<std::int32_t>& heads) {
  for (std::size_t i = 0; i < heads.size(); ++i) {
    std::size_t steps = 0;
    for (std::int32_t word = heads[i]; word != 0; word = heads[static_cast<std::size_t>(word - 1)]) {
      if (++steps > heads.size()) {
        return false;
      }
    }
  }
  return true;
}

double sum_of(const EdgeWeights& weights, const std::vector<std::int32_t>& heads) {
  double sum = 0;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    sum += weights.at(heads[i], static_cast<std::int32_t>(i) + 1);
  }
  return sum;
}

// No arc begins inside another and ends outside it; the root stands before the first word.
bool is_projective(const std::vector<std::int32_t>& heads) {
  const auto arc = [&](std::size_t word) {
    return std::minmax({heads[word], static_cast<std::int32_t>(word) + 1});
  };
  for (std::size_t a = 0; a < heads.size(); ++a) {
    for (std::size_t b = 0; b < heads.size(); ++b) {
      const std::pair<std::int32_t, std::int32_t> one = arc(a);
      const std::pair<std::int32_t, std::int32_t> other = arc(b);
      if (one.first < other.first && other.first < one.second && one.second < other.second) {
        return false;
      }
    }
  }
  return true;
}

// The best of all assignments of heads that are trees.
double best_by_listing(const EdgeWeights& weights, const TreeOptions& options) {
  const auto words = static_cast<std::size_t>(weights.words);
  std::vector<std::int32_t> heads(words, 0);
  double best = kNone;
  while (true) {
    const auto roots = std::count(heads.begin(), heads.end(), 0);
    if (is_tree(heads) && (!options.one_root || roots == 1) &&
        (!options.projective || is_projective(heads))) {
      best = std::max(best, sum_of(weights, heads));
    }
    std::size_t place = 0;
    while (place < words && heads[place] == weights.words) {
      heads[place++] = 0;
    }
    if (place == words) {
      return best;
    }
    ++heads[place];
  }
}

EdgeWeights random_weights(std::mt19937& random, std::int32_t words, bool coarse, bool holes) {
  const auto side = static_cast<std::size_t>(words) + 1;
  EdgeWeights weights{words, std::vector<double>(side * side)};
  std::uniform_real_distribution<double> uniform(-5, 5);
  for (double& value : weights.values) {
    value = coarse ? std::round(uniform(random) / 2) : uniform(random);
    if (holes && random() % 4 == 0) {
      value = kNone;
    }
  }
  return weights;
}

TEST(Arborescence, IsTheBestOfAllTrees) {
  std::mt19937 random(5);
  int impossible = 0;
  for (int round = 0; round < 400; ++round) {
    const auto words = static_cast<std::int32_t>(1 + round % 5);
    const EdgeWeights weights = random_weights(random, words, round % 2 == 0, round % 3 == 0);
    for (const bool projective : {false, true}) {
      for (const bool one_root : {false, true}) {
        const TreeOptions options{.projective = projective, .one_root = one_root};
        const double best = best_by_listing(weights, options);
        if (best == kNone) {
          ++impossible;
          EXPECT_THROW(best_heads(weights, options), UsageError);
          continue;
        }
        const std::vector<std::int32_t> heads = best_heads(weights, options);
        EXPECT_TRUE(is_tree(heads));
        EXPECT_NEAR(sum_of(weights, heads), best, 1e-9);
        if (one_root) {
          EXPECT_EQ(std::count(heads.begin(), heads.end(), 0), 1);
        }
        if (projective) {
          EXPECT_TRUE(is_projective(heads));
        }
      }
    }
  }
  EXPECT_GT(impossible, 0);
}

TEST(Arborescence, FindsAPlantedTreeOfManyWords) {
  std::mt19937 random(9);
  for (const std::int32_t words : {40, 150}) {
    EdgeWeights weights = random_weights(random, words, false, false);
    std::vector<std::int32_t> planted(static_cast<std::size_t>(words), 0);
    for (std::int32_t word = 2; word <= words; ++word) {
      planted[static_cast<std::size_t>(word - 1)] =
          static_cast<std::int32_t>(1 + random() % static_cast<unsigned>(word - 1));
    }
    for (std::int32_t word = 1; word <= words; ++word) {
      const auto head = static_cast<std::size_t>(planted[static_cast<std::size_t>(word - 1)]);
      weights.values[head * (static_cast<std::size_t>(words) + 1) + static_cast<std::size_t>(word)] += 11;
    }
    EXPECT_EQ(best_heads(weights), planted);
  }
}

TEST(Arborescence, IsReadFromAMap) {
  // 2 <- 3 -> 1, worked by hand: 3 is the root.
  const std::vector<double> map = {.2, .5, .3, .1, .8, .1, .6, .3, .1};
  const EdgeWeights weights = attachment_weights(map, 3);
  EXPECT_DOUBLE_EQ(weights.at(1, 2), std::log(.5));
  EXPECT_DOUBLE_EQ(attachment_weights(map, 3, true).at(2, 1), std::log(.5));
  EXPECT_EQ(weights.at(0, 3), 0);
  EXPECT_EQ(best_heads(weights), (std::vector<std::int32_t>{3, 1, 0}));
}

TEST(Arborescence, RefusesWhatIsNoWeight) {
  EXPECT_THROW(best_heads({2, {0, 0, 0}}), UsageError);
  EXPECT_THROW(best_heads({0, {0}}), UsageError);
  EXPECT_THROW(best_heads({1, {0, std::nan(""), 0, 0}}), UsageError);
  EXPECT_THROW(attachment_weights(std::vector<double>{1, 2}, 3), UsageError);
}

}  // namespace
}  // namespace mog::analysis
