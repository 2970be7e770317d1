// Searches that begin with a prefix or run with interventions say what teacher forcing says of their result.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "io/recording/errors.h"
#include "tests/unit/engine/golden_case.h"

namespace mog::test {
namespace {

constexpr std::size_t kSentence = 2;
const QuantityName kLogits(Stack::decoder, 0, Part::none, Quantity::logits);

model::PackedBatch source_of(const GoldenCase& golden) {
  model::PackedBatch batch;
  batch.append(golden.ids(kSentence, "source_ids"));
  return batch;
}

// The sum of log p of the ids of a hypothesis, read by the decoder all at once.
double forced_log_prob(const GoldenCase& golden, const std::vector<std::int64_t>& ids,
                       const std::vector<model::Intervention>& interventions) {
  model::PackedBatch batch = source_of(golden);
  std::vector<std::int64_t> inputs = {golden.model->config().bos_id};
  inputs.insert(inputs.end(), ids.begin(), ids.end() - 1);
  batch.target_ids = inputs;
  batch.target_offsets = {0, static_cast<std::int64_t>(inputs.size())};
  Collector collector;
  const std::vector<model::Observer*> observers = {&collector};
  golden.model->run(batch, interventions, observers);
  const std::vector<float> logits = collector.of(kLogits, 0);
  const std::size_t width = logits.size() / ids.size();
  double sum = 0;
  for (std::size_t row = 0; row < ids.size(); ++row) {
    const auto begin = logits.begin() + static_cast<std::ptrdiff_t>(row * width);
    double total = 0;
    std::for_each(begin, begin + static_cast<std::ptrdiff_t>(width),
                  [&](float value) { total += std::exp(static_cast<double>(value)); });
    sum += static_cast<double>(logits[row * width + static_cast<std::size_t>(ids[row])]) - std::log(total);
  }
  return sum;
}

void expect_forced(const GoldenCase& golden, const model::BeamOptions& options, double within = 1e-4) {
  const auto found = golden.model->translate(source_of(golden), options).front();
  ASSERT_FALSE(found.empty());
  for (const model::Hypothesis& one : found) {
    EXPECT_NEAR(one.log_prob, forced_log_prob(golden, one.ids, options.interventions), within) << golden.name;
  }
}

TEST(Translate, APrefixOfTheBestTranslationLeadsToIt) {
  const GoldenCase golden = open_golden("half_weight_gate");
  const model::Hypothesis free =
      golden.model->translate(source_of(golden), {.beam = 1, .max_tokens = 15}).front().front();
  for (std::size_t length = 0; length + 1 < free.ids.size(); ++length) {
    const std::vector<std::int64_t> prefix(free.ids.begin(),
                                           free.ids.begin() + static_cast<std::ptrdiff_t>(length));
    const model::Hypothesis again =
        golden.model->translate(source_of(golden), {.beam = 1, .max_tokens = 15, .prefix = prefix})
            .front()
            .front();
    EXPECT_EQ(again.ids, free.ids);
    EXPECT_NEAR(again.log_prob, free.log_prob, 1e-6);
  }
}

TEST(Translate, EveryTranslationBeginsWithThePrefixAndCountsIt) {
  for (const char* const name : {"half_weight_gate", "transformer_pre", "position_learned"}) {
    const GoldenCase golden = open_golden(name);
    const model::BeamOptions options{.beam = 3, .max_tokens = 12, .prefix = {7, 5, 9}};
    const auto found = golden.model->translate(source_of(golden), options);
    for (const model::Hypothesis& one : found.front()) {
      ASSERT_GT(one.ids.size(), options.prefix.size());
      EXPECT_TRUE(std::equal(options.prefix.begin(), options.prefix.end(), one.ids.begin()));
    }
    expect_forced(golden, options);
  }
}

// A row is rounded by itself, so a step of the search is the row that teacher forcing has; a number on the
// edge of two steps of rounding may fall to either side.
TEST(Translate, InEightBitsTooASearchSaysWhatTeacherForcingSays) {
  if (!model::engine_report().eight_bit_products) {
    GTEST_SKIP() << "this processor has no VNNI";
  }
  for (const char* const name : {"half_weight_gate", "transformer_pre", "transformer_post", "sum"}) {
    const GoldenCase rounded = open_golden(name, {.device = "cpu", .precision = model::Precision::int8});
    const GoldenCase exact = open_golden(name);
    for (const std::int64_t beam : {1, 4}) {
      const model::BeamOptions options{.beam = beam, .max_tokens = 12};
      expect_forced(rounded, options, 0.02);
      const auto found = rounded.model->translate(source_of(rounded), options).front();
      for (std::size_t i = 1; i < found.size(); ++i) {
        EXPECT_GE(found[i - 1].score, found[i].score);
      }
      // And it is rounded, not by much: float32 gives the same words nearly the same probability.
      const double in_float32 = forced_log_prob(exact, found.front().ids, {});
      const auto words = static_cast<double>(found.front().ids.size());
      EXPECT_NEAR(found.front().log_prob, in_float32, 0.1 * words) << name;
      EXPECT_NE(found.front().log_prob, in_float32) << name;
    }
  }
}

TEST(Translate, APrefixThatCannotBeIsRefused) {
  const GoldenCase golden = open_golden("sum");
  const model::ModelConfig& config = golden.model->config();
  const auto refused = [&](std::vector<std::int64_t> prefix) {
    const model::BeamOptions options{.beam = 2, .max_tokens = 4, .prefix = std::move(prefix)};
    EXPECT_THROW(golden.model->translate(source_of(golden), options), UsageError);
  };
  refused({4, config.eos_id});
  refused({config.pad_id});
  refused({-1});
  refused({config.target_vocab_size});
  refused({4, 5, 6, 7});
}

TEST(Translate, InterventionsHoldAtEveryStep) {
  for (const char* const name : {"half_weight_gate", "transformer_post", "transformer_pre"}) {
    const GoldenCase golden = open_golden(name);
    const std::vector<std::vector<model::Intervention>> all = {
        {model::MaskToken{0, 3}},
        {model::ReplaceToken{0, 1, 12}},
        {model::ScaleHead{1, Part::cross, 2, 0.0}},
        {model::ScaleHead{2, Part::self, 1, -1.0}},
        {model::ScalePart{2, Part::cross, 0.5}, model::ZeroEmbedding{0, 4}},
    };
    const double before = forced_log_prob(
        golden, golden.model->translate(source_of(golden), {.beam = 1, .max_tokens = 12}).front().front().ids,
        {});
    bool changed = false;
    for (const std::vector<model::Intervention>& interventions : all) {
      const model::BeamOptions options{.beam = 3, .max_tokens = 12, .interventions = interventions};
      expect_forced(golden, options);
      const auto found = golden.model->translate(source_of(golden), options).front().front();
      changed = changed || std::abs(found.log_prob - before) > 1e-3;
    }
    EXPECT_TRUE(changed) << name;
  }
}

}  // namespace
}  // namespace mog::test
