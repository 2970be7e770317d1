#include "analysis/mog/search/best_simple.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <stop_token>

#include "analysis/mog/search/best_by_leaves.h"
#include "analysis/mog/search/cell_chart.h"
#include "tests/unit/analysis/golden_grammar.h"

namespace mog::analysis {
namespace {

using nlohmann::json;

class GoldenSimple : public testing::TestWithParam<std::string> {};

void expect_tree(SimpleTrees& trees, const Goal& goal, const json& row) {
  const SimpleTrees::List found = trees.best(goal, 1);
  ASSERT_EQ(found.derivations.size(), row.is_null() ? 0U : 1U);
  if (!row.is_null()) {
    const Derivation& best = found.derivations.front();
    EXPECT_TRUE(test::close(best.entry.weight, row.at("weight"))) << best.entry.weight << ' ' << row;
    EXPECT_EQ(best.text, row.at("expression"));
    EXPECT_TRUE(best.entry.simple);
  }
}

TEST_P(GoldenSimple, BestTreesWithoutOverlap) {
  const json golden = test::read_json(GetParam());
  const json& expected = golden.at("expected");
  if (!expected.contains("best_simple_full_TOP")) {
    return;  // the large cases have none; BeamOfLongSentences is about them
  }
  const AttentionGrammar grammar(test::grammar_input(golden.at("input")));
  for (const SimpleSearch search : {SimpleSearch::exact, SimpleSearch::beam}) {
    SimpleTrees trees(grammar, search, {.beam = 4096});
    expect_tree(trees, Goal::top(), expected.at("best_simple_full_TOP"));
    for (std::int32_t word = 0; word < grammar.word_count(); ++word) {
      expect_tree(trees, Goal::of_word(grammar.layers(), word),
                  expected.at("best_simple_full").at(static_cast<std::size_t>(word)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenSimple, testing::ValuesIn(test::grammar_cases()),
                         [](const testing::TestParamInfo<std::string>& tested) {
                           return tested.param.substr(0, tested.param.size() - 5);
                         });

// Random maps; `zeros` of the weights are 0.
GrammarInput random_input(GrammarKind kind, std::size_t words, std::size_t layers, double zeros,
                          std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto uniform = [&] { return (static_cast<double>(random() % 65536U) + 0.5) / 65536; };
  const auto row = [&](std::size_t width) {
    std::vector<double> values;
    double sum = 0;
    for (std::size_t i = 0; i < width; ++i) {
      values.push_back(uniform() < zeros ? 0 : uniform());
      sum += values.back();
    }
    for (double& value : values) {
      value = sum > 0 ? value / sum : 1 / static_cast<double>(width);
    }
    return values;
  };
  GrammarInput input{.kind = kind, .layers = static_cast<std::int64_t>(layers)};
  for (std::size_t word = 0; word < words; ++word) {
    input.words.push_back("w" + std::to_string(word + 1));
  }
  for (std::size_t layer = 0; layer < layers; ++layer) {
    std::vector<double> gate;
    std::vector<double> pi;
    std::vector<double> sigma;
    for (std::size_t word = 0; word < words; ++word) {
      gate.push_back(uniform());
      sigma.push_back(uniform());
      for (const double share : row(3)) {
        pi.push_back(share);
      }
    }
    if (is_recurrent(kind)) {
      input.z.push_back(gate);
      input.sigma_h.push_back(sigma);
      if (kind == GrammarKind::two_directions) {
        for (auto* const values : {&input.z_backward, &input.sigma_backward, &input.forward_share}) {
          values->emplace_back(words);
          std::generate(values->back().begin(), values->back().end(), uniform);
        }
      }
      continue;
    }
    auto& maps = input.attention.emplace_back();
    for (std::size_t part = 0; part < (kind == GrammarKind::attention ? 1U : 3U); ++part) {
      auto& map = maps.emplace_back();
      for (std::size_t word = 0; word < words; ++word) {
        const std::vector<double> values = row(words);
        map.insert(map.end(), values.begin(), values.end());
      }
    }
    if (kind == GrammarKind::order_groups) {
      input.gate.push_back(gate);
      input.pi.push_back(pi);
    }
  }
  return input;
}

constexpr GrammarKind kKinds[] = {GrammarKind::order_groups, GrammarKind::attention, GrammarKind::recurrence,
                                  GrammarKind::two_directions};

double weight(SimpleTrees& trees, const Goal& goal) {
  const SimpleTrees::List found = trees.best(goal, 1);
  return found.derivations.empty() ? 0 : found.derivations.front().entry.weight;
}

TEST(SimpleTrees, NoSearchExceedsTheExactOneAndALargeBeamEqualsIt) {
  std::uint32_t seed = 0;
  for (const GrammarKind kind : kKinds) {
    for (const std::size_t words : {1U, 2U, 5U, 7U}) {
      for (const double zeros : {0.0, 0.6}) {
        for (int turn = 0; turn < 3; ++turn) {
          const AttentionGrammar grammar(random_input(kind, words, 3, zeros, ++seed));
          SimpleTrees exact(grammar, SimpleSearch::exact);
          SimpleTrees projective(grammar, SimpleSearch::projective);
          SimpleTrees narrow(grammar, SimpleSearch::beam, {.beam = 1});
          SimpleTrees some(grammar, SimpleSearch::beam, {.beam = 4});
          SimpleTrees wide(grammar, SimpleSearch::beam, {.beam = 200});
          for (std::int32_t word = -1; word < grammar.word_count(); ++word) {
            const Goal goal = word < 0 ? Goal::top() : Goal::of_word(3, word);
            const double most = weight(exact, goal) * (1 + 1e-12);
            EXPECT_LE(weight(projective, goal), most) << seed;
            EXPECT_LE(weight(narrow, goal), most) << seed;
            EXPECT_LE(weight(some, goal), most) << seed;
            EXPECT_LE(weight(projective, goal), weight(narrow, goal) * (1 + 1e-12)) << seed;
            const SimpleTrees::List one = exact.best(goal, 5);
            const SimpleTrees::List other = wide.best(goal, 5);
            ASSERT_EQ(one.derivations.size(), other.derivations.size()) << seed;
            for (std::size_t i = 0; i < one.derivations.size(); ++i) {
              EXPECT_EQ(one.derivations[i].text, other.derivations[i].text) << seed;
              EXPECT_TRUE(test::close(one.derivations[i].entry.weight, other.derivations[i].entry.weight));
            }
          }
        }
      }
    }
  }
}

// All expressions of a goal, by KBest, that are simple and hold every word.
TEST(SimpleTrees, ListsAreThoseOfAnExhaustiveSearch) {
  std::uint32_t seed = 100;
  for (const GrammarKind kind : kKinds) {
    for (const double zeros : {0.0, 0.5, 1.1}) {  // 1.1: uniform rows, many ties
      const AttentionGrammar grammar(
          random_input(kind, kind == GrammarKind::recurrence ? 4 : 3, 2, zeros, ++seed));
      KBest all(grammar, {.limit = 1'000'000});
      SimpleTrees exact(grammar, SimpleSearch::exact);
      SimpleTrees projective(grammar, SimpleSearch::projective);
      for (std::int32_t word = -1; word < grammar.word_count(); ++word) {
        const Goal goal = word < 0 ? Goal::top() : Goal::of_word(2, word);
        const KBestList list = all.list(goal, 1'000'000);
        ASSERT_TRUE(list.exhausted);
        std::vector<KBestEntry> simple;
        std::map<std::int32_t, double> by_order;
        for (const KBestEntry& entry : list.entries) {
          if (entry.simple) {
            by_order.try_emplace(entry.order, entry.weight);
            if (entry.order == grammar.word_count()) {
              simple.push_back(entry);
            }
          }
        }
        const SimpleTrees::List found = exact.best(goal, 1'000'000);
        EXPECT_FALSE(found.ended_by_limit);
        ASSERT_EQ(found.derivations.size(), simple.size()) << seed << ' ' << word;
        for (std::size_t i = 0; i < simple.size(); ++i) {
          EXPECT_EQ(found.derivations[i].text, all.text(simple[i])) << seed << ' ' << word << ' ' << i;
          EXPECT_TRUE(test::close(found.derivations[i].entry.weight, simple[i].weight));
          EXPECT_EQ(found.derivations[i].entry.rank, static_cast<std::int32_t>(i) + 1);
        }
        const auto orders = exact.each_order(goal, 99);
        ASSERT_EQ(orders.size(), static_cast<std::size_t>(grammar.word_count()));
        for (std::size_t k = 0; k < orders.size(); ++k) {
          const auto expected = by_order.find(static_cast<std::int32_t>(k) + 1);
          ASSERT_EQ(orders[k].has_value(), expected != by_order.end());
          if (orders[k]) {
            EXPECT_TRUE(test::close(orders[k]->entry.weight, expected->second));
            EXPECT_EQ(orders[k]->entry.order, static_cast<std::int32_t>(k) + 1);
            EXPECT_TRUE(orders[k]->entry.simple);
          }
        }
        // Projective: a part of the list, in the same order.
        std::size_t place = 0;
        for (const Derivation& tree : projective.best(goal, 1'000'000).derivations) {
          while (place < found.derivations.size() && found.derivations[place].text != tree.text) {
            ++place;
          }
          EXPECT_LT(place, found.derivations.size()) << tree.text;
        }
      }
    }
  }
}

TEST(SimpleTrees, BeamOfLongSentencesIsNeverBelowTheProjectiveTree) {
  for (const std::string& file : test::grammar_cases("_large.json")) {
    const json golden = test::read_json(file);
    const AttentionGrammar grammar(test::grammar_input(golden.at("input")));
    SimpleTrees beam(grammar, SimpleSearch::beam, {.beam = 8});
    SimpleTrees projective(grammar, SimpleSearch::projective);
    const double least = weight(projective, Goal::top());
    const SimpleTrees::List found = beam.best(Goal::top(), 3);
    EXPECT_EQ(found.derivations.empty(), least == 0) << file;
    for (const Derivation& tree : found.derivations) {
      EXPECT_TRUE(tree.entry.simple);
      EXPECT_EQ(tree.entry.order, grammar.word_count());
    }
    if (!found.derivations.empty()) {
      EXPECT_GE(found.derivations.front().entry.weight, least * (1 - 1e-12)) << file;
    }
  }
}

GrammarInput long_input(GrammarKind kind, std::size_t words, std::int64_t layers) {
  GrammarInput input{.kind = kind, .words = {}, .layers = layers};
  std::uint64_t state = 7;
  const auto next = [&state] {  // in (0, 1)
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (static_cast<double>(state >> 33) + 1) / 2147483650.0;
  };
  for (std::size_t word = 0; word < words; ++word) {
    input.words.push_back("w" + std::to_string(word));
  }
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    if (is_recurrent(kind)) {
      for (auto* const values : {&input.z, &input.sigma_h, &input.z_backward, &input.sigma_backward}) {
        values->emplace_back(words);
        std::generate(values->back().begin(), values->back().end(), next);
      }
      continue;
    }
    auto& maps = input.attention.emplace_back();
    for (std::size_t part = 0; part < (kind == GrammarKind::attention ? 1U : 3U); ++part) {
      auto& map = maps.emplace_back();
      for (std::size_t row = 0; row < words; ++row) {
        double sum = 0;
        for (std::size_t i = 0; i < words; ++i) {
          map.push_back(next());
          sum += map.back();
        }
        for (std::size_t i = 0; i < words; ++i) {
          map[row * words + i] /= sum;
        }
      }
    }
    if (kind == GrammarKind::order_groups) {
      input.gate.emplace_back(words, 0.5);
    }
  }
  return input;
}

// Sentences that no chart of stretches takes: whole trees are still found, every word once.
TEST(SimpleTrees, BeamsOfVeryLongSentencesFindWholeTrees) {
  struct Long {
    GrammarKind kind;
    std::size_t words;
    std::int64_t layers;
  };
  for (const Long& one : {Long{GrammarKind::attention, 280, 10}, Long{GrammarKind::order_groups, 230, 9},
                          Long{GrammarKind::recurrence, 400, 3}, Long{GrammarKind::two_directions, 240, 3},
                          Long{GrammarKind::two_directions, 241, 3}}) {
    const AttentionGrammar grammar(long_input(one.kind, one.words, one.layers));
    // Of two directions: the whole sentence forwards, and (241 words) backwards.
    const bool first = one.words == 241;
    const Goal goal = Goal::of_word(one.layers, first ? 0 : grammar.word_count() - 1);
    const SimpleTreesOptions options{.beam = 2, .goals = {goal}};
    const BeamPlan plan = SimpleTrees::beam_plan(grammar, options);
    EXPECT_NE(plan.seeds, BeamPlan::Seeds::projective);
    SimpleTrees trees(grammar, SimpleSearch::beam, options);
    const SimpleTrees::List found = trees.best(goal, 3);
    ASSERT_FALSE(found.derivations.empty()) << name(one.kind);
    double before = 0;
    for (const Derivation& tree : found.derivations) {
      EXPECT_TRUE(tree.entry.simple);
      EXPECT_EQ(tree.entry.order, grammar.word_count());
      EXPECT_LE(tree.entry.depth, is_recurrent(one.kind) ? grammar.word_count() : one.layers);
      EXPECT_TRUE(std::isfinite(tree.entry.log_weight));
      EXPECT_TRUE(before == 0 || tree.entry.log_weight <= before + 1e-9);
      before = tree.entry.log_weight;
    }
  }
}

// Where all stretches can be tried, the trees of blocks are among them: never above, and found by the beam.
TEST(SimpleTrees, TreesOfBlocksAreNoBetterThanThoseOfStretches) {
  const AttentionGrammar grammar(long_input(GrammarKind::order_groups, 40, 7));
  for (const Goal& goal : {Goal::top(), Goal::of_word(7, 11)}) {
    const std::int32_t goals[] = {goal.is_top() ? grammar.top_symbol() : grammar.r_symbol(7, 11)};
    const CellSeeds seeds = block_trees(grammar, goals, {});
    const auto chart = make_beam_chart(grammar, {.beam = 1, .most_order = 1}, seeds, {});
    const std::int64_t whole = chart->whole(goals[0]);
    ASSERT_GE(whole, 0);
    SimpleTrees projective(grammar, SimpleSearch::projective);
    const double best = projective.best(goal, 1).derivations.front().entry.log_weight;
    EXPECT_LE(chart->score(whole), best + 1e-9);
    EXPECT_GE(chart->score(whole), best - 40 * std::log(40.0));
    SimpleTrees beam(grammar, SimpleSearch::beam, {.beam = 4});
    EXPECT_GE(beam.best(goal, 1).derivations.front().entry.log_weight, best - 1e-9);
  }
}

// Sets of few words are kept as before: the cap of orders changes nothing below it.
TEST(SimpleTrees, OrdersBelowTheCapAreThoseOfTheWholeChart) {
  const AttentionGrammar grammar(long_input(GrammarKind::order_groups, 9, 3));
  SimpleTrees exact(grammar, SimpleSearch::exact);
  SimpleTrees capped(grammar, SimpleSearch::beam, {.beam = 4096, .most_order = 4});
  const auto all = exact.each_order(Goal::top(), 4);
  const auto some = capped.each_order(Goal::top(), 4);
  ASSERT_EQ(some.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    ASSERT_TRUE(some[i].has_value());
    EXPECT_NEAR(some[i]->entry.log_weight, all[i]->entry.log_weight, 1e-9);
    EXPECT_EQ(some[i]->text, all[i]->text);
  }
}

TEST(SimpleTrees, SearchesTellHowFarTheyAreAndStop) {
  const AttentionGrammar grammar(long_input(GrammarKind::order_groups, 20, 5));
  std::stop_source stop;
  std::int64_t calls = 0;
  SearchControl control{.stop = stop.get_token(),
                        .progress = [&](std::string_view, std::int64_t done, std::int64_t total) {
                          ++calls;
                          EXPECT_LE(done, total);
                        }};
  SimpleTrees(grammar, SimpleSearch::beam, {.beam = 2, .control = control});
  BestByLeaves(grammar, 30, control);
  EXPECT_GT(calls, 3);
  stop.request_stop();
  EXPECT_THROW(SimpleTrees(grammar, SimpleSearch::beam, {.beam = 2, .control = control}), Interrupted);
  EXPECT_THROW(SimpleTrees(grammar, SimpleSearch::projective, {.control = control}), Interrupted);
  EXPECT_THROW(BestByLeaves(grammar, 30, control), Interrupted);
}

TEST(SimpleTrees, LimitsNameWhatElseThereIs) {
  const auto uniform = [](std::size_t words) {
    GrammarInput input{
        .kind = GrammarKind::attention, .words = std::vector<std::string>(words, "w"), .layers = 1};
    input.attention = {{std::vector<double>(words * words, 1.0 / static_cast<double>(words))}};
    return AttentionGrammar(std::move(input));
  };
  const AttentionGrammar thirteen = uniform(13);
  try {
    SimpleTrees trees(thirteen, SimpleSearch::exact);
    ADD_FAILURE();
  } catch (const UsageError& error) {
    for (const std::string word : {"13 words", "at most 12", "beam", "projective"}) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  }
  const AttentionGrammar wide = uniform(700);
  try {
    SimpleTrees trees(wide, SimpleSearch::projective);
    ADD_FAILURE();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("take beam"), std::string::npos) << error.what();
  }
  EXPECT_THROW(SimpleTrees(thirteen, SimpleSearch::beam, {.beam = 0}), UsageError);
  EXPECT_THROW(SimpleTrees(wide, SimpleSearch::beam, {.beam = 10'000'000}), UsageError);
  SimpleTrees beam(thirteen, SimpleSearch::beam);
  EXPECT_TRUE(beam.best(Goal::top(), 1).derivations.empty());  // one layer joins two words
  EXPECT_THROW(beam.best(Goal::top(), 0), UsageError);
  EXPECT_THROW(beam.over(Goal::top(), 0, 1), UsageError);
}

}  // namespace
}  // namespace mog::analysis
