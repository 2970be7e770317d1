#include "app/workflow/syntax/learn_job.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "app/workflow/syntax/ensemble_file.h"
#include "io/recording/errors.h"
#include "io/text/conllu.h"
#include "tests/unit/workflow/planted_syntax.h"
#include "tests/unit/workflow/recorded_corpus.h"

namespace mog::app {
namespace {

Planted random_trees(int sentences, unsigned seed, int maps = 2) {
  Planted planted(maps);
  std::mt19937 random(seed);
  for (int round = 0; round < sentences; ++round) {
    const auto words = static_cast<std::int32_t>(3 + random() % 8);
    std::vector<std::int32_t> heads(static_cast<std::size_t>(words), 0);
    const auto root = static_cast<std::int32_t>(random() % static_cast<unsigned>(words));
    for (std::int32_t word = root - 1; word >= 0; --word) {
      heads[static_cast<std::size_t>(word)] = word + 2;  // a chain to the root
    }
    for (std::int32_t word = root + 1; word < words; ++word) {
      heads[static_cast<std::size_t>(word)] =
          root + 1 + static_cast<std::int32_t>(random() % static_cast<unsigned>(word - root));
    }
    planted.add(heads);
  }
  return planted;
}

struct Case {
  explicit Case(const Planted& planted, std::int64_t sentences = 10) {
    planted.fill(memory);
    learning.syntax.treebank = folder.write("gold.conllu", planted.treebank);
    learning.syntax.bootstrap.resamples = 50;
    learning.syntax.threads = 1;
    learning.sentences = sentences;
  }
  LearntEnsembles learn() const { return learn_ensembles(memory, learning); }
  LearnResult score(const LearntEnsembles& learnt,
                    const ScoreChoice& choice = {.leave_out_drawn = true}) const {
    return score_learnt(memory, learnt, learning.syntax, choice);
  }
  test::TemporaryFolder folder;
  MemoryRecording memory;
  LearnOptions learning;
};

template <typename Action>
std::string refusal(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return std::to_string(static_cast<int>(error.exit_code())) + " " + error.what();
  }
  return "accepted";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(LearnJob, PlantedHeadsGiveLabelledTrees) {
  for (const TagChoice tags : {TagChoice::gold, TagChoice::none}) {
    Case test(random_trees(60, 3));
    test.learning.tags = tags;
    const LearntEnsembles learnt = test.learn();
    EXPECT_EQ(learnt.relations, (std::vector<std::string>{"left", "right"}));
    // Head 2 attends from each word to its head, head 1 to its dependents.
    const auto unit = [&](analysis::Attends attends) {
      return learnt.units.at(static_cast<std::size_t>(
          learnt.ensembles.relations[0].heads[static_cast<std::size_t>(attends)].units.front()));
    };
    EXPECT_EQ(unit(analysis::Attends::dependent), "attention:1:full:2");
    const LearnResult result = test.score(learnt);
    EXPECT_EQ(result.sentences, 50);
    EXPECT_GT(result.learnt.uas.value, 0.95);
    EXPECT_GT(result.learnt.las.value, 0.95);
    EXPECT_LE(result.learnt.las.value, result.learnt.uas.value);
    EXPECT_GT(result.learnt.uas.value, result.without_maps.uas.value + 0.1);
    std::int64_t words = 0;
    std::int64_t labelled = 0;
    for (const LearntRelation& relation : result.relations) {
      words += relation.words;
      labelled += relation.labelled;
    }
    EXPECT_EQ(words, result.words);
    EXPECT_NEAR(static_cast<double>(labelled) / static_cast<double>(words), result.learnt.las.value, 1e-12);
  }
}

TEST(LearnJob, DrawsDependOnTheSeedAndAreNested) {
  Case test(random_trees(40, 5), 20);
  const LearntEnsembles twenty = test.learn();
  test.learning.sentences = 5;
  const LearntEnsembles five = test.learn();
  EXPECT_EQ(five.drawn.size(), 5U);
  for (const std::int64_t number : five.drawn) {
    EXPECT_TRUE(std::binary_search(twenty.drawn.begin(), twenty.drawn.end(), number));
  }
  test.learning.syntax.bootstrap.seed = 2;
  EXPECT_NE(test.learn().drawn, five.drawn);
}

TEST(LearnJob, ThreadsDoNotShow) {
  Case test(random_trees(150, 7));
  const LearntEnsembles learnt = test.learn();
  const std::string one = to_json(test.score(learnt), learnt);
  test.learning.syntax.threads = 4;
  EXPECT_EQ(one, to_json(test.score(learnt), learnt));
}

TEST(LearnJob, AFileKeepsWhatWasLearnt) {
  Case test(random_trees(60, 9));
  for (const WeightChoice weights : {WeightChoice::fitted, WeightChoice::published}) {
    test.learning.weights = weights;
    const LearntEnsembles learnt = test.learn();
    const std::string text = ensembles_text(learnt);
    const LearntEnsembles read = parse_ensembles(text, "e.json");
    EXPECT_EQ(ensembles_text(read), text);
    EXPECT_EQ(read.ensembles.table, learnt.ensembles.table);
    EXPECT_EQ(to_json(test.score(read), read), to_json(test.score(learnt), learnt));
  }
}

TEST(LearnJob, DamagedFilesAreRefusedByKey) {
  Case test(random_trees(30, 9));
  const std::string text = ensembles_text(test.learn());
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    const std::size_t place = other.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    other.replace(place, from.size(), to);
    return refusal([&] { parse_ensembles(other, "e.json"); });
  };
  EXPECT_TRUE(contains(changed("mog-head-ensembles", "x"), "3 e.json: it is no JSON document of the format"));
  EXPECT_TRUE(contains(changed("\"format_version\": 1", "\"format_version\": 9"), "format_version is 9"));
  EXPECT_TRUE(contains(changed("\"table_weight\"", "\"table\""), "\"table_weight\" is missing"));
  EXPECT_TRUE(contains(changed("\"tags\": \"gold\"", "\"tags\": \"silver\""), "silver"));
  EXPECT_TRUE(contains(changed("\"relation\": \"left\"", "\"relation\": \"up\""), "left"));
  EXPECT_TRUE(contains(changed("\"roots\": ", "\"roots\": 99"), "roots among"));
  EXPECT_TRUE(contains(changed("attention:1:full", "attention:9:full"), "is not among the file's own"));
  EXPECT_TRUE(contains(refusal([&] { parse_ensembles("[1", "e.json"); }), "3 e.json"));
}

TEST(LearnJob, TreesAreWrittenAsTheyWereScored) {
  Case test(random_trees(40, 13));
  const LearntEnsembles learnt = test.learn();
  const LearnResult result = test.score(learnt, {.leave_out_drawn = true, .keep_trees = true});
  EXPECT_EQ(write_learnt_trees(result, learnt, test.folder / "trees.conllu"), 30);
  std::set<std::int64_t> drawn(learnt.drawn.begin(), learnt.drawn.end());
  std::int64_t words = 0;
  std::int64_t right = 0;
  const std::vector<io::TreebankSentence> gold = io::read_conllu(test.learning.syntax.treebank);
  const std::vector<io::TreebankSentence> trees = io::read_conllu(test.folder / "trees.conllu");
  std::size_t next = 0;
  for (const io::TreebankSentence& sentence : gold) {
    if (drawn.contains(sentence.number)) {
      continue;
    }
    const io::TreebankSentence& tree = trees.at(next++);
    for (std::size_t word = 0; word < sentence.words.size(); ++word) {
      ++words;
      right += tree.words.at(word).head == sentence.words[word].head &&
                       tree.words[word].deprel == sentence.words[word].deprel
                   ? 1
                   : 0;
    }
  }
  EXPECT_EQ(next, trees.size());
  EXPECT_NEAR(static_cast<double>(right) / static_cast<double>(words), result.learnt.las.value, 1e-12);
  EXPECT_TRUE(contains(trees.front().comments.back(), "# root = tree"));
}

TEST(LearnJob, AGivenRootDoesNotCount) {
  Case test(random_trees(40, 15));
  const LearntEnsembles learnt = test.learn();
  const std::int64_t all = test.score(learnt).words;
  test.learning.syntax.root = RootChoice::gold;
  const LearnResult given = test.score(learnt);
  EXPECT_EQ(given.words, all - given.sentences);
  test.learning.syntax.punctuation = false;
  EXPECT_LT(test.score(learnt).words, given.words);
}

TEST(LearnJob, WhatCannotBeIsRefused) {
  Case test(random_trees(12, 17), 13);
  EXPECT_TRUE(contains(refusal([&] { test.learn(); }), "2 --learn 13: "));
  EXPECT_TRUE(contains(refusal([&] { test.learn(); }), "12 sentences that agree"));
  test.learning.sentences = 12;
  const LearntEnsembles all = test.learn();
  EXPECT_TRUE(contains(refusal([&] { test.score(all); }), "no sentence is left to score; learn from fewer"));
  EXPECT_EQ(test.score(all, {}).sentences, 12);
  test.learning.sentences = 0;
  EXPECT_TRUE(contains(refusal([&] { test.learn(); }), "at least 1"));
  test.learning.sentences = 3;
  test.learning.syntax.sources = {SyntaxSource::mog_tree};
  EXPECT_TRUE(contains(refusal([&] { test.learn(); }), "2 --sources mog-tree: it gives whole trees"));
  EXPECT_THROW(parse_tag_choice("silver"), UsageError);
  EXPECT_THROW(parse_weight_choice("none"), UsageError);
}

TEST(LearnJob, EnsemblesOfAnotherModelAreRefused) {
  Case test(random_trees(30, 19));
  LearntEnsembles learnt = test.learn();
  learnt.weights_sha256 = "00";
  EXPECT_TRUE(
      contains(refusal([&] { test.score(learnt); }), "5 the ensembles were learnt from recordings of"));
  EXPECT_TRUE(contains(refusal([&] { test.score(learnt); }), "with other weights"));
  const Case more(random_trees(30, 19, 3));
  EXPECT_TRUE(contains(refusal([&] { more.score(test.learn()); }),
                       "5 the ensembles were learnt from 5 maps, the recording has 6"));
}

TEST(LearnJob, SentencesThatDifferAreSkippedOrRefused) {
  Planted planted = random_trees(20, 21);
  planted.add({"a", "b"}, {"a", "c"}, {0, 1});
  Case test(planted, 21);
  test.learning.syntax.mismatch = MismatchPolicy::skip;
  EXPECT_TRUE(contains(refusal([&] { test.learn(); }), "20 sentences that agree"));
  test.learning.sentences = 10;
  EXPECT_EQ(test.score(test.learn()).skipped.size(), 1U);
  test.learning.syntax.mismatch = MismatchPolicy::error;
  test.learning.sentences = 21;
  EXPECT_TRUE(contains(refusal([&] { test.learn(); }), "3 "));
}

}  // namespace
}  // namespace mog::app
