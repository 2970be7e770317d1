// Units, what a target reads of an output, its slopes, integrals of them along a path, and estimates of
// removals; values worked by hand.
#include "analysis/effects/readout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "analysis/effects/path_integral.h"
#include "analysis/effects/removal_effects.h"
#include "io/recording/errors.h"
#include "tests/unit/analysis/effects_sentence.h"

namespace mog::analysis {
namespace {

using Values = std::vector<double>;

void expect_near(const Values& found, const Values& expected, double tolerance = 1e-15) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], tolerance) << i;
  }
}

Readout readout_of(const Sentence& sentence, const ReadoutOptions& options = {}) {
  return Readout::of(sentence, options).value();
}

TEST(Units, TokensWordsAndSpecialTokens) {
  const Sentence sentence = sentence_of({0, 0, 1, 2, -1});
  const auto token = ErasedUnit::token;
  const auto word = ErasedUnit::word;
  EXPECT_EQ(erased_units(sentence, -1, token, SpecialTokens::keep), (Units{{0}, {1}, {2}, {3}}));
  EXPECT_EQ(erased_units(sentence, -1, word, SpecialTokens::keep), (Units{{0, 1}, {2}, {3}}));
  EXPECT_EQ(erased_units(sentence, -1, word, SpecialTokens::erase), (Units{{0, 1}, {2}, {3}, {4}}));
  EXPECT_EQ(erased_units(sentence, 1, word, SpecialTokens::keep), (Units{{0, 1}, {3}}));
  EXPECT_EQ(erased_units(sentence, 0, token, SpecialTokens::erase), (Units{{2}, {3}, {4}}));
}

TEST(Units, ErasedTokensAndSums) {
  const Units units = {{0, 1}, {2}, {3}};
  EXPECT_EQ(erased_tokens(units, {true, false, true}, 5), (ErasedTokens{true, true, false, true, false}));
  EXPECT_EQ(erased_tokens(units[0], 3), (ErasedTokens{true, true, false}));
  EXPECT_EQ(erasable_tokens(units, 5), (ErasedTokens{true, true, true, true, false}));
  EXPECT_EQ(sums_by_unit(Values{1, 2, 3, 4, 5}, units), (Values{3, 3, 4}));
  EXPECT_THROW(erased_tokens(units, {true}, 5), ShapeError);
  EXPECT_THROW(erased_tokens(units[0], 1), ShapeError);
  EXPECT_THROW(sums_by_unit(Values{1, 2, 3}, units), ShapeError);
}

TEST(Readout, PooledMeansLoseWhatIsTakenAway) {
  const Sentence sentence = sentence_of({0, 1, -1});
  const Values values = {1, 0, 3, 4, 2, 2};
  const ErasedTokens none(3, false);
  const ErasedTokens second = {false, true, false};
  const Readout stays = readout_of(sentence);
  EXPECT_EQ(stays.units(), (Units{{0}, {1}}));
  expect_near(stays.weights(), {1.0 / 3, 1.0 / 3, 1.0 / 3});
  EXPECT_FALSE(stays.shrinks());
  expect_near(stays.read(values, none), {2, 2});
  expect_near(stays.read(values, second), {2, 2});
  const Readout shrinks = readout_of(sentence, {.takes_away = true});
  EXPECT_TRUE(shrinks.shrinks());
  expect_near(shrinks.read(values, second), {1.5, 1});
  // The same when the token has no row.
  expect_near(shrinks.read(Values{1, 0, 2, 2}, std::vector<std::int64_t>{0, 2}, second), {1.5, 1});
}

TEST(Readout, WordsAndTags) {
  const Sentence sentence = sentence_of({0, 1, 1, 2, -1});
  const ErasedTokens none(5, false);
  const Readout word = readout_of(sentence, {.target = TargetKind::word, .word = 2, .takes_away = true});
  expect_near(word.weights(), {0, 0.5, 0.5, 0, 0});
  EXPECT_EQ(word.units(), (Units{{0}, {3}}));
  EXPECT_FALSE(word.shrinks());  // its own tokens are never erased
  expect_near(word.read(Values{9, 1, 3, 9, 9}, none), {2});
  expect_near(readout_of(sentence, {.target = TargetKind::word, .word = -1}).weights(), {0, 0, 0, 1, 0});
  const Readout tag = readout_of(sentence, {.target = TargetKind::tag, .word = 2});
  EXPECT_TRUE(tag.reads_probabilities());
  expect_near(tag.weights(), {0, 1, 0, 0, 0});  // its first token
  expect_near(tag.read(Values{9, 0, 0, std::log(3), 0, 0, 0, 0, 0, 0}, none), {0.25, 0.75});
}

TEST(Readout, SentencesWithoutTheWordHaveNoTarget) {
  Sentence sentence = sentence_of({0, 1, -1});
  EXPECT_FALSE(Readout::of(sentence, {.target = TargetKind::word, .word = 3}));
  EXPECT_FALSE(Readout::of(sentence, {.target = TargetKind::tag, .word = -3}));
  sentence.words.emplace_back();  // a word without a token
  EXPECT_FALSE(Readout::of(sentence, {.target = TargetKind::word, .word = 3}));
}

TEST(Readout, EffectsAndSlopes) {
  const Sentence sentence = sentence_of({0, 1});
  const Readout pooled = readout_of(sentence);
  EXPECT_DOUBLE_EQ(pooled.effect({1, 0}, {0, 2}), 1);
  EXPECT_NEAR(pooled.effect({3, 4}, {3, 0}), 0.4, 1e-15);
  EXPECT_DOUBLE_EQ(pooled.effect({1, 0}, {-3, 0}), 2);
  EXPECT_DOUBLE_EQ(pooled.effect({1, 0}, {0, 0}), 1);
  expect_near(pooled.slope({1, 0}, {0, 2}), {0.5, 0});
  expect_near(pooled.slope({3, 4}, {3, 4}), {0, 0});  // the maximum
  expect_near(pooled.slope({1, 0}, {0, 0}), {0, 0});
  expect_near(pooled.own_slope({3, 4}), {0.6, 0.8});
  expect_near(pooled.own_slope({0, 0}), {0, 0});
  expect_near(pooled.own_cotangent({3, 4}), {0.3, 0.4, 0.3, 0.4});
  // The tag of before is the second, whatever is most probable after.
  const Readout tag = readout_of(sentence, {.target = TargetKind::tag, .word = 1});
  EXPECT_NEAR(tag.effect({0.2, 0.8}, {0.7, 0.3}), 0.5, 1e-15);
  expect_near(tag.slope({0.2, 0.8}, {0.75, 0.25}), {-0.1875, 0.1875});
  expect_near(tag.own_slope({0.25, 0.75}), {-0.1875, 0.1875});
  expect_near(tag.own_cotangent({0.25, 0.75}), {-0.1875, 0.1875, 0, 0});
}

// Heads of word 2 (tokens 2 and 3): the root (token 0), words 1 and 3 by their first tokens.
TEST(Readout, HeadsAreChosenAmongTheOtherWords) {
  const Sentence sentence = sentence_of({-1, 0, 1, 1, 2, 2, -1});
  const Readout head = readout_of(sentence, {.target = TargetKind::head, .word = 2});
  EXPECT_TRUE(head.reads_probabilities());
  expect_near(head.weights(), {0, 0, 1, 0, 0, 0, 0});
  Values scores(49, 100.0);
  scores[14] = std::log(1.0);
  scores[15] = std::log(2.0);
  scores[18] = std::log(5.0);
  const Values found = head.read(scores, ErasedTokens(7, false));
  expect_near(found, {0.125, 0.25, 0, 0, 0.625, 0, 0}, 1e-12);
  EXPECT_NEAR(head.effect(found, {0.5, 0.25, 0, 0, 0.25, 0, 0}), 0.375, 1e-12);
  EXPECT_THROW(head.read(Values(14, 1.0), ErasedTokens(7, false)), ShapeError);
}

TEST(Readout, RowsThatDoNotFitAreRefused) {
  const Readout readout = readout_of(sentence_of({0, 1}));
  const ErasedTokens none(2, false);
  EXPECT_THROW(readout.read(Values{1, 2, 3}, none), ShapeError);
  EXPECT_THROW(readout.read(Values{1, 2}, ErasedTokens(3, false)), ShapeError);
  EXPECT_THROW(readout.read(Values{}, std::vector<std::int64_t>{}, none), ShapeError);
  EXPECT_THROW(readout.read(Values{1}, std::vector<std::int64_t>{2}, none), ShapeError);
}

TEST(PathIntegral, MidpointsOfBatches) {
  const Sentence sentence = sentence_of({0, -1});
  const Readout readout = readout_of(sentence);
  PathIntegral integral(readout, {1, 0}, PathKind::scale, 2);
  EXPECT_EQ(integral.start(0, 2), (Values{0.25, 1, 0.75, 1}));
  integral.add(Values{1, 2, 3, 4});
  EXPECT_EQ(integral.values(), (Values{2, 3}));
  PathIntegral batches(readout, {1, 0}, PathKind::scale, 2);
  batches.start(0, 1);
  batches.add(Values{1, 2});
  EXPECT_EQ(batches.start(1, 1), (Values{0.75, 1}));
  EXPECT_THROW(batches.add(Values{1}), ShapeError);
  batches.add(Values{3, 4});
  EXPECT_EQ(batches.values(), integral.values());
  EXPECT_THROW(PathIntegral(readout, {1, 0}, PathKind::scale, 0), UsageError);
}

TEST(PathIntegral, PresenceMovesTheMeanToo) {
  // Halfway both tokens have half their weight, so the mean is (1/2, 1/2); the cosine with (1, 0) rises with
  // (1, -1) / √2 there. Each token's output has half of that; its own weight moves the mean by x - m.
  const Readout readout = readout_of(sentence_of({0, 1}), {.takes_away = true});
  PathIntegral integral(readout, {1, 0}, PathKind::presence, 1);
  integral.start(0, 1);
  Values slopes(4);
  integral.cotangent(Values{1, 0, 0, 1}, slopes);
  const double root = std::sqrt(2.0);
  expect_near(slopes, {root / 4, -root / 4, root / 4, -root / 4});
  integral.add(Values{1, 1});
  expect_near(integral.values(), {1 + root / 2, 1 - root / 2});
  EXPECT_THROW(integral.cotangent(Values{1, 2, 3}, slopes), ShapeError);
}

TEST(PathIntegral, SlopesOfTags) {
  const Readout readout = readout_of(sentence_of({0, 1}), {.target = TargetKind::tag, .word = 1});
  PathIntegral integral(readout, {0.1, 0.9}, PathKind::presence, 1);
  integral.start(0, 1);
  Values slopes(4);
  integral.cotangent(Values{0, std::log(3), 5, 5}, slopes);
  expect_near(slopes, {-0.1875, 0.1875, 0, 0});
  integral.add(Values{0, 0});
  EXPECT_EQ(integral.values(), (Values{0, 0}));  // the mean does not move
}

// Integrated gradients add up to the difference of the ends. The output of token t is a_t x_t (or x_t, when
// only the mean moves); the third token is in no unit.
TEST(PathIntegral, ValuesAddUpToTheWholeWay) {
  const Values outputs = {1, 2, -1, 3, 2, -1};
  const Sentence sentence = sentence_of({0, 1, -1});
  for (const bool presence : {false, true}) {
    const Readout readout = readout_of(sentence, {.takes_away = presence});
    const Values before = readout.read(outputs, ErasedTokens(3, false));
    PathIntegral integral(readout, before, presence ? PathKind::presence : PathKind::scale, 1000);
    for (std::int64_t first = 0; first < 1000; first += 250) {
      const Values place = integral.start(first, 250);
      Values values;
      for (std::size_t i = 0; i < place.size() * 2; ++i) {
        values.push_back(outputs[i % 6] * (presence ? 1 : place[i / 2]));
      }
      Values slopes(values.size());
      integral.cotangent(values, slopes);
      Values found(place.size(), 0.0);
      for (std::size_t i = 0; i < slopes.size() && !presence; ++i) {
        found[i / 2] += slopes[i] * outputs[i % 6];
      }
      integral.add(found);
    }
    // From the cosine of (1, 2) + (-1, 3) + (2, -1) = (2, 4) with (2, -1) alone, which is 0, to 1.
    EXPECT_NEAR(integral.values()[0] + integral.values()[1], 1, 1e-5);
  }
}

TEST(RemovalEffects, OutputsThatLoseAUnit) {
  // The target is the first word, the unit the second; it takes 4 of (3, 4) away.
  const Readout readout = readout_of(sentence_of({0, 1}), {.target = TargetKind::word, .word = 1});
  ASSERT_EQ(readout.units(), (Units{{1}}));
  EXPECT_NEAR(
      first_order_removal(readout, {3, 4}, Values{3, 4, 7, 7}, Values{0, -4, 9, 9}, readout.units()[0]), 0.4,
      1e-15);
  const Values vectors = {3, 0, 0, 4, 0, 0, /* second row: */ 5, 5, 5, 5, 5, 5};  // [token, source, width]
  expect_near(propagation_removals(readout, {3, 4}, Values{3, 4, 15, 15}, vectors), {0.4});
  EXPECT_THROW(propagation_removals(readout, {3, 4}, Values{3, 4, 15, 15}, Values{1}), ShapeError);
  EXPECT_THROW(first_order_removal(readout, {3, 4}, Values{3, 4}, Values{1}, readout.units()[0]), ShapeError);
}

TEST(RemovalEffects, UnitsOfSeveralTokensAreTakenAwayTogether) {
  const Readout readout = readout_of(sentence_of({0, 0, 1}), {.unit = ErasedUnit::word, .takes_away = true});
  ASSERT_EQ(readout.units(), (Units{{0, 1}, {2}}));
  // Only the third token is left in the mean, (0, 5) of which (0, 2) and (0, 3) came from the first two; then
  // the first two, (1, 0) each, of which nothing came from the third.
  const Values output = {1, 0, 1, 0, 0, 5};
  Values vectors(3 * 4 * 2, 0.0);
  vectors[2 * 8 + 0 * 2 + 1] = 2;
  vectors[2 * 8 + 1 * 2 + 1] = 3;
  expect_near(propagation_removals(readout, {1, 1}, output, vectors), {1, 1 - 1 / std::sqrt(2)});
}

}  // namespace
}  // namespace mog::analysis
