// What source tokens, decoder inputs and the bias give to a decoder sums to what the pass computed, on the
// golden models and in both precisions. The values themselves are compared with a dense numpy program by
// tests/integration/cli_source_target.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "io/recording/errors.h"
#include "tests/unit/engine/golden_case.h"

namespace mog::test {
namespace {

constexpr std::size_t kPlaces = 3;
const std::vector<std::size_t> kOrder = {2, 0, 1};

QuantityName decoder(std::int64_t layer, Quantity quantity, Reduction reduction = Reduction::full) {
  return {Stack::decoder, layer, Part::none, quantity, reduction};
}

// Keeps every quantity of the decoder in float64, and the worst residual of every identity.
class Watcher final : public model::Observer {
 public:
  explicit Watcher(bool check) : check_(check) {}
  std::optional<DType> wants(const QuantityName& name) const override {
    return name.stack() == Stack::decoder ? std::optional(DType::float64) : std::nullopt;
  }
  bool observe(const QuantityName& name, const model::PackedValues& values) override {
    EXPECT_TRUE(values_.emplace(name, values).second) << name.text() << " was given twice";
    return true;
  }
  bool wants_decompositions() const override { return true; }
  bool checks_identities() const override { return check_; }
  void identity(const model::IdentityCheck& check) override {
    EXPECT_LE(check.residual, check.tolerance) << check.identity << ", layer " << check.layer;
    ++identities_[std::string(check.identity)];
  }
  std::vector<double> of(const QuantityName& name, std::size_t place) const {
    const model::PackedValues& packed = values_.at(name);
    const auto all = packed.values.values<double>();
    return {all.begin() + packed.offsets[place], all.begin() + packed.offsets[place + 1]};
  }
  bool has(const QuantityName& name) const { return values_.contains(name); }
  const std::map<std::string, std::int64_t>& identities() const { return identities_; }

 private:
  bool check_;
  std::map<QuantityName, model::PackedValues> values_;
  std::map<std::string, std::int64_t> identities_;
};

struct Setting {
  std::string name;
  model::Precision precision;
};

std::vector<Setting> settings() {
  std::vector<Setting> all;
  for (const std::string& name : golden_cases()) {
    if (open_golden(name).has_decoder()) {
      all.push_back({name, model::Precision::float64});
      all.push_back({name, model::Precision::float32});
    }
  }
  return all;
}

// [outer, middle, inner] summed over the middle.
std::vector<double> summed(const std::vector<double>& values, std::size_t outer, std::size_t inner) {
  const std::size_t middle = values.size() / outer / inner;
  std::vector<double> sums(outer * inner, 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    sums[i / (middle * inner) * inner + i % inner] += values[i];
  }
  return sums;
}

class DecoderDecomposition : public testing::TestWithParam<Setting> {
 protected:
  DecoderDecomposition() : golden_(open_golden(GetParam().name, {.precision = GetParam().precision})) {}
  double tolerance() const { return GetParam().precision == model::Precision::float64 ? 1e-10 : 1e-5; }
  bool plain() const { return model::why_no_decompositions(golden_.model->config()).empty(); }
  std::vector<Quantity> contributions() const {
    return plain() ? std::vector{Quantity::contribution, Quantity::memory_contribution}
                   : std::vector{Quantity::memory_contribution};
  }
  // parts [outer, middle, inner] summed over the middle, relative to the largest entry of both: parts of both
  // signs may be far larger than their sum.
  void expect_sum(const std::vector<double>& parts, std::size_t outer, std::size_t inner,
                  const std::vector<double>& expected, const std::string& what) {
    const std::vector<double> found = summed(parts, outer, inner);
    ASSERT_EQ(found.size(), expected.size()) << what;
    double largest =
        std::abs(*std::ranges::max_element(parts, {}, [](double part) { return std::abs(part); }));
    double worst = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      largest = std::max(largest, std::abs(expected[i]));
      worst = std::max(worst, std::abs(found[i] - expected[i]));
    }
    EXPECT_LE(worst, tolerance() * largest) << what;
  }
  GoldenCase golden_;
};

TEST_P(DecoderDecomposition, ContributionsSumToStatesLogitsAndOne) {
  const model::ModelConfig& config = golden_.model->config();
  Watcher found(/*check=*/false);
  model::Observer* const observers[] = {&found};
  golden_.model->run(golden_.batch(kOrder), {}, observers);
  for (std::size_t place = 0; place < kPlaces; ++place) {
    const auto inputs = golden_.ids(kOrder[place], "decoder_input_ids");
    const std::size_t rows = inputs.size();
    const auto width = static_cast<std::size_t>(config.decoder->d_model);
    for (const Quantity quantity : contributions()) {
      const std::string what = golden_.name + " " + std::string(name(quantity));
      for (std::int64_t layer = 0; layer <= config.decoder->layers; ++layer) {
        expect_sum(found.of(decoder(layer, quantity), place), rows, width,
                   found.of(decoder(layer, Quantity::output), place), what);
      }
      const std::vector<double> logits = found.of(decoder(0, Quantity::logits), place);
      const std::size_t vocabulary = logits.size() / rows;
      std::vector<double> of_next;
      for (std::size_t t = 0; t < rows; ++t) {
        const std::int64_t next = t + 1 < rows ? inputs[t + 1] : config.eos_id;
        of_next.push_back(logits[t * vocabulary + static_cast<std::size_t>(next)]);
      }
      expect_sum(found.of(decoder(0, quantity, Reduction::logit), place), rows, 1, of_next, what + " logits");
      const std::vector<double> ones(rows, 1.0);
      for (const Reduction reduction : {Reduction::projection, Reduction::share}) {
        expect_sum(found.of(decoder(0, quantity, reduction), place), rows, 1, ones, what + " shares");
      }
    }
  }
  EXPECT_EQ(found.has(decoder(0, Quantity::contribution)), plain());
}

// Tokens behind the one that is read have given nothing.
TEST_P(DecoderDecomposition, NothingComesFromWhatWasNotReadYet) {
  Watcher found(/*check=*/false);
  model::Observer* const observers[] = {&found};
  golden_.model->run(golden_.batch(kOrder), {}, observers);
  for (std::size_t place = 0; place < kPlaces; ++place) {
    const std::size_t rows = golden_.ids(kOrder[place], "decoder_input_ids").size();
    const std::size_t sources = golden_.ids(kOrder[place], "source_ids").size();
    for (const auto& [quantity, reduction, bias] :
         {std::tuple{Quantity::memory_contribution, Reduction::norm, 1},
          {Quantity::memory_alti, Reduction::product, 0}}) {
      const std::vector<double> map = found.of(decoder(2, quantity, reduction), place);
      const std::size_t columns = sources + rows + static_cast<std::size_t>(bias);
      ASSERT_EQ(map.size(), rows * columns);
      for (std::size_t t = 0; t < rows; ++t) {
        EXPECT_GE(map[t * columns + sources + t], 0.0);
        for (std::size_t later = t + 1; later < rows; ++later) {
          EXPECT_EQ(map[t * columns + sources + later], 0.0);
        }
      }
    }
  }
}

TEST_P(DecoderDecomposition, EveryIdentityHolds) {
  Watcher found(/*check=*/true);
  model::Observer* const observers[] = {&found};
  golden_.model->run(golden_.batch(kOrder), {}, observers);
  const std::int64_t layers = golden_.model->config().decoder->layers;
  std::map<std::string, std::int64_t> expected = {{"contributions by position", layers + 1},
                                                  {"logits by position", 1},
                                                  {"ALTI+ of a decoder layer", layers},
                                                  {"ALTI+ of the decoder", layers}};
  if (plain()) {
    expected.insert({{"decoder contributions", layers + 1},
                     {"logits by contributions", 1},
                     {"ALTI+ of both sides", layers}});
  }
  for (const auto& [identity, count] : expected) {
    ASSERT_TRUE(found.identities().contains(identity)) << identity;
    EXPECT_EQ(found.identities().at(identity), count) << identity;
  }
}

INSTANTIATE_TEST_SUITE_P(Golden, DecoderDecomposition, testing::ValuesIn(settings()),
                         [](const auto& instance) {
                           return instance.param.name + (instance.param.precision == model::Precision::float64
                                                             ? "_float64"
                                                             : "_float32");
                         });

TEST(DecoderDecompositions, RefuseInterventions) {
  const GoldenCase golden = open_golden("transformer_post");
  Watcher watcher(/*check=*/false);
  model::Observer* const observers[] = {&watcher};
  const model::Intervention cut = model::ScaleHead{1, Part::full, 1, 0.0};
  EXPECT_THROW(golden.model->run(golden.batch(kOrder), {&cut, 1}, observers), UsageError);
}

TEST(DecoderDecompositions, AreNotThereWithoutATarget) {
  const GoldenCase golden = open_golden("half_weight_gate");
  Watcher watcher(/*check=*/false);
  model::Observer* const observers[] = {&watcher};
  model::PackedBatch batch = golden.batch(kOrder);
  batch.target_ids.clear();
  batch.target_offsets.clear();
  golden.model->run(batch, {}, observers);
  EXPECT_FALSE(watcher.has(decoder(0, Quantity::memory_contribution)));
}

}  // namespace
}  // namespace mog::test
