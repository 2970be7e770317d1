#include "app/workflow/syntax/syntax_job.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "io/recording/errors.h"
#include "io/text/conllu.h"
#include "tests/unit/workflow/planted_syntax.h"
#include "tests/unit/workflow/recorded_corpus.h"

namespace mog::app {
namespace {

// A recording of it, and the treebank in a folder.
struct Case {
  explicit Case(const Planted& planted) {
    planted.fill(memory);
    options.treebank = folder.write("gold.conllu", planted.treebank);
    options.bootstrap.resamples = 50;
    options.threads = 1;
  }
  SyntaxResult run() const { return compare_syntax(memory, options); }
  std::string refusal() const {
    try {
      run();
    } catch (const Error& error) {
      return std::to_string(static_cast<int>(error.exit_code())) + " " + error.what();
    }
    return "accepted";
  }
  test::TemporaryFolder folder;
  MemoryRecording memory;
  SyntaxOptions options;
};

const SyntaxRowScore& row(const SyntaxResult& result, const std::string& name) {
  for (const SyntaxRowScore& entry : result.rows) {
    if (entry.row.name() == name) {
      return entry;
    }
  }
  ADD_FAILURE() << "no row " << name;
  return result.rows.front();
}

Planted random_trees(int sentences) {
  Planted planted;
  std::mt19937 random(3);
  for (int round = 0; round < sentences; ++round) {
    const auto words = static_cast<std::int32_t>(4 + random() % 15);
    std::vector<std::int32_t> heads(static_cast<std::size_t>(words), 0);
    for (std::int32_t word = 2; word <= words; ++word) {
      heads[static_cast<std::size_t>(word - 1)] =
          static_cast<std::int32_t>(1 + random() % static_cast<unsigned>(word - 1));
    }
    planted.add(heads);
  }
  return planted;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(SyntaxJob, FindsThePlantedTreesInTheRightHeadAndDirection) {
  Case test(random_trees(30));
  const SyntaxResult result = test.run();
  EXPECT_EQ(result.sentences, 30);
  // Every word but the root is found: the planted edges outweigh all others.
  EXPECT_EQ(row(result, "attention:1:full:1:query").uuas.value, 1);
  EXPECT_EQ(row(result, "attention:1:full:1:query").uas.value, 1);
  EXPECT_EQ(row(result, "attention:1:full:1:query").uas.interval.low, 1);
  EXPECT_EQ(row(result, "attention:1:full:2:key").uas.value, 1);
  EXPECT_LT(row(result, "attention:1:full:1:key").uas.value, 0.5);
  EXPECT_LT(row(result, "random-tree").uas.value, 0.5);
  EXPECT_LE(row(result, "left-neighbour").uas.value, row(result, "best-offset").uas.value);
  // The grammar of one layer joins along the mean of both heads.
  EXPECT_GT(row(result, "joins:query").uuas.value, 0.5);
  EXPECT_EQ(row(result, "joins:query").uuas.value, row(result, "joins:1:full:query").uuas.value);
  // The right head is the right one in each half too.
  EXPECT_EQ(row(result, "chosen-head").uas.value, 1);
  test.options.punctuation = false;
  EXPECT_EQ(test.run().words, result.words - 30);
  EXPECT_EQ(find_row(result, "best").name(), "attention:1:full:1:query");
  EXPECT_THROW(find_row(result, "attention:9:full:query"), UsageError);
}

TEST(SyntaxJob, ThreadsDoNotShow) {
  Case test(random_trees(150));
  test.options.relations = true;
  test.options.sources = {SyntaxSource::attention, SyntaxSource::joins,     SyntaxSource::presence,
                          SyntaxSource::k_best,    SyntaxSource::by_leaves, SyntaxSource::mog_tree,
                          SyntaxSource::mog_beam};
  const SyntaxResult one = test.run();
  test.options.threads = 4;
  const SyntaxResult four = test.run();
  EXPECT_EQ(to_json(one), to_json(four));
  EXPECT_EQ(analysis::to_csv(score_table(one)), analysis::to_csv(score_table(four)));
  EXPECT_EQ(analysis::to_csv(relation_table(one)), analysis::to_csv(relation_table(four)));
}

TEST(SyntaxJob, BaselinesByHand) {
  Planted planted;
  planted.add({2, 0, 2, 3});  // w0 <- w1 -> w2 -> w3
  Case test(planted);
  const SyntaxResult result = test.run();
  // Head = the word to the left: right for w2 and w3. All three edges join neighbours.
  EXPECT_DOUBLE_EQ(row(result, "left-neighbour").uas.value, 0.5);
  EXPECT_DOUBLE_EQ(row(result, "left-neighbour").uuas.value, 1);
  EXPECT_DOUBLE_EQ(row(result, "right-neighbour").uas.value, 0.25);
  EXPECT_DOUBLE_EQ(row(result, "best-offset").uas.value, 0.5);
  EXPECT_EQ(row(result, "best-offset").row.offset, -1);
  // With the root given, 2 of the 3 other words.
  test.options.root = RootChoice::gold;
  EXPECT_DOUBLE_EQ(row(test.run(), "left-neighbour").uas.value, 2.0 / 3);
  EXPECT_EQ(test.run().words, 3);
}

TEST(SyntaxJob, AGivenRootIsTheRoot) {
  Planted planted;
  planted.add({0, 1, 2, 3});
  Case test(planted);
  test.options.root = RootChoice::gold;
  // Read the wrong way round the chain hangs on its last word; with the root given, its edges cannot all be
  // turned, but the tree still hangs on the first word.
  const SyntaxRow turned{.layer = 1, .part = Part::full, .head = 1, .key_is_head = true};
  EXPECT_EQ(write_trees(test.memory, test.options, turned, test.folder / "turned.conllu"), 1);
  EXPECT_EQ(io::read_conllu(test.folder / "turned.conllu").at(0).words.at(0).head, 0);
  test.options.root = RootChoice::tree;
  EXPECT_EQ(write_trees(test.memory, test.options, turned, test.folder / "turned.conllu"), 1);
  EXPECT_EQ(io::read_conllu(test.folder / "turned.conllu").at(0).words.at(3).head, 0);
}

TEST(SyntaxJob, ProjectiveTreesHaveNoCrossingEdges) {
  Planted planted;
  planted.add({3, 4, 0, 3});  // 3 -> 1 and 4 -> 2 cross
  Case test(planted);
  EXPECT_EQ(row(test.run(), "attention:1:full:1:query").uas.value, 1);
  test.options.projective = true;
  EXPECT_DOUBLE_EQ(row(test.run(), "attention:1:full:1:query").uas.value, 0.75);
}

TEST(SyntaxJob, TheMogTreeOfTwoWordsAndNoneOfThreeInOneLayer) {
  Planted planted(1);
  planted.add({0, 1});
  planted.add({2, 0});
  planted.add({2, 0, 2});
  Case test(planted);
  test.options.sources = {SyntaxSource::mog_tree, SyntaxSource::presence, SyntaxSource::k_best,
                          SyntaxSource::by_leaves, SyntaxSource::mog_beam};
  const SyntaxResult result = test.run();
  EXPECT_EQ(row(result, "mog-tree:query").sentences, 2);
  EXPECT_EQ(row(result, "mog-tree:query").uas.value, 1);
  EXPECT_EQ(row(result, "mog-beam:query").sentences, 2);
  EXPECT_EQ(row(result, "mog-beam:query").uas.value, 1);
  // One layer: presence and the joins of the best graphs rank as the map does.
  EXPECT_EQ(row(result, "presence:query").uas.value, 1);
  EXPECT_EQ(row(result, "k-best:query").uas.value, 1);
  EXPECT_EQ(row(result, "by-leaves:query").sentences, 3);
}

TEST(SyntaxJob, AlignsWordsThatTheRecordingDidNotPart) {
  Planted planted;
  planted.add({"It", "rains", "."}, {"It", "rains."}, {2, 0, 2});
  planted.add({"New York", "\u00e9t\u00e9", "!"}, {"New", "York", "\u00e9t\u00e9!"}, {2, 0, 2});
  Case test(planted);
  const SyntaxResult result = test.run();
  EXPECT_EQ(result.words, 6);
  EXPECT_EQ(row(result, "attention:1:full:1:query").uas.value, 1);
}

TEST(SyntaxJob, RefusesOrSkipsWordsThatDiffer) {
  Planted planted;
  planted.add({2, 0, 2});
  planted.add({"zu", "dem"}, {"zu", "dem"}, {2, 0});
  planted.add({2, 0, 2, 3});
  planted.sentences()[1].words = {{"zum", {0, 3}}};
  planted.sentences()[1].text = "zum";
  planted.sentences()[1].tokens = {{"zum", 4, 0, {0, 3}}, {"x", 4, 0, {0, 3}}, {"</s>", 2, -1, {}}};
  Case test(planted);
  const std::string refusal = test.refusal();
  EXPECT_TRUE(contains(refusal, "3 ")) << refusal;
  EXPECT_TRUE(
      contains(refusal, "gold.conllu: line 5: sentence 2: word 1 is \"zu\", in the recording \"zum\""))
      << refusal;
  test.options.mismatch = MismatchPolicy::skip;
  const SyntaxResult result = test.run();
  EXPECT_EQ(result.sentences, 2);
  EXPECT_EQ(result.words, 7);
  ASSERT_EQ(result.skipped.size(), 1U);
  EXPECT_EQ(result.skipped[0].number, 2);
  EXPECT_EQ(result.skipped[0].line, 5);
  EXPECT_EQ(row(result, "attention:1:full:1:query").uas.value, 1);
  // A piece over two words.
  planted.sentences()[1].words = {{"zudem", {0, 5}}};
  planted.sentences()[1].text = "zudem";
  planted.sentences()[1].tokens = {{"zud", 4, 0, {0, 3}}, {"em", 4, 0, {3, 5}}, {"</s>", 2, -1, {}}};
  EXPECT_TRUE(contains(Case(planted).refusal(),
                       "the piece \"zud\" of the recording covers the words \"zu\" and "
                       "\"dem\""));
  planted.sentences()[1].truncated = true;
  EXPECT_TRUE(contains(Case(planted).refusal(), "only its beginning"));
}

TEST(SyntaxJob, RefusesTreebanksThatDoNotFit) {
  Planted planted;
  planted.add({2, 0, 2});
  const auto refusal = [&](const std::string& treebank) {
    Case test(planted);
    test.options.treebank = test.folder.write("other.conllu", treebank);
    test.options.mismatch = MismatchPolicy::skip;
    return test.refusal();
  };
  EXPECT_EQ(refusal(planted.treebank), "accepted");
  const std::string first = "1\tw0\t_\t_\t_\t_\t0\troot\t_\t_\n";
  EXPECT_TRUE(contains(refusal(first + "\n"), "none of its sentences"));
  EXPECT_TRUE(contains(refusal(first + "\n"), "it has 1 words, in the recording 3"));
  // The forest is named by the row of its second root, wherever it stands.
  const std::string forest = first + "2\tw1\t_\t_\t_\t_\t0\troot\t_\t_\n3\tw2\t_\t_\t_\t_\t2\tdep\t_\t_\n\n";
  EXPECT_TRUE(contains(refusal(forest), "3 "));
  EXPECT_TRUE(contains(refusal(forest), "line 2: the words 1 and 2 of sentence 1 are both roots"));
  EXPECT_TRUE(contains(refusal(planted.treebank + forest), "line 6: the words 1 and 2 of sentence 2"));
  EXPECT_TRUE(contains(refusal("# nothing\n"), "expected sentences"));
  Planted two = planted;
  two.add({0, 1});
  Case longer(two);
  longer.options.treebank = longer.folder.write("short.conllu", planted.treebank);
  EXPECT_TRUE(contains(longer.refusal(), "it has 1 sentences, the recording has a sentence 2"));
  Case shorter(planted);
  shorter.options.treebank = shorter.folder.write("long.conllu", two.treebank);
  EXPECT_TRUE(contains(shorter.run().notes.back(), "the treebank has 2 sentences, the recording 1"));
  MemoryRecording empty;
  empty.begin({});
  empty.finish();
  EXPECT_THROW(compare_syntax(empty, shorter.options), UsageError);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(compare_syntax(longer.memory, shorter.options, stop.get_token()), Interrupted);
}

TEST(SyntaxJob, RelationsHaveTheirBestHeadAndOffset) {
  Planted planted;
  planted.add({2, 0, 2, 3});
  planted.add({2, 0, 2, 3});
  Case test(planted);
  test.options.relations = true;
  const SyntaxResult result = test.run();
  ASSERT_EQ(result.relations.size(), 3U);
  EXPECT_EQ(result.relations[0].relation, "right");
  EXPECT_EQ(result.relations[0].words, 4);
  EXPECT_EQ(result.relations[0].best_head.name(), "attention:1:full:1:query");
  EXPECT_EQ(result.relations[0].recall.value, 1);
  EXPECT_EQ(result.relations[0].chosen.value, 1);
  EXPECT_EQ(result.relations[0].best_offset, -1);
  EXPECT_EQ(result.relations[0].offset_recall.value, 1);
  EXPECT_EQ(result.relations[1].relation, "left");
  EXPECT_EQ(result.relations[1].best_offset, 1);
}

TEST(SyntaxJob, WritesTreesAsConlluWithWhatTheTreebankSaysElse) {
  Planted planted;
  planted.add({2, 0, 2, 3});
  Case test(planted);
  test.options.treebank = test.folder.write(
      "gold.conllu", "# sent_id = 1\n1-2\tw0w1\t_\t_\t_\t_\t_\t_\t_\t_\n" + planted.treebank);
  const SyntaxRow best = find_row(test.run(), "attention:1:full:1:query");
  EXPECT_EQ(write_trees(test.memory, test.options, best, test.folder / "trees.conllu"), 1);
  const auto trees = io::read_conllu(test.folder / "trees.conllu");
  ASSERT_EQ(trees.size(), 1U);
  EXPECT_EQ(trees[0].comment("tree"), "attention:1:full:1:query");
  EXPECT_EQ(trees[0].comment("sent_id"), "1");
  EXPECT_EQ(trees[0].asides.size(), 1U);
  EXPECT_EQ(trees[0].words[3].head, 3);
  EXPECT_EQ(trees[0].words[3].deprel, "dep");
  EXPECT_EQ(trees[0].words[3].upos, "PUNCT");
  EXPECT_EQ(trees[0].words[1].deprel, "root");
  EXPECT_THROW(write_trees(test.memory, test.options, {.layer = 7}, test.folder / "x.conllu"), UsageError);
}

TEST(SyntaxJob, ReportsForPeopleAndPrograms) {
  Case test(random_trees(6));
  const SyntaxResult result = test.run();
  EXPECT_TRUE(contains(to_text(result), "attention:1:full:1:query           100.0  100.0-100.0"))
      << to_text(result);
  EXPECT_TRUE(contains(analysis::to_csv(score_table(result)), "attention,1,full,1,query,,6,1,1,1,1,1,1"));
  EXPECT_TRUE(contains(to_json(result), "\"name\": \"attention:1:full:1:query\""));
  const analysis::FigureData figure = syntax_figure(result);
  EXPECT_EQ(figure.kind(), "panels");
  EXPECT_TRUE(contains(figure.to_csv(), "random trees"));
}

TEST(SyntaxJob, RecordsATreebankWithItsOwnWords) {
  const test::TemporaryFolder folder;
  RecordOptions record;
  record.input =
      folder.write("gold.conllu",
                   "1-2\tzum\t_\t_\t_\t_\t_\t_\t_\t_\n1\tzu\t_\tADP\t_\t_\t3\tcase\t_\t_\n"
                   "2\tdem\t_\tDET\t_\t_\t3\tdet\t_\t_\n3\tNew York\t_\tPROPN\t_\t_\t0\troot\t_\t_\n\n");
  record.output = folder / "rec";
  record.capture.names = {CaptureName::attention, CaptureName::gates};
  RecordJob(test::fake_loaded(), record).run();
  const io::RecordingReader reader(folder / "rec");
  ASSERT_EQ(reader.size(), 1);
  ASSERT_EQ(reader.sentence(0).words.size(), 3U);
  EXPECT_EQ(reader.sentence(0).words[2].text, "New York");
  SyntaxOptions options;
  options.treebank = record.input;
  EXPECT_EQ(compare_syntax(reader, options).words, 3);
  // The controls change a treebank's words as they change a text's.
  record.output = folder / "first";
  record.first_words = 2;
  RecordJob(test::fake_loaded(), record).run();
  EXPECT_EQ(io::RecordingReader(folder / "first").sentence(0).text, "zu dem");
  record.output = folder / "other";
  record.invalid_utf8 = io::InvalidUtf8::replace;
  EXPECT_THROW(RecordJob(test::fake_loaded(), record).run(), UsageError);
}

}  // namespace
}  // namespace mog::app
