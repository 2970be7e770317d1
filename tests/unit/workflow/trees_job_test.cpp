#include "app/workflow/trees_job.h"

#include <gtest/gtest.h>

#include "app/workflow/live_run.h"
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
  double sum = trees.orders.tail;
  for (const double mass : trees.orders.probability) {
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
  const SentenceTrees trees = find_trees(*recording, 0, {.mode = TreesMode::by_order, .top = 5});
  ASSERT_EQ(trees.derivations.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(trees.derivations[i].entry.leaves, static_cast<std::int64_t>(i + 1));
  }
  const SentenceTrees best = find_trees(*recording, 0, {.top = 1});
  EXPECT_LE(trees.derivations[2].entry.weight, best.derivations[0].entry.weight * (1 + 1e-12));
  EXPECT_THROW(parse_trees_mode("best"), UsageError);
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
