#include "app/workflow/effects/faithfulness_job.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "io/recording/errors.h"
#include "tests/unit/workflow/recorded_corpus.h"

namespace mog::app {
namespace {

// A word's value is its id; the output of every token is (10, value), of </s> (10, 0), of a masked token
// (10, 1000). So the mean is (10, mean of the values that are there). The tag X has the score of the sum of
// the values of the other tokens that nobody masked, over 100, Y 0. Gradients: of a linear model with such
// outputs.
class HandModel final : public model::Model {
 public:
  HandModel() {
    config_.encoder.layers = 1;
    config_.encoder.d_model = 2;
    config_.encoder.attention_dim = 2;
    config_.encoder.heads = 1;
    config_.vocab_size = 64;
    config_.tasks["upos"] = {"X", "Y"};
    card_.name = "hand";
  }
  const model::ModelConfig& config() const override { return config_; }
  const ModelCard& card() const override { return card_; }
  std::string device() const override { return "cpu"; }
  std::vector<QuantitySchema> quantities() const override { return model::quantities(config_); }
  std::vector<std::vector<model::Hypothesis>> translate(const model::PackedBatch&, const model::BeamOptions&,
                                                        std::stop_token) const override {
    return {};
  }
  void run(const model::PackedBatch& batch, std::span<const model::Intervention> interventions,
           std::span<model::Observer* const> observers) const override {
    std::vector<double> values;
    for (const std::int64_t id : batch.ids) {
      values.push_back(id == 2 ? 0.0 : static_cast<double>(id));
    }
    std::vector<bool> masked(values.size(), false);
    for (const model::Intervention& intervention : interventions) {
      if (const auto* mask = std::get_if<model::MaskToken>(&intervention)) {
        masked[static_cast<std::size_t>(batch.offsets[static_cast<std::size_t>(mask->sentence)] +
                                        mask->token)] = true;
      } else if (const auto* zero = std::get_if<model::ZeroEmbedding>(&intervention)) {
        values[static_cast<std::size_t>(batch.offsets[static_cast<std::size_t>(zero->sentence)] +
                                        zero->token)] = 0;
      } else {
        throw std::runtime_error("an intervention that nobody asked for");
      }
    }
    for (const QuantitySchema& schema : quantities()) {
      const bool output = schema.name.text() == "encoder.output";
      const bool logits = schema.name.text() == "heads.upos.logits";
      for (model::Observer* const observer : observers) {
        if ((output || logits) && observer->wants(schema.name)) {
          show(*observer, schema.name, batch, values, masked);
        }
      }
    }
  }

 private:
  static void show(model::Observer& observer, const QuantityName& name, const model::PackedBatch& batch,
                   const std::vector<double>& values, const std::vector<bool>& masked) {
    std::vector<float> flat;
    std::vector<std::int64_t> offsets = {0};
    for (std::int64_t s = 0; s < batch.sentences(); ++s) {
      double sum = 0;
      const auto begin = static_cast<std::size_t>(batch.offsets[static_cast<std::size_t>(s)]);
      const auto end = static_cast<std::size_t>(batch.offsets[static_cast<std::size_t>(s) + 1]);
      for (std::size_t t = begin; t < end; ++t) {
        sum += masked[t] ? 0.0 : values[t];
      }
      for (std::size_t t = begin; t < end; ++t) {
        if (name.quantity() == Quantity::logits) {
          flat.push_back(static_cast<float>((sum - values[t]) / 100));
          flat.push_back(0.0F);
        } else {
          flat.push_back(10.0F);
          flat.push_back(masked[t] ? 1000.0F : static_cast<float>(values[t]));
        }
      }
      offsets.push_back(static_cast<std::int64_t>(flat.size()));
    }
    observer.observe(name, {HostTensor::of<float>({static_cast<std::int64_t>(flat.size())}, flat), offsets});
  }
  model::ModelConfig config_;
  ModelCard card_;
};

LoadedModel hand_loaded() {
  LoadedModel loaded;
  loaded.model = std::make_shared<HandModel>();
  loaded.tokenizer = std::make_shared<test::FakeTokenizer>();
  return loaded;
}

// `count` words with ascending ids, so that each has another effect.
std::vector<std::pair<std::string, double>> words_by_value(std::size_t count) {
  const test::FakeTokenizer tokenizer;
  std::map<double, std::string> words;
  for (int i = 0; words.size() < count * 4; ++i) {
    const std::string word = "w" + std::to_string(i);
    words.emplace(static_cast<double>(tokenizer.encode(word).tokens[0].id), word);
  }
  std::vector<std::pair<std::string, double>> result;
  for (const auto& [value, word] : words) {
    result.emplace_back(word, value);
    if (result.size() == count) {
      break;
    }
  }
  return result;
}

// 1 - cosine of (10, x) and (10, y).
double effect(double x, double y) {
  return 1 - (100 + x * y) / std::sqrt((100 + x * x) * (100 + y * y));
}

TEST(Faithfulness, HandWorkedErasures) {
  const auto words = words_by_value(4);
  const test::TemporaryFolder folder;
  FaithfulnessOptions options;
  std::string line;
  double sum = 0;
  for (const auto& [word, value] : words) {
    line += word + " ";
    sum += value;
  }
  options.input = folder.write("t.txt", line + "\n\n" + words[0].first + "\n");
  options.attributions = parse_attributions("leave-one-out,random,leave-one-out*random");
  options.fractions = {0.25, 0.5, 0.9};
  options.bootstrap.resamples = 20;
  const FaithfulnessResult result = run_faithfulness(hand_loaded(), options);
  EXPECT_EQ(result.left_out, 1);  // one word: nothing to choose from
  ASSERT_EQ(result.rows.size(), 1U);
  EXPECT_EQ(result.rows[0].tokens, 5);
  EXPECT_EQ(result.rows[0].units, 4);
  const SentenceFaithfulness& own = result.rows[0].found[0];
  EXPECT_DOUBLE_EQ(own.spearman, 1);
  EXPECT_NEAR(own.pearson, 1, 1e-12);
  // </s> stays, so the mean of the whole is over 5 tokens.
  std::vector<std::pair<double, double>> ranked;  // effect, value
  for (const auto& [word, value] : words) {
    ranked.emplace_back(effect(sum / 5, (sum - value) / 4), value);
  }
  std::sort(ranked.rbegin(), ranked.rend());
  EXPECT_NEAR(own.comprehensiveness[0], ranked[0].first, 1e-7);
  const double two = ranked[0].second + ranked[1].second;
  EXPECT_NEAR(own.comprehensiveness[1], effect(sum / 5, (sum - two) / 3), 1e-7);
  EXPECT_NEAR(own.sufficiency[1], effect(sum / 5, two / 3), 1e-7);
  // 0.9 of 4 is 4 rounded up, but one unit stays.
  EXPECT_NEAR(own.comprehensiveness[2], effect(sum / 5, ranked[3].second / 2), 1e-7);
  EXPECT_NEAR(own.sufficiency[2], effect(sum / 5, (sum - ranked[3].second) / 4), 1e-7);
  const analysis::Table table = result.table();
  EXPECT_EQ(table.rows.size(), 3U * (2 + 3 + 3 + 2));
  EXPECT_EQ(std::get<std::string>(table.rows[0][table.column("measure")]), "spearman");
  EXPECT_EQ(std::get<std::string>(table.rows.back()[table.column("attribution")]), "leave-one-out*random");
  EXPECT_EQ(result.sentence_table().rows.size(), table.rows.size());
}

TEST(Faithfulness, ErasuresAndTargetsHaveTheirOwnEffects) {
  const auto words = words_by_value(3);
  const test::TemporaryFolder folder;
  FaithfulnessOptions options;
  options.input = folder.write("t.txt", words[0].first + " " + words[1].first + " " + words[2].first + "\n");
  options.attributions = parse_attributions("leave-one-out");
  options.fractions = {0.3};
  const double a = words[0].second;
  const double b = words[1].second;
  const double c = words[2].second;
  const auto first = [&] {
    return run_faithfulness(hand_loaded(), options).rows[0].found[0].comprehensiveness[0];
  };
  // Without the token its place is gone; with zeros the token is still in the mean.
  const double whole = (a + b + c) / 4;
  options.erasure = Erasure::remove;
  EXPECT_NEAR(first(),
              std::max({effect(whole, (b + c) / 3), effect(whole, (a + c) / 3), effect(whole, (a + b) / 3)}),
              1e-7);
  options.erasure = Erasure::zero;
  EXPECT_NEAR(first(), effect(whole, (a + b) / 4), 1e-7);  // the greatest value changes most
  // The first word's tag sees b + c; its own token is no unit.
  options.erasure = Erasure::mask;
  options.target = parse_target("tag:upos:1");
  const auto probability = [](double score) { return 1 / (1 + std::exp(-score / 100)); };
  EXPECT_NEAR(first(), probability(b + c) - probability(b), 1e-6);
  EXPECT_EQ(run_faithfulness(hand_loaded(), options).rows[0].units, 2);
  options.special = SpecialTokens::erase;
  EXPECT_EQ(run_faithfulness(hand_loaded(), options).rows[0].units, 3);
  options.target = parse_target("word:-2");
  EXPECT_NEAR(first(), 0, 1e-12);  // its state is its own value whatever the others
}

TEST(Faithfulness, StreamsGiveTheSameNumbers) {
  const test::TemporaryFolder folder;
  std::string text;
  for (int line = 0; line < 20; ++line) {
    for (int word = 0; word <= 2 + line % 5; ++word) {
      text += "w" + std::to_string(line * 7 + word) + " ";
    }
    text += "\n";
  }
  FaithfulnessOptions options;
  options.input = folder.write("t.txt", text);
  options.attributions = parse_attributions("random,leave-one-out");
  options.bootstrap.resamples = 50;
  options.batch_tokens = 7;
  const std::string one = analysis::to_csv(run_faithfulness(hand_loaded(), options).table());
  options.streams = 3;
  options.batch_tokens = 4000;
  EXPECT_EQ(analysis::to_csv(run_faithfulness(hand_loaded(), options).table()), one);
}

TEST(Faithfulness, DifferencesArePairedBySentence) {
  const test::TemporaryFolder folder;
  FaithfulnessOptions options;
  options.input = folder.write("t.txt", "a b c d e f\ng h i j k\nl m n o\np q r s t\n");
  options.attributions = parse_attributions("random,leave-one-out");
  options.against = "leave-one-out";
  options.bootstrap.resamples = 100;
  const FaithfulnessResult result = run_faithfulness(hand_loaded(), options);
  const analysis::Table table = result.table();
  const auto number = [&](std::size_t row, const char* column) {
    return std::get<double>(table.rows[row][table.column(column)]);
  };
  const std::size_t half = table.rows.size() / 2;  // rows of random, then those of leave-one-out
  double sum = 0;
  double least = 1;
  double most = -1;
  for (const FaithfulnessResult::Row& row : result.rows) {
    const double difference = row.found[0].spearman - row.found[1].spearman;
    sum += difference;
    least = std::min(least, difference);
    most = std::max(most, difference);
  }
  ASSERT_EQ(result.rows.size(), 4U);
  EXPECT_EQ(std::get<std::string>(table.rows[0][table.column("against")]), "leave-one-out");
  EXPECT_NEAR(number(0, "difference"), sum / 4, 1e-12);
  EXPECT_GE(number(0, "difference_low"), least);
  EXPECT_LE(number(0, "difference_high"), most);
  EXPECT_LT(number(0, "difference_low"), number(0, "difference_high"));
  EXPECT_EQ(number(half, "difference"), 0);  // from itself
  EXPECT_EQ(number(half, "difference_high"), 0);
  // One sentence says nothing of how sentences differ.
  options.sentences = 1;
  const analysis::Table one = run_faithfulness(hand_loaded(), options).table();
  EXPECT_TRUE(std::isfinite(std::get<double>(one.rows[0][one.column("mean")])));
  EXPECT_TRUE(std::isnan(std::get<double>(one.rows[0][one.column("low")])));
  EXPECT_TRUE(std::isnan(std::get<double>(one.rows[0][one.column("difference_high")])));
}

std::string refusal(const FaithfulnessOptions& options) {
  try {
    run_faithfulness(hand_loaded(), options);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Faithfulness, WhatIsNotDefinedIsRefusedByName) {
  const test::TemporaryFolder folder;
  FaithfulnessOptions options;
  options.input = folder.write("t.txt", "a b c\n");
  options.attributions = parse_attributions("random,rollout");
  EXPECT_NE(refusal(options).find("rollout is not defined here: its layers have three attentions"),
            std::string::npos);
  options.attributions = parse_attributions("random");
  options.target = parse_target("tag:ner:1");
  EXPECT_NE(refusal(options).find("the tasks upos"), std::string::npos);
  options.target = {};
  options.erasure = Erasure::mask_token;
  EXPECT_NE(refusal(options).find("neither [MASK] nor <mask>"), std::string::npos);
  options.erasure = Erasure::mask;
  options.fractions = {0.5, 1.0};
  EXPECT_NE(refusal(options).find("does not lie between 0 and 1"), std::string::npos);
  for (const char* const text : {"pooled:1", "word", "word:0", "word:x", "tag:upos", "tag::1"}) {
    EXPECT_THROW(parse_target(text), UsageError) << text;
  }
  options.fractions = {0.5};
  options.against = "leave-one-out";
  EXPECT_NE(refusal(options).find("--against leave-one-out: it is not among"), std::string::npos);
  EXPECT_THROW(parse_attributions("alti,"), UsageError);
  EXPECT_THROW(parse_attributions("alti*"), UsageError);
}

TEST(Faithfulness, ARequestToStopEndsIt) {
  const test::TemporaryFolder folder;
  FaithfulnessOptions options;
  options.input = folder.write("t.txt", "a b c\n");
  options.attributions = parse_attributions("random");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(run_faithfulness(hand_loaded(), options, stop.get_token()), Interrupted);
}

}  // namespace
}  // namespace mog::app
