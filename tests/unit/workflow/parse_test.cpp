// Trees from scores, the graph that goes in, and the rounds between them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "app/workflow/graphs/decode_tree.h"
#include "app/workflow/graphs/parse_sentences.h"
#include "app/workflow/graphs/predicted_arcs.h"
#include "app/workflow/graphs/read_graphs.h"
#include "app/workflow/parse/parse_job.h"
#include "io/recording/errors.h"
#include "tests/support/fake_model.h"

namespace mog::app {
namespace {

using model::DependencyTree;
using model::GraphArc;

model::GraphConfig labelled(std::vector<std::string> labels, bool link_pieces = false) {
  model::GraphConfig graph;
  graph.labels = std::move(labels);
  graph.link_pieces = link_pieces;
  return graph;
}

// [CLS] and then one token a piece; pieces[w]: of word w.
Sentence sentence_of(const std::vector<int>& pieces) {
  Sentence sentence;
  sentence.tokens.push_back({"[CLS]", 0, -1, {}});
  for (std::size_t word = 0; word < pieces.size(); ++word) {
    sentence.words.push_back({"w" + std::to_string(word), {}});
    for (int piece = 0; piece < pieces[word]; ++piece) {
      sentence.tokens.push_back({"p", 5, static_cast<std::int64_t>(word), {}});
    }
  }
  sentence.tokens.push_back({"[SEP]", 1, -1, {}});
  return sentence;
}

TEST(DependencyArcs, OfATreeGoBothWaysAndPiecesHangOnTheirWord) {
  const Sentence sentence = sentence_of({1, 2, 1});  // tokens: CLS 1 2 3 4 SEP
  const DependencyTree tree{{2, 0, 2}, {0, 2, 1}};
  EXPECT_EQ(model::dependency_arcs(labelled({"a", "b", "root"}), sentence, tree),
            (std::vector<GraphArc>{{0, 2, 6}, {1, 2, 1}, {2, 0, 3}, {2, 1, 4}, {2, 4, 5}, {4, 2, 2}}));
  EXPECT_EQ(model::dependency_arcs(labelled({"a", "b", "root"}, true), sentence, {}),
            (std::vector<GraphArc>{{2, 3, 8}, {3, 2, 4}}));
  EXPECT_EQ(labelled({"a", "b", "root"}, true).relations(), 9);
  EXPECT_EQ(labelled({"a", "b", "root"}).relations(), 7);
}

TEST(DependencyArcs, ACycleOfTwoKeepsItsFirstArc) {
  const Sentence sentence = sentence_of({1, 1});
  EXPECT_EQ(model::dependency_arcs(labelled({"a", "b"}), sentence, {{2, 1}, {0, 1}}),
            (std::vector<GraphArc>{{1, 2, 1}, {2, 1, 3}}));
}

TEST(DependencyArcs, WithoutASpecialTokenThereIsNoRoot) {
  Sentence sentence = sentence_of({1, 1});
  sentence.tokens.erase(sentence.tokens.begin());
  sentence.tokens.pop_back();
  EXPECT_THROW(model::vertex_tokens(sentence), ModelError);
}

// Every tree of the words with one root, by brute force.
std::vector<std::vector<std::int32_t>> all_trees(std::int32_t words) {
  std::vector<std::vector<std::int32_t>> trees;
  std::vector<std::int32_t> heads(static_cast<std::size_t>(words), 0);
  const auto sound = [&] {
    std::int32_t roots = 0;
    for (std::int32_t word = 1; word <= words; ++word) {
      std::int32_t at = word;
      for (std::int32_t step = 0; at != 0 && step <= words; ++step) {
        at = heads[static_cast<std::size_t>(at) - 1];
      }
      if (at != 0) {
        return false;
      }
      roots += heads[static_cast<std::size_t>(word) - 1] == 0 ? 1 : 0;
    }
    return roots == 1;
  };
  while (true) {
    if (sound()) {
      trees.push_back(heads);
    }
    std::size_t at = 0;
    while (at < heads.size() && heads[at] == words) {
      heads[at++] = 0;
    }
    if (at == heads.size()) {
      return trees;
    }
    ++heads[at];
  }
}

TEST(DecodeTree, IsTheBestOfAllTrees) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal(0.0F, 2.0F);
  const model::GraphConfig graph = labelled({"a", "root", "b"});
  for (const std::vector<int>& pieces : {std::vector<int>{1}, {2, 1}, {1, 3, 1}, {1, 1, 2, 1}}) {
    const Sentence sentence = sentence_of(pieces);
    const std::vector<std::int64_t> tokens = model::vertex_tokens(sentence);
    const std::size_t size = sentence.tokens.size();
    for (int draw = 0; draw < 20; ++draw) {
      std::vector<float> arcs(size * size);
      std::vector<float> labels(3 * size * size);
      for (std::vector<float>* const values : {&arcs, &labels}) {
        for (float& value : *values) {
          value = normal(random);
        }
      }
      const auto score = [&](std::size_t word, std::int32_t head) {
        return static_cast<double>(arcs[static_cast<std::size_t>(tokens[word + 1]) * size +
                                        static_cast<std::size_t>(tokens[static_cast<std::size_t>(head)])]);
      };
      const auto words = static_cast<std::int32_t>(pieces.size());
      double best = -std::numeric_limits<double>::infinity();
      std::vector<std::int32_t> expected;
      for (const std::vector<std::int32_t>& heads : all_trees(words)) {
        double sum = 0.0;
        for (std::size_t word = 0; word < heads.size(); ++word) {
          double all = 0.0;
          for (std::int32_t head = 0; head <= words; ++head) {
            all += head == static_cast<std::int32_t>(word) + 1 ? 0.0 : std::exp(score(word, head));
          }
          sum += score(word, heads[word]) - std::log(all);
        }
        if (sum > best) {
          best = sum;
          expected = heads;
        }
      }
      const DecodedTree decoded = decode_tree(graph, sentence, arcs, labels);
      EXPECT_EQ(decoded.tree.heads, expected);
      double product = 0.0;
      for (std::size_t word = 0; word < expected.size(); ++word) {
        product += std::log(decoded.head_probabilities[word]);
        EXPECT_EQ(decoded.tree.labels[word] == 1, expected[word] == 0) << "root and no other is root";
        const std::size_t place = static_cast<std::size_t>(tokens[word + 1]) * size +
                                  static_cast<std::size_t>(tokens[static_cast<std::size_t>(expected[word])]);
        const auto label = static_cast<std::size_t>(decoded.tree.labels[word]);
        if (expected[word] != 0) {
          EXPECT_GE(labels[label * size * size + place], labels[(2 - label) * size * size + place]);
        }
      }
      EXPECT_NEAR(product, best, 1e-4);
    }
  }
}

// The best of those of all trees that have what is forced and not what is forbidden; where there is none, an
// error.
TEST(DecodeTree, ObeysArcsThatAreSet) {
  std::mt19937 random(11);
  std::normal_distribution<float> normal(0.0F, 2.0F);
  const model::GraphConfig graph = labelled({"a", "root", "b"});
  constexpr std::int32_t kWords = 4;
  const Sentence sentence = sentence_of({1, 2, 1, 1});
  const std::vector<std::int64_t> tokens = model::vertex_tokens(sentence);
  const std::size_t size = sentence.tokens.size();
  const std::vector<std::vector<std::int32_t>> trees = all_trees(kWords);
  int without = 0;
  for (int draw = 0; draw < 200; ++draw) {
    std::vector<float> arcs(size * size);
    std::generate(arcs.begin(), arcs.end(), [&] { return normal(random); });
    const std::vector<float> labels(3 * size * size, 0.0F);
    TreeConstraints set;
    const auto number = [&](std::int32_t low, std::int32_t high) {
      return std::uniform_int_distribution<std::int32_t>(low, high)(random);
    };
    for (std::int32_t word = 1; word <= kWords; ++word) {
      for (std::int32_t head = 0; head <= kWords; ++head) {
        if (head != word && number(0, 4) == 0) {
          set.forbidden.push_back({word, head});
        }
      }
      const std::int32_t head = number(0, kWords);
      const TreeArc arc{word, head};
      const bool second_root = head == 0 && std::any_of(set.forced.begin(), set.forced.end(),
                                                        [](const TreeArc& one) { return one.head == 0; });
      if (number(0, 3) == 0 && head != word && !second_root) {
        std::erase(set.forbidden, arc);
        set.forced.push_back(arc);
      }
    }
    // A word has its heads' scores less what all of them come to, which is the same in every tree.
    const auto score = [&](const std::vector<std::int32_t>& heads) {
      double sum = 0.0;
      for (std::size_t word = 0; word < heads.size(); ++word) {
        sum += static_cast<double>(
            arcs[static_cast<std::size_t>(tokens[word + 1]) * size +
                 static_cast<std::size_t>(tokens[static_cast<std::size_t>(heads[word])])]);
      }
      return sum;
    };
    const auto obeys = [&](const std::vector<std::int32_t>& heads) {
      const auto has = [&](const TreeArc& arc) {
        return heads[static_cast<std::size_t>(arc.dependent) - 1] == arc.head;
      };
      return std::all_of(set.forced.begin(), set.forced.end(), has) &&
             std::none_of(set.forbidden.begin(), set.forbidden.end(), has);
    };
    const std::vector<std::int32_t>* best = nullptr;
    for (const std::vector<std::int32_t>& heads : trees) {
      if (obeys(heads) && (best == nullptr || score(heads) > score(*best))) {
        best = &heads;
      }
    }
    if (best == nullptr) {
      ++without;
      EXPECT_THROW(decode_tree(graph, sentence, arcs, labels, {.constraints = &set}), ConstraintError)
          << draw;
      continue;
    }
    const DecodedTree decoded = decode_tree(graph, sentence, arcs, labels, {.constraints = &set});
    EXPECT_EQ(decoded.tree.heads, *best) << draw;
    for (const double probability : decoded.head_probabilities) {
      EXPECT_TRUE(probability > 0.0 && probability < 1.0) << "that of the scores, of a forced arc too";
    }
  }
  EXPECT_GT(without, 5);
  EXPECT_LT(without, 150);
}

TEST(DecodeTree, RefusesArcsThatContradictEachOther) {
  const Sentence sentence = sentence_of({1, 1, 1});
  const std::vector<float> arcs(25, 0.0F);
  const std::vector<float> labels(50, 0.0F);
  const auto decode = [&](TreeConstraints set) {
    return decode_tree(labelled({"a", "root"}), sentence, arcs, labels, {.constraints = &set});
  };
  EXPECT_NO_THROW(decode({.forced = {{1, 2}}, .forbidden = {{1, 3}}}));
  for (const TreeConstraints& set : {TreeConstraints{.forced = {{4, 1}}, .forbidden = {}},
                                     TreeConstraints{.forced = {{2, 2}}, .forbidden = {}},
                                     TreeConstraints{.forced = {}, .forbidden = {{1, 4}}},
                                     TreeConstraints{.forced = {{1, 2}, {1, 3}}, .forbidden = {}},
                                     TreeConstraints{.forced = {{1, 0}, {2, 0}}, .forbidden = {}},
                                     TreeConstraints{.forced = {{1, 2}}, .forbidden = {{1, 2}}},
                                     TreeConstraints{.forced = {{1, 2}, {2, 1}}, .forbidden = {}}}) {
    EXPECT_THROW(decode(set), ConstraintError);
  }
  EXPECT_EQ(parse_tree_arc("--force", "7:2"), (TreeArc{7, 2}));
  EXPECT_EQ(tree_arc_text({2, 0}), "2:0");
  for (const char* const text : {"", "7", "7:", ":2", "7:2:1", "0:1", "a:b", "1:-1", "7:2 "}) {
    EXPECT_THROW(parse_tree_arc("--force", text), UsageError) << text;
  }
}

TEST(DecodeTree, ScoresThatAreNoNumbersAreNotTheFaultOfTheArcs) {
  const Sentence sentence = sentence_of({1, 1, 1});
  const std::vector<float> arcs(25, std::numeric_limits<float>::quiet_NaN());
  const TreeConstraints set{.forced = {{1, 2}}, .forbidden = {}};
  try {
    decode_tree(labelled({"a", "root"}), sentence, arcs, std::vector<float>(50), {.constraints = &set});
    FAIL() << "no tree has such scores";
  } catch (const UsageError& error) {
    EXPECT_EQ(dynamic_cast<const ConstraintError*>(&error), nullptr) << error.what();
  }
}

TEST(DecodeTree, WordsWithoutATokenHangOnThoseBefore) {
  const auto decoded_without = [](std::vector<std::size_t> gone, std::size_t words) {
    Sentence sentence = sentence_of(std::vector<int>(words, 1));
    std::erase_if(sentence.tokens, [&](const Token& token) {
      return std::find(gone.begin(), gone.end(), static_cast<std::size_t>(token.word) + 1) != gone.end();
    });
    const std::size_t size = sentence.tokens.size();
    const std::vector<float> arcs(size * size, 0.0F);
    std::vector<float> labels = arcs;
    labels.insert(labels.end(), arcs.begin(), arcs.end());
    return decode_tree(labelled({"a", "dep"}), sentence, arcs, labels);
  };
  const DecodedTree middle = decoded_without({2}, 3);
  EXPECT_EQ(middle.tree.heads[1], 1);
  EXPECT_EQ(middle.tree.labels[1], 1);
  EXPECT_EQ(middle.head_probabilities[1], 0.0);
  EXPECT_NE(middle.tree.heads[2], 2);
  // Leading ones on the word of the root; one of the others is that.
  const DecodedTree leading = decoded_without({1, 2}, 4);
  const auto root =
      std::find(leading.tree.heads.begin(), leading.tree.heads.end(), 0) - leading.tree.heads.begin();
  ASSERT_GE(root, 2);
  EXPECT_EQ(leading.tree.heads[0], root + 1);
  EXPECT_EQ(leading.tree.heads[1], root + 1);
  EXPECT_EQ(decoded_without({1, 2, 3}, 3).tree.heads, (std::vector<std::int32_t>{0, 1, 2}));
  EXPECT_TRUE(decoded_without({}, 0).tree.heads.empty());
  const Sentence three = sentence_of({1, 1, 1});
  EXPECT_THROW(decode_tree(labelled({"a", "b"}), three, std::vector<float>(25), std::vector<float>(25)),
               ShapeError);
}

// Answers each graph with scores that lead to the next tree of a list; -1: the tree that it read.
class ScriptedParser final : public model::Model {
 public:
  explicit ScriptedParser(std::vector<DependencyTree> script) : script_(std::move(script)) {
    config_.encoder.kind = model::EncoderKind::transformer;
    config_.encoder.graph_input.emplace();
    config_.graph = labelled({"a", "root"});
    config_.graph->refinements = 5;
    config_.encoder.graph_input->relations = config_.graph->relations();
    config_.vocab_size = 8;
  }
  const model::ModelConfig& config() const override { return config_; }
  const ModelCard& card() const override { return card_; }
  std::string device() const override { return "cpu"; }
  std::vector<QuantitySchema> quantities() const override { return model::quantities(config_); }
  void run(const model::PackedBatch& batch, std::span<const model::Intervention>,
           std::span<model::Observer* const> observers) const override {
    seen_.push_back(batch);
    for (const char* const head : {"arcs", "labels"}) {
      const std::size_t classes = head == std::string("labels") ? 2 : 1;
      std::vector<float> values;
      model::PackedValues packed;
      packed.offsets = {0};
      for (std::int64_t s = 0; s < batch.sentences(); ++s) {
        const auto size = static_cast<std::size_t>(batch.length(s));
        std::vector<float> own(classes * size * size, 0.0F);
        const DependencyTree& tree = script_[std::min(round_of(batch, s), script_.size() - 1)];
        for (std::size_t word = 0; word < tree.heads.size(); ++word) {
          const std::size_t place = (word + 1) * size + static_cast<std::size_t>(tree.heads[word]);
          own[classes == 1 ? place : static_cast<std::size_t>(tree.labels[word]) * size * size + place] =
              9.0F;
        }
        values.insert(values.end(), own.begin(), own.end());
        packed.offsets.push_back(static_cast<std::int64_t>(values.size()));
      }
      packed.values = HostTensor::of<float>({static_cast<std::int64_t>(values.size())}, values);
      for (model::Observer* const observer : observers) {
        if (observer->wants(QuantityName::pair_scores(head))) {
          observer->observe(QuantityName::pair_scores(head), packed);
        }
      }
    }
  }
  std::vector<std::vector<model::Hypothesis>> translate(const model::PackedBatch&, const model::BeamOptions&,
                                                        std::stop_token) const override {
    return {};
  }
  const std::vector<model::PackedBatch>& seen() const { return seen_; }

 private:
  // Which tree of the script the graph is that sentence s reads: the round.
  std::size_t round_of(const model::PackedBatch& batch, std::int64_t s) const {
    const std::int64_t first = batch.offsets[static_cast<std::size_t>(s)];
    std::vector<GraphArc> own;
    for (const GraphArc& arc : batch.arcs) {
      if (arc.query >= first && arc.query < first + batch.length(s)) {
        own.push_back({arc.query - first, arc.key - first, arc.relation});
      }
    }
    const Sentence sentence = sentence_of(std::vector<int>(static_cast<std::size_t>(batch.length(s)) - 2, 1));
    for (std::size_t at = 0; at < script_.size(); ++at) {
      if (own == model::dependency_arcs(*config_.graph, sentence, script_[at])) {
        return at + 1;
      }
    }
    return 0;
  }
  std::vector<DependencyTree> script_;
  model::ModelConfig config_;
  ModelCard card_;
  mutable std::vector<model::PackedBatch> seen_;
};

const std::vector<DependencyTree> kScript = {
    {{2, 0, 2}, {0, 1, 0}}, {{3, 0, 2}, {0, 1, 0}}, {{2, 3, 0}, {0, 0, 1}}};

TEST(ParseSentences, RoundsEndWhenTheTreeStays) {
  const ScriptedParser parser(kScript);
  const std::vector<Sentence> sentences = {sentence_of({1, 1, 1})};
  const std::vector<Parse> parses = parse_sentences(parser, sentences);
  ASSERT_EQ(parses.size(), 1U);
  EXPECT_EQ(parses[0].rounds, (std::vector<DependencyTree>{kScript[0], kScript[1], kScript[2], kScript[2]}));
  EXPECT_EQ(parses[0].best.tree, kScript[2]);
  EXPECT_TRUE(parses[0].settled);
  EXPECT_TRUE(parser.seen()[0].arcs.empty());
  EXPECT_EQ(parser.seen().size(), 4U);
}

TEST(ParseSentences, RefinementsAreAtMostThoseAskedFor) {
  const ScriptedParser parser(kScript);
  const std::vector<Sentence> sentences = {sentence_of({1, 1, 1}), sentence_of({1, 1, 1})};
  const std::vector<Parse> once = parse_sentences(parser, sentences, {.refinements = 0});
  EXPECT_EQ(once[1].best.tree, kScript[0]);
  EXPECT_FALSE(once[1].settled);
  const std::vector<Parse> twice = parse_sentences(parser, sentences, {.refinements = 1});
  EXPECT_EQ(twice[0].best.tree, kScript[1]);
}

TEST(ParseSentences, WhatIsSetIsReadInTheNextRound) {
  const ScriptedParser parser(kScript);
  const std::vector<Sentence> sentences = {sentence_of({1, 1, 1})};
  const TreeConstraints set{.forced = {{1, 3}}, .forbidden = {}};
  const std::vector<Parse> parses =
      parse_sentences(parser, sentences, {.refinements = 1, .constraints = {set}, .look_at_rounds = true});
  ASSERT_EQ(parses[0].rounds.size(), 2U);
  EXPECT_EQ(parses[0].rounds[0].heads, (std::vector<std::int32_t>{3, 0, 2}));
  EXPECT_EQ(parser.seen()[1].arcs,
            model::dependency_arcs(*parser.config().graph, sentences[0], parses[0].rounds[0]));
  ASSERT_EQ(parses[0].looked_at.size(), 2U);
  const ArcTable& table = parses[0].looked_at[0].arcs;
  EXPECT_GT(table.probabilities[table.at(2, 1)], 0.99);  // what the scores say stays
  EXPECT_EQ(table.labels[table.at(0, 2)], 1);
  EXPECT_TRUE(std::isnan(table.probabilities[table.at(2, 2)]));
}

// What is recorded of a parser is its last round, with the graph that it reads there.
TEST(ReadGraphs, AreThoseOfTheLastRound) {
  const ScriptedParser parser(kScript);
  const Sentence sentence = sentence_of({1, 1, 1});
  const std::vector<std::vector<GraphArc>> graphs = read_graphs(parser, {{sentence}});
  ASSERT_EQ(graphs.size(), 1U);
  EXPECT_EQ(graphs[0], model::dependency_arcs(*parser.config().graph, sentence, kScript[2]));
  EXPECT_TRUE(read_graphs(test::FakeModel(), {{sentence}})[0].empty());
}

TEST(ParsedText, IsATreebankWithTheTreeAndKeepsTheRest) {
  const ScriptedParser parser(kScript);
  Sentence sentence = sentence_of({1, 1, 1});
  sentence.number = 7;
  sentence.text = "w0 w1w2";
  sentence.words[0].bytes = {0, 2};
  sentence.words[1].bytes = {3, 5};
  sentence.words[2].bytes = {5, 7};
  const std::vector<Parse> parses = parse_sentences(parser, {{sentence}});
  const std::string text = parsed_text(ParseFormat::conllu, *parser.config().graph, sentence, parses[0]);
  EXPECT_NE(text.find("# text = w0 w1w2\n1\tw0\t_\t_\t_\t_\t2\ta\t_\tHeadProb="), std::string::npos) << text;
  EXPECT_NE(text.find("2\tw1\t_\t_\t_\t_\t3\ta\t_\tSpaceAfter=No|HeadProb="), std::string::npos) << text;
  const std::string trace = trace_text(*parser.config().graph, sentence, parses[0]);
  EXPECT_NE(trace.find("\"changed\":[1]"), std::string::npos) << trace;
  EXPECT_NE(trace.find("\"settled\":true"), std::string::npos);
}

TEST(PredictedArcs, AreThoseOfEachSentencesBestTree) {
  const model::GraphConfig graph = labelled({"a", "root"});
  const Sentence one = sentence_of({1, 1, 1});
  const Sentence two = sentence_of({1});
  model::PairScores scores;
  scores.area = {0, 25, 34};
  std::vector<float>& arcs = scores.values["arcs"];
  std::vector<float>& labels = scores.values["labels"];
  arcs.assign(34, 0.0F);
  labels.assign(68, 0.0F);
  for (std::size_t word = 0; word < 3; ++word) {
    arcs[(word + 1) * 5 + static_cast<std::size_t>(kScript[0].heads[word])] = 9.0F;
  }
  std::vector<GraphArc> expected = model::dependency_arcs(graph, one, kScript[0]);
  for (const GraphArc& arc : model::dependency_arcs(graph, two, {{0}, {1}})) {
    expected.push_back({arc.query + 5, arc.key + 5, arc.relation});
  }
  EXPECT_EQ(predicted_arcs(graph, {&one, &two}, scores), expected);
}

}  // namespace
}  // namespace mog::app
