#include "analysis/ensembles/head_ensembles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "analysis/ensembles/ensemble_weights.h"
#include "analysis/ensembles/labelled_trees.h"
#include "io/recording/errors.h"
#include "tests/support/places.h"

namespace mog::analysis {
namespace {

constexpr std::int32_t kUnits = 6;

// Unit 1 attends from dependents of relation 0 to their heads, unit 4 from heads to dependents of relation 1.
std::vector<AnnotatedSentence> planted(int sentences, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<AnnotatedSentence> result;
  for (int round = 0; round < sentences; ++round) {
    const auto words = static_cast<std::int32_t>(3 + random() % 6);
    AnnotatedSentence sentence;
    for (std::int32_t word = 0; word < words; ++word) {
      sentence.tree.heads.push_back(
          word == 0 ? 0 : static_cast<std::int32_t>(1 + random() % static_cast<unsigned>(word)));
      sentence.tree.relations.push_back(static_cast<std::int32_t>(random() % 2));
      sentence.tree.tags.push_back(static_cast<std::int32_t>(random() % 2));
    }
    sentence.maps = {kUnits, words, {}};
    for (std::int32_t unit = 0; unit < kUnits; ++unit) {
      for (std::int32_t query = 0; query < words; ++query) {
        for (std::int32_t key = 0; key < words; ++key) {
          const auto is_edge = [&](std::int32_t dependent, std::int32_t head, std::int32_t relation) {
            return sentence.tree.heads[static_cast<std::size_t>(dependent)] == head + 1 &&
                   sentence.tree.relations[static_cast<std::size_t>(dependent)] == relation;
          };
          const bool edge = (unit == 1 && is_edge(query, key, 0)) || (unit == 4 && is_edge(key, query, 1));
          sentence.maps.values.push_back(edge ? 0.9F : 0.1F * static_cast<float>(random() % 1000) / 1000.0F);
        }
      }
    }
    result.push_back(std::move(sentence));
  }
  return result;
}

const HeadEnsemble& of(const std::vector<RelationHeads>& chosen, std::size_t relation, Attends attends) {
  return chosen.at(relation)[static_cast<std::size_t>(attends)];
}

TEST(HeadEnsembles, FindThePlantedHeads) {
  const std::vector<AnnotatedSentence> sentences = planted(30, 1);
  const std::vector<RelationHeads> chosen = choose_ensembles(sentences, 3);
  EXPECT_EQ(of(chosen, 0, Attends::dependent).units, std::vector<std::int32_t>{1});
  EXPECT_EQ(of(chosen, 0, Attends::dependent).accuracy, 1);
  EXPECT_EQ(of(chosen, 1, Attends::head).units.front(), 4);
  EXPECT_LT(of(chosen, 1, Attends::dependent).accuracy, 0.9);
  // A relation without an edge has no heads.
  EXPECT_EQ(of(chosen, 2, Attends::head), HeadEnsemble{});
}

// The definition, written once more over plain loops.
double accuracy_by_definition(const std::vector<AnnotatedSentence>& sentences, std::int32_t relation,
                              Attends attends, const std::vector<std::int32_t>& units) {
  int found = 0;
  int edges = 0;
  for (const AnnotatedSentence& sentence : sentences) {
    for (std::size_t word = 0; word < sentence.tree.heads.size(); ++word) {
      const std::int32_t head = sentence.tree.heads[word] - 1;
      if (head < 0 || sentence.tree.relations[word] != relation) {
        continue;
      }
      const auto dependent = static_cast<std::int32_t>(word);
      const std::int32_t from = attends == Attends::dependent ? dependent : head;
      const std::int32_t to = attends == Attends::dependent ? head : dependent;
      double best = -1;
      std::int32_t where = -1;
      for (std::int32_t other = 0; other < sentence.maps.words; ++other) {
        double sum = 0;
        for (const std::int32_t unit : units) {
          sum += sentence.maps.row(unit, from)[static_cast<std::size_t>(other)];
        }
        if (other != from && sum > best) {
          best = sum;
          where = other;
        }
      }
      found += where == to ? 1 : 0;
      ++edges;
    }
  }
  return edges == 0 ? 0 : static_cast<double>(found) / edges;
}

TEST(HeadEnsembles, EveryStepOfTheChoiceIsTheBestOfItsKind) {
  const std::vector<AnnotatedSentence> sentences = planted(25, 7);
  for (const std::int32_t most : {1, 2, 4}) {
    const std::vector<RelationHeads> chosen = choose_ensembles(sentences, 2, {.most = most});
    for (const std::int32_t relation : {0, 1}) {
      for (const Attends attends : kBothAttend) {
        const HeadEnsemble& ensemble = of(chosen, static_cast<std::size_t>(relation), attends);
        EXPECT_LE(std::ssize(ensemble.units), most);
        EXPECT_EQ(ensemble.accuracy, accuracy_by_definition(sentences, relation, attends, ensemble.units));
        // The first is the best single unit, and no ensemble is worse than it.
        for (std::int32_t unit = 0; unit < kUnits; ++unit) {
          const double alone = accuracy_by_definition(sentences, relation, attends, {unit});
          EXPECT_GE(ensemble.accuracy, alone);
          if (most == 1) {
            EXPECT_GE(accuracy_by_definition(sentences, relation, attends, {ensemble.units.front()}), alone);
          }
        }
      }
    }
  }
}

TEST(HeadEnsembles, OnlyCandidatesAreTried) {
  const std::vector<AnnotatedSentence> sentences = planted(25, 7);
  for (const RelationHeads& relation : choose_ensembles(sentences, 2, {.candidates = 1})) {
    EXPECT_EQ(relation[0].units.size(), 1U);
    EXPECT_EQ(relation[1].units.size(), 1U);
  }
}

TEST(HeadEnsembles, WhatDoesNotFitIsRefused) {
  std::vector<AnnotatedSentence> sentences = planted(3, 1);
  EXPECT_THROW(choose_ensembles(sentences, 1), ShapeError);  // relation 1 of 1
  EXPECT_THROW(choose_ensembles(sentences, 2, {.candidates = 0}), UsageError);
  sentences[1].tree.heads[1] = 99;
  EXPECT_THROW(choose_ensembles(sentences, 2), ShapeError);
  sentences = planted(3, 1);
  sentences[2].maps.values.pop_back();
  EXPECT_THROW(choose_ensembles(sentences, 2), ShapeError);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(choose_ensembles(planted(3, 1), 2, {.stop = stop.get_token()}), Interrupted);
}

LabelledEnsembles learnt_from(const std::vector<AnnotatedSentence>& sentences) {
  LabelledEnsembles ensembles;
  ensembles.table = RelationTable(2, 2);
  for (const AnnotatedSentence& sentence : sentences) {
    ensembles.table.add(sentence.tree);
  }
  for (RelationHeads& heads : choose_ensembles(sentences, 2)) {
    ensembles.relations.push_back({.heads = std::move(heads)});
  }
  return ensembles;
}

// Over all heads and relations that make a tree with one root.
double best_by_listing(const LabelledEnsembles& ensembles, const EdgeFeatures& features) {
  const EdgeScorer scorer(ensembles);
  std::vector<std::int32_t> heads(static_cast<std::size_t>(features.words), 0);
  std::vector<float> scores(2);
  double best = -1e30;
  while (true) {
    bool tree = std::count(heads.begin(), heads.end(), 0) == 1;
    double sum = 0;
    for (std::int32_t word = 0; tree && word < features.words; ++word) {
      std::int32_t above = word + 1;
      for (std::int32_t steps = 0; above != 0 && steps <= features.words; ++steps) {
        above = heads[static_cast<std::size_t>(above - 1)];
      }
      const std::int32_t head = heads[static_cast<std::size_t>(word)];
      tree = above == 0 && head != word + 1;
      if (tree && head == 0) {
        sum += scorer.root(features, word);
      } else if (tree) {
        scorer.scores(features, word, head - 1, scores);
        sum += std::max(scores[0], scores[1]);
      }
    }
    best = tree ? std::max(best, sum) : best;
    std::size_t place = 0;
    while (place < heads.size() && heads[place] == features.words) {
      heads[place++] = 0;
    }
    if (place == heads.size()) {
      return best;
    }
    ++heads[place];
  }
}

TEST(LabelledTrees, AreTheBestOfAllTrees) {
  std::vector<AnnotatedSentence> sentences = planted(40, 3);
  LabelledEnsembles ensembles = learnt_from(sentences);
  fit_weights(ensembles, sentences);
  int compared = 0;
  for (const AnnotatedSentence& sentence : sentences) {
    if (sentence.maps.words > 5) {
      continue;
    }
    const EdgeFeatures features =
        edge_features(ensembles, ensembles.table, sentence.maps, sentence.tree.tags);
    const LabelledTree tree = best_labelled_tree(ensembles, features);
    const EdgeScorer scorer(ensembles);
    double sum = 0;
    for (std::int32_t word = 0; word < sentence.maps.words; ++word) {
      const std::int32_t head = tree.heads[static_cast<std::size_t>(word)];
      const std::int32_t relation = tree.relations[static_cast<std::size_t>(word)];
      std::vector<float> scores(2);
      if (head == 0) {
        EXPECT_EQ(relation, -1);
        sum += scorer.root(features, word);
      } else {
        scorer.scores(features, word, head - 1, scores);
        sum += scores.at(static_cast<std::size_t>(relation));
      }
    }
    EXPECT_NEAR(sum, best_by_listing(ensembles, features), 1e-4);
    ++compared;
  }
  EXPECT_GT(compared, 5);
}

TEST(LabelledTrees, GiveThePlantedTreesBack) {
  const std::vector<AnnotatedSentence> sentences = planted(60, 5);
  LabelledEnsembles ensembles = learnt_from(sentences);
  fit_weights(ensembles, sentences);
  std::int64_t words = 0;
  std::int64_t right = 0;
  for (const AnnotatedSentence& sentence : planted(40, 99)) {
    const EdgeFeatures features =
        edge_features(ensembles, ensembles.table, sentence.maps, sentence.tree.tags);
    const LabelledTree tree = best_labelled_tree(ensembles, features);
    for (std::size_t word = 0; word < tree.heads.size(); ++word) {
      const bool root = sentence.tree.heads[word] == 0;
      words += 1;
      right += tree.heads[word] == sentence.tree.heads[word] &&
                       (root || tree.relations[word] == sentence.tree.relations[word])
                   ? 1
                   : 0;
    }
    // A word that is to be the root is it.
    const auto last = static_cast<std::int32_t>(tree.heads.size());
    EXPECT_EQ(best_labelled_tree(ensembles, features, last).heads.back(), 0);
  }
  EXPECT_GT(static_cast<double>(right) / static_cast<double>(words), 0.95);
}

// Of gold heads and relations, each sentence without its own counts in the table.
TEST(LabelledTrees, TheFitRaisesTheLikelihood) {
  const std::vector<AnnotatedSentence> sentences = planted(40, 11);
  const auto log_likelihood = [&](const LabelledEnsembles& ensembles) {
    double sum = 0;
    RelationTable others = ensembles.table;
    const EdgeScorer scorer(ensembles);
    std::vector<float> scores(2);
    for (const AnnotatedSentence& sentence : sentences) {
      others.remove(sentence.tree);
      const EdgeFeatures features = edge_features(ensembles, others, sentence.maps, sentence.tree.tags);
      others.add(sentence.tree);
      for (std::int32_t word = 0; word < sentence.maps.words; ++word) {
        double whole = std::exp(scorer.root(features, word));
        double gold = scorer.root(features, word);
        for (std::int32_t head = 0; head < sentence.maps.words; ++head) {
          if (head != word) {
            scorer.scores(features, word, head, scores);
            whole += std::exp(scores[0]) + std::exp(scores[1]);
            if (sentence.tree.heads[static_cast<std::size_t>(word)] == head + 1) {
              gold =
                  scores[static_cast<std::size_t>(sentence.tree.relations[static_cast<std::size_t>(word)])];
            }
          }
        }
        sum += gold - std::log(whole);
      }
    }
    return sum;
  };
  LabelledEnsembles published = learnt_from(sentences);
  weigh_by_accuracy(published, 1);
  LabelledEnsembles fitted = learnt_from(sentences);
  fit_weights(fitted, sentences);
  EXPECT_GT(log_likelihood(fitted), log_likelihood(published) + 10);
  LabelledEnsembles alone = learnt_from(sentences);
  fit_weights(alone, sentences, {.maps = false});
  EXPECT_EQ(alone.relations[0].weights[0], 0);
  EXPECT_EQ(alone.relations[1].weights[1], 0);
  EXPECT_LT(log_likelihood(alone), log_likelihood(fitted));
  EXPECT_THROW(fit_weights(alone, {}), UsageError);
}

TEST(LabelledTrees, PublishedWeightsByHand) {
  LabelledEnsembles ensembles;
  ensembles.relations.resize(2);
  ensembles.relations[0].heads[0].accuracy = 1;
  ensembles.relations[0].heads[1].accuracy = 0.5;
  weigh_by_accuracy(ensembles, 0);
  EXPECT_DOUBLE_EQ(ensembles.relations[0].weights[0], 32.0 / 33);
  EXPECT_DOUBLE_EQ(ensembles.relations[0].weights[1], 1.0 / 33);
  // No head found an edge of the other one: it is as unlikely as the least attention.
  EXPECT_EQ(ensembles.relations[1].weights[0], 0);
  EXPECT_DOUBLE_EQ(ensembles.relations[1].bias, std::log(0.001));
}

// tests/data/mog/head_ensembles.json: what the authors' programs choose and extract from maps that are drawn
// here and there alike (SplitMix64).
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

double drawn(std::initializer_list<std::int64_t> keys) {
  std::uint64_t x = 0;
  for (const std::int64_t key : keys) {
    x = mixed(x ^ static_cast<std::uint64_t>(key));
  }
  return static_cast<double>(x >> 40U) * 0x1p-24;
}

AnnotatedSentence drawn_sentence(std::int64_t seed, std::int64_t number, std::int32_t units,
                                 std::int32_t relations) {
  AnnotatedSentence sentence;
  AnnotatedTree& tree = sentence.tree;
  const auto words = static_cast<std::int32_t>(6 + static_cast<int>(drawn({seed, number, 1}) * 8));
  for (std::int32_t word = 0; word < words; ++word) {
    tree.heads.push_back(word == 0 ? 0
                                   : 1 + static_cast<std::int32_t>(drawn({seed, number, 2, word}) * word));
    tree.relations.push_back(static_cast<std::int32_t>(drawn({seed, number, 3, word}) * relations));
    tree.tags.push_back(0);
  }
  sentence.maps = {units, words, {}};
  for (std::int32_t unit = 0; unit < units; ++unit) {
    for (std::int32_t query = 0; query < words; ++query) {
      for (std::int32_t key = 0; key < words; ++key) {
        const std::int32_t dependent = unit % 2 == 0 ? key : query;
        const std::int32_t head = unit % 2 == 0 ? query : key;
        const bool edge = tree.heads[static_cast<std::size_t>(dependent)] == head + 1 &&
                          tree.relations[static_cast<std::size_t>(dependent)] == unit % relations;
        const double weight = drawn({seed, number, 4, unit, query, key}) + (edge ? 0.5 : 0);
        sentence.maps.values.push_back(static_cast<float>(weight / 32));
      }
    }
  }
  return sentence;
}

TEST(HeadEnsembles, TheAuthorsProgramsChooseAndExtractTheSame) {
  std::ifstream file(mog::test::data_dir() / "mog" / "head_ensembles.json");
  const nlohmann::json golden = nlohmann::json::parse(file);
  const auto units = golden["units"].get<std::int32_t>();
  const auto relations = golden["relations"].get<std::int32_t>();
  std::vector<AnnotatedSentence> sentences;
  for (std::int64_t number = 0; number < golden["sentences"].get<std::int64_t>(); ++number) {
    sentences.push_back(drawn_sentence(golden["seed"].get<std::int64_t>(), number, units, relations));
  }
  LabelledEnsembles ensembles;
  ensembles.table = RelationTable(1, relations);
  for (RelationHeads& heads : choose_ensembles(sentences, relations)) {
    const std::string relation = std::to_string(ensembles.relations.size());
    for (const Attends attends : kBothAttend) {
      const HeadEnsemble& ensemble = heads[static_cast<std::size_t>(attends)];
      const auto& expected =
          golden["ensembles"][relation + (attends == Attends::dependent ? "-d2p" : "-p2d")];
      EXPECT_EQ(ensemble.units, expected["units"].get<std::vector<std::int32_t>>());
      EXPECT_DOUBLE_EQ(ensemble.accuracy, expected["accuracy"].get<double>());
    }
    ensembles.relations.push_back({.heads = std::move(heads)});
  }
  weigh_by_accuracy(ensembles, 0);
  ASSERT_GT(golden["trees"].size(), 100U);
  for (const nlohmann::json& expected : golden["trees"]) {
    const AnnotatedSentence& sentence = sentences.at(expected["sentence"].get<std::size_t>());
    const LabelledTree tree = best_labelled_tree(
        ensembles, edge_features(ensembles, ensembles.table, sentence.maps, sentence.tree.tags), 1);
    EXPECT_EQ(tree.heads, expected["heads"].get<std::vector<std::int32_t>>()) << expected["sentence"];
    EXPECT_EQ(tree.relations, expected["relations"].get<std::vector<std::int32_t>>()) << expected["sentence"];
  }
}

TEST(RelationTable, CountsByHand) {
  AnnotatedTree tree{{2, 0, 2}, {0, 0, 1}, {0, 1, 0}};  // 0 <- 1 -> 0, tags A B A
  RelationTable table(2, 2);
  table.add(tree);
  // One pair (head B, dependent A, head after): an edge of relation 0. Backing off: A with its head after has
  // two pairs (B and the other A), of all six pairs one is of relation 0.
  std::vector<float> found(2);
  table.log_probabilities(1, 0, false, found);
  const double all = 2.0 / 8;
  const double side = (1 + 2 * all) / (2 + 2);
  EXPECT_NEAR(found[0], std::log((1 + 2 * side) / (1 + 2)), 1e-6);
  table.log_probabilities(-1, -1, false, found);
  EXPECT_NEAR(found[0], std::log(all), 1e-6);
  // One root among three words, one among the one with tag B.
  EXPECT_NEAR(table.log_root(1), std::log((1 + 2 * (2.0 / 5)) / (1 + 2)), 1e-9);
  EXPECT_NEAR(table.log_root(-1), std::log(2.0 / 5), 1e-9);
  const RelationTable again = RelationTable::of(2, 2, {table.pairs().begin(), table.pairs().end()},
                                                {table.words().begin(), table.words().end()});
  EXPECT_EQ(again, table);
  table.remove(tree);
  EXPECT_EQ(table, RelationTable(2, 2));
  EXPECT_THROW(RelationTable::of(2, 2, {}, {}), UsageError);
  tree.tags[0] = 5;
  EXPECT_THROW(table.add(tree), ShapeError);
}

}  // namespace
}  // namespace mog::analysis
