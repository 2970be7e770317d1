#include "app/workflow/trees/trees_job.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/figure_data/derivation_figures.h"
#include "app/workflow/record/live_run.h"
#include "app/workflow/trees/grammar_options.h"
#include "app/workflow/trees/join_facts.h"
#include "io/recording/errors.h"
#include "tests/unit/workflow/recorded_corpus.h"

namespace mog::app {
namespace {

std::shared_ptr<MemoryRecording> sentence(const std::string& text) {
  CaptureSet captures;
  captures.names = {CaptureName::attention, CaptureName::gates, CaptureName::summary};
  captures.store = DType::float32;
  return record_sentence(test::fake_loaded(), text, captures);
}

TEST(TreesJob, ListsTheBestGraphsOfTheSentence) {
  const auto recording = sentence("the dog saw the cat");
  const SentenceTrees trees = find_trees(*recording, 0, {.top = 4});
  EXPECT_EQ(trees.goal, "TOP");
  ASSERT_EQ(trees.derivations.size(), 4U);
  for (std::size_t i = 1; i < trees.derivations.size(); ++i) {
    EXPECT_LE(trees.derivations[i].entry.weight, trees.derivations[i - 1].entry.weight * (1 + 1e-12));
    EXPECT_NE(trees.derivations[i].text, trees.derivations[i - 1].text);
  }
  double sum = trees.leaves.tail;
  for (const double mass : trees.leaves.probability) {
    sum += mass;
  }
  EXPECT_NEAR(sum, 1.0, 1e-9);
}

TEST(TreesJob, OwnerSelectsTheSymbolOfAWord) {
  const auto recording = sentence("the dog saw the cat");
  EXPECT_EQ(find_trees(*recording, 0, {.owner = "the@4"}).goal, "R[3,4]");
  EXPECT_EQ(find_trees(*recording, 0, {.layer = 2, .owner = "dog"}).goal, "R[2,2]");
}

TEST(TreesJob, ByOrderGivesOneGraphForEachNumberOfLeaves) {
  const auto recording = sentence("the dog saw the cat");
  const SentenceTrees trees = find_trees(*recording, 0, {.mode = TreesMode::by_leaves, .top = 5});
  ASSERT_EQ(trees.derivations.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(trees.derivations[i].entry.leaves, static_cast<std::int64_t>(i + 1));
  }
  const SentenceTrees best = find_trees(*recording, 0, {.top = 1});
  EXPECT_LE(trees.derivations[2].entry.weight, best.derivations[0].entry.weight * (1 + 1e-12));
  EXPECT_THROW(parse_trees_mode("best"), UsageError);
}

// What is said to carry a graph on is the product of the gates' other sides, and a join is attention × share.
TEST(TreesJob, JoinsAndCarryingAreThoseOfTheGrammar) {
  const auto recording = sentence("the dog saw the cat");
  TreeSearch search(*recording, 0);
  const analysis::AttentionGrammar& grammar = *search.grammar();
  const analysis::Goal goal = analysis::Goal::of_word(3, 1);
  int joins = 0;
  for (const analysis::Derivation& derivation : search.best_by_leaves(goal, 5).derivations) {
    const analysis::FigureData figure =
        analysis::tree_figure(derivation, grammar.words(), goal.last_layer(grammar.layers()), {}, &grammar);
    const auto& tree = std::get<analysis::TreeFigure>(figure.body);
    double carried = 1;
    for (std::int64_t layer = derivation.root().layer + 1; layer <= 3; ++layer) {
      carried *= 1 - grammar.input().gate[static_cast<std::size_t>(layer - 1)][1];
    }
    EXPECT_NEAR(tree.carried_weight, carried, 1e-12);
    for (std::int64_t node = 0; node < std::ssize(derivation.nodes); ++node) {
      const auto facts = join_facts(*recording, 0, *search.about(), grammar, derivation, tree, node);
      const analysis::DerivationNode& one = derivation.nodes[static_cast<std::size_t>(node)];
      ASSERT_EQ(facts == nullptr, one.is_leaf());
      if (facts == nullptr) {
        continue;
      }
      ++joins;
      EXPECT_NEAR(facts->attention.value() * facts->share.value(), facts->weight, 1e-12);
      EXPECT_EQ(facts->query, one.word);
      EXPECT_EQ(facts->key, one.target);
      EXPECT_EQ(facts->left_words.front(), one.word);
      EXPECT_EQ(facts->right_words.front(), one.target);
      EXPECT_LT(facts->left_layer, facts->layer);
      EXPECT_FALSE(facts->tuple.empty());
      EXPECT_TRUE(same_join(*facts, *facts));
      EXPECT_GT(facts->gate.value(), 0);
      // Heads hold the special tokens, too: their mean is the attention before these are taken out.
      const auto layer = static_cast<std::size_t>(facts->layer - 1);
      const auto parts = grammar.parts();
      const auto part =
          static_cast<std::size_t>(std::find(parts.begin(), parts.end(), facts->part) - parts.begin());
      const double kept =
          1 - search.about()->dropped.at(layer).at(part).at(static_cast<std::size_t>(facts->query));
      double mean = 0;
      for (const double head : facts->heads) {
        mean += head / static_cast<double>(facts->heads.size());
      }
      ASSERT_FALSE(facts->heads.empty());
      EXPECT_NEAR(mean, facts->attention.value() * kept, 1e-6);
    }
  }
  EXPECT_GT(joins, 5);
}

TEST(TreesJob, WholeTreesStateWhatTheyPromise) {
  const auto recording = sentence("the dog saw the cat");
  double most = 0;
  for (const TreesMode mode : {TreesMode::exact, TreesMode::beam, TreesMode::projective}) {
    const SentenceTrees trees = find_trees(*recording, 0, {.mode = mode, .top = 3});
    ASSERT_EQ(trees.derivations.size(), 3U) << name(mode);
    const analysis::KBestEntry& best = trees.derivations[0].entry;
    EXPECT_TRUE(best.simple);
    EXPECT_EQ(best.order, 5);
    most = mode == TreesMode::exact ? best.weight : most;
    EXPECT_LE(best.weight, most * (1 + 1e-12));
    EXPECT_EQ(trees.guarantee.starts_with("inexact"), mode == TreesMode::beam) << trees.guarantee;
    EXPECT_NE(trees.print(analysis::GraphFormat::text).find("guarantee: " + trees.guarantee),
              std::string::npos);
    const SentenceTrees orders = find_trees(*recording, 0, {.mode = mode, .top = 4, .each_order = true});
    ASSERT_EQ(orders.derivations.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(orders.derivations[i].entry.order, static_cast<std::int32_t>(i) + 1);
    }
  }
  EXPECT_THROW(find_trees(*recording, 0, {.each_order = true}), UsageError);
  EXPECT_THROW(find_trees(*sentence("a b c d e f g h i j k l m"), 0, {.mode = TreesMode::exact}), UsageError);
  const SentenceTrees none = find_trees(*sentence("a b c d e f g h i"), 0, {.mode = TreesMode::exact});
  EXPECT_TRUE(none.derivations.empty());  // three layers join eight words
  ASSERT_EQ(none.notes.size(), 1U);
  EXPECT_NE(none.notes[0].find("3 layers join 8"), std::string::npos) << none.notes[0];
}

TEST(TreesJob, EveryWordInOneRunIsWhatEachGivesByItself) {
  const auto recording = sentence("the dog saw");
  for (const TreesMode mode : {TreesMode::free, TreesMode::by_leaves, TreesMode::beam}) {
    const TreesOptions options{.mode = mode, .top = 3, .owner = "all"};
    const std::vector<SentenceTrees> all = find_all_trees(*recording, 0, options);
    ASSERT_EQ(all.size(), 3U);
    for (std::size_t word = 0; word < 3; ++word) {
      const std::string place = "@" + std::to_string(word + 1);
      const SentenceTrees one = find_trees(*recording, 0, {.mode = mode, .top = 3, .owner = place});
      EXPECT_EQ(all[word].print(analysis::GraphFormat::json), one.print(analysis::GraphFormat::json));
    }
    EXPECT_NE(print_trees(all, TreesFormat::text).find("R[3,3]: "), std::string::npos);
  }
  EXPECT_THROW(find_trees(*recording, 0, {.owner = "all"}), UsageError);
  EXPECT_THROW(
      find_trees(*recording, 0, {.owner = "dog", .grammar = {.target = analysis::TargetWeights::cross}}),
      UsageError);
}

TEST(TreesJob, TreesAsConllu) {
  const auto recording = sentence("the dog saw the cat");
  const std::vector<SentenceTrees> trees = {find_trees(*recording, 0, {.mode = TreesMode::exact, .top = 1})};
  const std::string text = print_trees(trees, TreesFormat::conllu);
  EXPECT_NE(text.find("# guarantee = exact"), std::string::npos) << text;
  const analysis::Derivation& tree = trees[0].derivations[0];
  std::size_t roots = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.empty() || line[0] == '#') {
      continue;
    }
    const int word = std::stoi(line) - 1;
    const auto join = std::find_if(
        tree.nodes.begin(), tree.nodes.end(),
        [&](const analysis::DerivationNode& node) { return !node.is_leaf() && node.target == word; });
    const std::string columns = line.substr(line.find("_\t_\t_\t_\t") + 8);
    if (join == tree.nodes.end()) {
      EXPECT_EQ(columns, "0\troot\t_\t_");
      ++roots;
    } else {
      EXPECT_TRUE(columns.starts_with(std::to_string(join->word + 1) +
                                      "\tdep\t_\tLayer=" + std::to_string(join->layer) +
                                      "|Part=" + std::string(mog::name(join->part))))
          << columns;
    }
  }
  EXPECT_EQ(roots, 1U);
  const std::vector<SentenceTrees> atoms = {find_trees(*recording, 0, {.top = 1})};
  EXPECT_THROW(print_trees(atoms, TreesFormat::conllu), UsageError);
}

// Names of models and texts are a file's: no line of a comment ends early, no terminal obeys it.
TEST(TreesJob, CommentsOfConlluHoldNothingRaw) {
  const auto recording = sentence("the dog saw it");
  std::vector<SentenceTrees> trees = {find_trees(*recording, 0, {.mode = TreesMode::exact, .top = 1})};
  trees.front().model = "a\x1b[31mb\nc\xE2\x80\xAE";
  trees.front().text = "the\ndog\xE2\x80\xA8saw it";
  for (const TreesFormat format : {TreesFormat::conllu, TreesFormat::text, TreesFormat::graphml}) {
    const std::string text = print_trees(trees, format);
    for (const char* raw : {"\x1b", "b\nc", "\xE2\x80\xAE", "\xE2\x80\xA8", "the\ndog"}) {
      EXPECT_EQ(text.find(raw), std::string::npos) << text;
    }
    EXPECT_NE(text.find("a\uFFFD[31mb\uFFFDc\uFFFD"), std::string::npos) << text;
  }
}

TEST(TreesJob, ChoicesAndDroppedMassAreNamed) {
  const auto recording = sentence("a b");
  const SentenceTrees trees =
      find_trees(*recording, 0, {.grammar = {.heads = {2}, .gate = analysis::GateSource::constant}});
  const std::string text = trees.print(analysis::GraphFormat::text);
  for (const std::string word : {"choices: ", "heads 2", "gate constant=0.5", "special tokens, dropped"}) {
    EXPECT_NE(text.find(word), std::string::npos) << text;
  }
  const std::string json = trees.print(analysis::GraphFormat::json);
  for (const std::string word : {"\"guarantee\"", "\"choices\"", "\"dropped\"", "\"head_weights\""}) {
    EXPECT_NE(json.find(word), std::string::npos) << json;
  }
}

TEST(TreesJob, GrammarOptionsAreParsedAndRefused) {
  EXPECT_EQ(parse_grammar_options({.heads = "1,3"}).heads, (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(parse_grammar_options({.heads = "contribution"}).head_reduction,
            analysis::HeadReduction::contribution);
  const analysis::WordGrammarOptions constant = parse_grammar_options({.gate = "constant=0.25"});
  EXPECT_EQ(constant.gate, analysis::GateSource::constant);
  EXPECT_EQ(constant.gate_constant, 0.25);
  EXPECT_EQ(parse_grammar_options({.pi = "share"}).pi, analysis::PartShares::share);
  EXPECT_EQ(parse_grammar_options({.target = "cross"}).target, analysis::TargetWeights::cross);
  for (const std::string heads : {"", "0", "1,", "1,1", "x", "1;2", "-1"}) {
    EXPECT_THROW(parse_grammar_options({.heads = heads}), UsageError) << heads;
  }
  for (const std::string gate :
       {"", "constant", "constant=", "constant=2", "constant=-1", "constant=nan", "w"}) {
    EXPECT_THROW(parse_grammar_options({.gate = gate}), UsageError) << gate;
  }
  EXPECT_THROW(parse_grammar_options({.pi = "x"}), UsageError);
  EXPECT_THROW(parse_grammar_options({.target = "words"}), UsageError);
}

TEST(TreesJob, OwnersAreParsedAndRefused) {
  const std::vector<std::string> words = {"the", "dog", "the", "a@3"};
  EXPECT_EQ(parse_owner("dog", words), 1);
  EXPECT_EQ(parse_owner("the@3", words), 2);
  EXPECT_EQ(parse_owner("@2", words), 1);
  EXPECT_EQ(parse_owner("a@3@4", words), 3);
  for (const std::string wrong : {"the", "cat", "dog@1", "dog@9", "@0", "dog@x"}) {
    EXPECT_THROW(parse_owner(wrong, words), UsageError) << wrong;
  }
}

TEST(TreesJob, ARefusedOwnerListsTheWordsOfTheSentence) {
  const auto said = [](std::string_view owner, const std::vector<std::string>& words) {
    try {
      parse_owner(owner, words);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::vector<std::string> words = {"the", "dog", "the", "\x1b[31m"};
  for (const std::string wrong : {"the", "cat", "cat@2", "dog@9"}) {
    EXPECT_NE(said(wrong, words).find("its words: the@1 dog@2 the@3 \ufffd[31m@4"), std::string::npos)
        << wrong;
  }
  const std::vector<std::string> many(102, "a");
  EXPECT_TRUE(said("cat", many).ends_with(" a@100 and 2 more"));
}

TEST(TreesJob, MissingMapsLayersAndSentencesAreRefused) {
  CaptureSet summary;
  const auto without = record_sentence(test::fake_loaded(), "a b", summary);
  EXPECT_THROW(find_trees(*without, 0), UsageError);
  const auto recording = sentence("a b");
  EXPECT_THROW(find_trees(*recording, 0, {.layer = 4, .owner = "a"}), UsageError);
  EXPECT_THROW(find_trees(*recording, 0, {.layer = 2}), UsageError);
  EXPECT_EQ(sentence_index(*recording, 1), 0);
  EXPECT_THROW(sentence_index(*recording, 2), UsageError);
  EXPECT_THROW(sentence_index(*recording, 0), UsageError);
}

TEST(TreesJob, PrintsTheSameBytesEveryTime) {
  for (const auto format : {analysis::GraphFormat::text, analysis::GraphFormat::json,
                            analysis::GraphFormat::dot, analysis::GraphFormat::graphml}) {
    const std::string first = find_trees(*sentence("a b \"c\" <d>"), 0, {.top = 5}).print(format);
    const std::string second = find_trees(*sentence("a b \"c\" <d>"), 0, {.top = 5}).print(format);
    EXPECT_FALSE(first.empty());
    EXPECT_EQ(first, second);
  }
}

TEST(LiveRun, InterventionsReachTheModel) {
  CaptureSet captures;
  captures.names = {CaptureName::gates};
  const std::vector<model::Intervention> set = {
      model::SetGate{.layer = 2, .sentence = 0, .token = 1, .value = 0.25}};
  const auto recording = record_sentence(test::fake_loaded(), "a b c", captures, set);
  const std::vector<float> gate = recording->read(0, QuantityName::parse("encoder.2.gate.mean")).to_floats();
  ASSERT_EQ(gate.size(), 4U);
  EXPECT_FLOAT_EQ(gate[1], 0.25F);
  EXPECT_NE(gate[0], 0.25F);
}

TEST(LiveRun, AnEmptyTextAndALongOneAreRefused) {
  EXPECT_THROW(record_sentence(test::fake_loaded(), "  ", {}), UsageError);
  LoadedModel loaded = test::fake_loaded();
  loaded.longest = 3;
  EXPECT_THROW(record_sentence(loaded, "a b c", {}), ModelError);
}

TEST(LiveRun, AStopEndsTheRun) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(record_sentence(test::fake_loaded(), "a b", {}, {}, stop.get_token()), Interrupted);
}

}  // namespace
}  // namespace mog::app
