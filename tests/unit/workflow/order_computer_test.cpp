#include "app/workflow/record/order_computer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analysis/mog/grammar/attention_grammar.h"
#include "analysis/mog/grammar/from_recording.h"
#include "analysis/mog/orders/posteriors.h"
#include "io/recording/errors.h"
#include "tests/unit/workflow/recorded_corpus.h"

namespace mog {
namespace {

using app::CaptureName;

io::RecordingReader record(const test::TemporaryFolder& folder, bool graph, const std::string& text) {
  app::RecordOptions options;
  options.input = folder.write("c.txt", text);
  options.output = folder / "r";
  options.capture.names = {CaptureName::orders, CaptureName::attention, CaptureName::summary};
  options.capture.store = DType::float32;
  app::RecordJob(test::fake_loaded(std::make_shared<test::FakeModel>(test::FakeModelOptions{.graph = graph})),
                 options)
      .run();
  return io::RecordingReader(options.output);
}

TEST(OrderComputer, AgreesWithTheGrammarOfTheRecordedMaps) {
  for (const bool graph : {true, false}) {
    const test::TemporaryFolder folder;
    const io::RecordingReader reader = record(folder, graph, "e f\n\na b c d\n");
    const analysis::AttentionGrammar grammar(analysis::build_word_grammar(reader, 2).input);
    const std::vector<double> leaves = analysis::expected_leaves(grammar);
    for (std::int64_t layer = 1; layer <= 3; ++layer) {
      const std::string prefix = "encoder." + std::to_string(layer) + ".order";
      const std::vector<float> mean = reader.read(2, QuantityName::parse(prefix + ".mean")).to_floats();
      const std::vector<float> masses = reader.read(2, QuantityName::parse(prefix)).to_floats();
      ASSERT_EQ(mean.size(), 5U);
      ASSERT_EQ(masses.size(), 40U);
      for (std::size_t word = 0; word < 4; ++word) {
        const auto symbol =
            static_cast<std::size_t>(grammar.r_symbol(layer, static_cast<std::int32_t>(word)));
        EXPECT_NEAR(mean[word], leaves[symbol], 1e-5) << prefix << " word " << word;
        float sum = 0;
        for (std::size_t bin = 0; bin < 8; ++bin) {
          sum += masses[word * 8 + bin];
        }
        EXPECT_NEAR(sum, 1.0F, 1e-5F);
      }
      EXPECT_EQ(mean[4], 0.0F);  // </s>
    }
  }
}

// What a model computes that overflows is named by its own layer, and is no matter of a recording.
TEST(OrderComputer, MapsThatAreNoneAreNamed) {
  const app::LoadedModel loaded =
      test::fake_loaded(std::make_shared<test::FakeModel>(test::FakeModelOptions{.graph = false}));
  RecordingHeader kept;
  kept.model = loaded.model->card();
  kept.system = loaded.model->system();
  const app::OrderComputer computer(kept, loaded.model->quantities(), {});
  const std::vector<Sentence> sentences = {loaded.tokenizer->encode("a b", 7)};
  const auto pass = computer.begin(sentences);
  const auto map = [](std::int64_t layer) {
    return QuantityName::parse("encoder." + std::to_string(layer) + ".full.attention.mean_heads");
  };
  const HostTensor sound = HostTensor::of<float>({9}, std::vector<float>{1, 0, 0, 0, 1, 0, 0, 0, 1});
  const HostTensor broken = HostTensor::of<float>({9}, std::vector<float>{1, 0, 0, 0, NAN, 0, 0, 0, 1});
  EXPECT_TRUE(pass->observe(map(1), {sound, {0, 9}}));
  EXPECT_THROW(pass->observe(map(3), {sound, {0, 9}}), ModelError);
  const auto second = computer.begin(sentences);
  second->observe(map(1), {sound, {0, 9}});
  try {
    second->observe(map(2), {broken, {0, 9}});
    ADD_FAILURE() << "taken";
  } catch (const ModelError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("encoder.2.full.attention.mean_heads in sentence 7"), std::string::npos) << text;
    EXPECT_EQ(text.find("recording"), std::string::npos) << text;
  }
  RecordingBatch batch;
  EXPECT_THROW(second->finish(batch), ModelError);  // layers are missing
}

// An empty line of a tokenizer that puts nothing around a text.
TEST(OrderComputer, SentencesWithoutTokensHaveNoValues) {
  const app::LoadedModel loaded =
      test::fake_loaded(std::make_shared<test::FakeModel>(test::FakeModelOptions{.graph = false}));
  Sentence empty;
  empty.number = 2;
  const std::vector<QuantitySchema> all = loaded.model->quantities();
  const auto maps = std::find_if(all.begin(), all.end(), [](const QuantitySchema& schema) {
    return schema.name == QuantityName::parse("encoder.1.full.attention");
  });
  ASSERT_NE(maps, all.end());
  const std::vector<QuantitySchema> wanted = {*maps};
  const Sentence first = loaded.tokenizer->encode("a b", 1);
  const Sentence last = loaded.tokenizer->encode("c", 3);
  const RecordingBatch alone = app::record_batch(*loaded.model, wanted, {first, last});
  const RecordingBatch among = app::record_batch(*loaded.model, wanted, {first, empty, last});
  EXPECT_EQ(among.sentences.size(), 3U);
  EXPECT_EQ(among.quantities.front().second.to_floats(), alone.quantities.front().second.to_floats());
  EXPECT_EQ(app::record_batch(*loaded.model, wanted, {empty}).quantities.front().second.size(), 0);
}

TEST(OrderComputer, FirstLayerHasOrdersOneAndTwoOnly) {
  const test::TemporaryFolder folder;
  const io::RecordingReader reader = record(folder, true, "a b c\n");
  const std::vector<float> masses = reader.read(0, QuantityName::parse("encoder.1.order")).to_floats();
  for (std::size_t word = 0; word < 3; ++word) {
    EXPECT_GT(masses[word * 8 + 0], 0.0F);
    EXPECT_GT(masses[word * 8 + 1], 0.0F);
    for (std::size_t bin = 2; bin < 8; ++bin) {
      EXPECT_EQ(masses[word * 8 + bin], 0.0F);
    }
  }
}

TEST(OrderComputer, KeepsNothingButWhatWasAskedFor) {
  const test::TemporaryFolder folder;
  app::RecordOptions options;
  options.input = folder.write("c.txt", "a b c\n\nd e\n");
  options.output = folder / "r";
  options.capture.names = {CaptureName::orders};
  options.capture.layers = {{2, 3}};
  app::RecordJob(test::fake_loaded(), options).run();
  const io::RecordingReader reader(options.output);
  std::string names;
  for (const QuantitySchema& schema : reader.header().quantities) {
    names += schema.name.text() + " ";
  }
  EXPECT_EQ(names, "encoder.2.order encoder.2.order.mean encoder.3.order encoder.3.order.mean ");
  EXPECT_EQ(reader.read(1, QuantityName::parse("encoder.2.order.mean")).to_floats(),
            std::vector<float>{0.0F});
}

// A tokenizer may leave nothing of a word (a lone accent, say); the words behind it keep their orders.
TEST(OrderComputer, AWordWithoutATokenShiftsNothing) {
  const app::LoadedModel loaded = test::fake_loaded();
  RecordingHeader kept;
  kept.model = loaded.model->card();
  kept.system = loaded.model->system();
  const app::OrderComputer computer(kept, loaded.model->quantities(), {});
  const auto orders = [&](const Sentence& sentence) {
    RecordingBatch batch = app::record_batch(*loaded.model, computer.observed(), {sentence});
    computer.add(batch);
    std::string text;
    for (const auto& [name, values] : batch.quantities) {
      for (const float value : values.to_floats()) {
        text += std::to_string(value) + " ";
      }
    }
    return text;
  };
  const Sentence whole = loaded.tokenizer->encode("a c d", 1);
  Sentence with_gap = whole;
  with_gap.words.insert(with_gap.words.begin() + 1, Word{.text = "b", .bytes = {}});
  for (Token& token : with_gap.tokens) {
    token.word += token.word >= 1 ? 1 : 0;
  }
  EXPECT_FALSE(orders(whole).empty());
  EXPECT_EQ(orders(with_gap), orders(whole));
}

}  // namespace
}  // namespace mog
