// A small random BERT made by transformers (tests/data/model/make_bert_tiny.py): every hidden state and every
// map within 1e-5 of what transformers gave for the sentence alone and inside a padded batch.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "io/checkpoint/safetensors.h"
#include "io/text/corpus.h"
#include "model/model_directory.h"
#include "model/tokenizer/wordpiece/wordpiece.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/engine/golden_case.h"
#include "tests/unit/engine/test_device.h"

namespace mog::test {
namespace {

constexpr double kTolerance = 1e-5;
const std::filesystem::path kTiny = mog::test::data_dir() / "model" / "bert-tiny";

class BertParity : public testing::Test {
 protected:
  BertParity()
      : directory_(model::open_model_directory(kTiny)),
        expected_(io::read_tensors(kTiny / "expected.safetensors")) {
    for (const std::string& line : io::read_corpus(kTiny / "sentences.txt")) {
      sentences_.push_back(directory_.tokenizer->encode(line));
    }
  }

  // Checks sentence `which` (from 0), at `place` of the batch that `collector` saw.
  void check(const Collector& collector, std::size_t which, std::size_t place,
             const std::string& kind) const {
    const std::string number = kind + "." + std::to_string(which + 1);
    const HostTensor& hidden = expected_.at("hidden" + number);
    const HostTensor& maps = expected_.at("attention" + number);
    const auto states = static_cast<std::size_t>(hidden.size() / hidden.shape()[0]);
    const auto map = static_cast<std::size_t>(maps.size() / maps.shape()[0]);
    for (std::int64_t layer = 0; layer <= directory_.config.encoder.layers; ++layer) {
      const auto at = static_cast<std::size_t>(layer);
      const QuantityName name(Stack::encoder, layer, Part::none,
                              layer == 0 ? Quantity::embedding : Quantity::output);
      expect_near(collector.of(name, place), hidden.values<float>().subspan(at * states, states), kTolerance,
                  number + " " + name.text());
      if (layer > 0) {
        const QuantityName attention(Stack::encoder, layer, Part::full, Quantity::attention);
        expect_near(collector.of(attention, place), maps.values<float>().subspan((at - 1) * map, map),
                    kTolerance, number + " " + attention.text());
      }
    }
  }

  void check_all(const model::Model& model) const {
    for (const char* const kind : {"", "_padded"}) {
      for (std::size_t i = 0; i < sentences_.size(); ++i) {
        Collector collector;
        model::Observer* const observers[] = {&collector};
        model::PackedBatch batch;
        batch.append(sentences_[i]);
        model.run(batch, {}, observers);
        check(collector, i, 0, kind);
      }
      Collector collector;
      model::Observer* const observers[] = {&collector};
      model::PackedBatch batch;
      for (const Sentence& sentence : sentences_) {
        batch.append(sentence);
      }
      model.run(batch, {}, observers);
      for (std::size_t i = 0; i < sentences_.size(); ++i) {
        check(collector, i, i, kind);
      }
    }
  }

  model::ModelDirectory directory_;
  std::map<std::string, HostTensor> expected_;
  std::vector<Sentence> sentences_;
};

TEST_F(BertParity, TokensAreThoseOfTransformers) {
  ASSERT_EQ(sentences_.size(), 5U);
  for (std::size_t i = 0; i < sentences_.size(); ++i) {
    const auto ids = expected_.at("ids." + std::to_string(i + 1)).values<std::int64_t>();
    std::vector<std::int64_t> found;
    for (const Token& token : sentences_[i].tokens) {
      found.push_back(token.id);
    }
    EXPECT_EQ(found, std::vector<std::int64_t>(ids.begin(), ids.end()));
  }
}

TEST_F(BertParity, StatesAndMapsAreThoseOfTransformers) {
  check_all(*model::load_model(directory_, {.device = test_device()}));
}

TEST_F(BertParity, StaysAfterWritingTheDirectory) {
  const TemporaryFolder folder;
  const model::WordPieceFile tokenizer = model::read_tokenizer_json(kTiny / "tokenizer.json");
  model::write_model_directory(folder.path(), directory_.config, directory_.weights, io::WeightsType::float32,
                               {{"tokenizer.json", model::to_tokenizer_json(tokenizer)},
                                {"vocab.txt", model::to_vocabulary_text(tokenizer.tokens)}},
                               "# tiny\n");
  check_all(*model::load_model(folder.path(), {.device = test_device()}));
}

}  // namespace
}  // namespace mog::test
