// Products of layer maps, attention flow and orders: against values of an independent program, by hand, and
// what must hold for any maps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "analysis/attribution/layer_products.h"
#include "analysis/attribution/map_orders.h"
#include "analysis/attribution/quantities.h"
#include "analysis/attribution/word_units.h"
#include "io/checkpoint/safetensors.h"
#include "io/recording/errors.h"
#include "tests/support/places.h"

namespace mog::analysis {
namespace {

StackDescription plain_stack(std::int64_t layers) {
  return {.stack = Stack::encoder, .layers = layers, .heads = 2, .parts = {Part::full}};
}

using Tensors = std::map<std::string, HostTensor>;

std::vector<double> doubles(const HostTensor& tensor) {
  if (tensor.dtype() == DType::float64) {
    const auto values = tensor.values<double>();
    return {values.begin(), values.end()};
  }
  const std::vector<float> values = tensor.to_floats();
  return {values.begin(), values.end()};
}

void expect_close(const std::vector<double>& found, const std::vector<double>& expected, double tolerance,
                  const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  double largest = 0;
  double worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    largest = std::max(largest, std::abs(expected[i]));
    worst = std::max(worst, std::abs(found[i] - expected[i]));
  }
  EXPECT_LE(worst, tolerance * largest) << what;
}

// One golden sentence as a reader of layer maps.
class Golden {
 public:
  Golden(const Tensors& tensors, std::string sentence)
      : tensors_(tensors), prefix_(std::move(sentence) + ".") {
    const auto shape = at("attention").shape();  // [layer, head, query, key]
    layers = shape[0];
    heads_ = shape[1];
    tokens = shape[2];
  }
  const HostTensor& at(const std::string& key) const { return tensors_.at(prefix_ + key); }
  bool has(const std::string& key) const { return tensors_.contains(prefix_ + key); }
  TokenMap operator()(const QuantityName& name) const {
    const auto size = static_cast<std::size_t>(tokens * tokens);
    const auto layer = static_cast<std::size_t>(name.layer()) - 1;
    if (name.quantity() != Quantity::attention) {
      const std::vector<double> all =
          doubles(at(name.quantity() == Quantity::alti ? "alti_layer" : "globenc_layer"));
      return {all.begin() + static_cast<std::ptrdiff_t>(layer * size),
              all.begin() + static_cast<std::ptrdiff_t>((layer + 1) * size)};
    }
    const std::vector<double> all = doubles(at("attention"));
    TokenMap mean(size, 0.0);
    const auto heads = static_cast<std::size_t>(heads_);
    for (std::size_t head = 0; head < heads; ++head) {
      for (std::size_t i = 0; i < size; ++i) {
        mean[i] += all[(layer * heads + head) * size + i] / static_cast<double>(heads);
      }
    }
    return mean;
  }
  // A quantity of all layers, one after another.
  std::vector<double> computed(Quantity quantity, Reduction reduction, bool whole = false) const {
    std::vector<QuantityName> names;
    for (std::int64_t layer = whole ? 0 : 1; layer <= (whole ? 0 : layers); ++layer) {
      names.emplace_back(Stack::encoder, layer, Part::none, quantity, reduction);
    }
    std::vector<double> result;
    for (const auto& values : attributions(names, plain_stack(layers), tokens, *this)) {
      result.insert(result.end(), values.begin(), values.end());
    }
    return result;
  }

  std::int64_t layers = 0;
  std::int64_t tokens = 0;

 private:
  const Tensors& tensors_;
  std::string prefix_;
  std::int64_t heads_ = 0;
};

struct Key {
  const char* golden;
  Quantity quantity;
  Reduction reduction;
  bool whole = false;
};
constexpr Key kKeys[] = {
    {"rollout", Quantity::rollout, Reduction::product},
    {"alti", Quantity::alti, Reduction::product},
    {"globenc", Quantity::globenc, Reduction::product},
    {"globenc_raw", Quantity::globenc, Reduction::raw_product},
    {"flow", Quantity::flow, Reduction::full, true},
    {"flow_raw", Quantity::flow, Reduction::raw, true},
    {"order_alti", Quantity::alti, Reduction::tree_order},
    {"order_rollout", Quantity::rollout, Reduction::tree_order},
    {"order_alti_mean", Quantity::alti, Reduction::tree_order_mean},
    {"order_rollout_mean", Quantity::rollout, Reduction::tree_order_mean},
    {"order_alti_log2", Quantity::alti, Reduction::tree_order_bins},
    {"order_rollout_log2", Quantity::rollout, Reduction::tree_order_bins},
    {"walk_alti", Quantity::alti, Reduction::walk_order},
    {"walk_rollout", Quantity::rollout, Reduction::walk_order},
};

class Attribution : public testing::TestWithParam<const char*> {};

TEST_P(Attribution, EqualsTheReference) {
  MOG_REQUIRE_SHARED(folder, std::string("golden/decomposition/") + GetParam());
  const Tensors tensors = io::read_tensors(folder / "expected.safetensors");
  const bool halves = std::string(GetParam()) == "minilm";  // stored as float16 and float32
  std::size_t compared = 0;
  for (std::size_t s = 0; tensors.contains("s" + std::to_string(s) + ".attention"); ++s) {
    const Golden golden(tensors, "s" + std::to_string(s));
    for (const Key& key : kKeys) {
      if (golden.has(key.golden)) {
        expect_close(golden.computed(key.quantity, key.reduction, key.whole), doubles(golden.at(key.golden)),
                     halves ? 2e-3 : 1e-10, "s" + std::to_string(s) + "." + key.golden);
        ++compared;
      }
    }
    for (const auto& [identity, residual] :
         attribution_residuals(plain_stack(golden.layers), golden.tokens, golden)) {
      EXPECT_LE(residual, halves ? 2e-3 : 1e-10) << identity;
    }
  }
  EXPECT_GE(compared, halves ? 25U : 2 * std::size(kKeys));
}

INSTANTIATE_TEST_SUITE_P(Golden, Attribution, testing::Values("tiny-post-relu", "tiny-pre-relu", "minilm"),
                         [](const auto& golden) {
                           std::string text = golden.param;
                           std::replace(text.begin(), text.end(), '-', '_');
                           return text;
                         });

TEST(AttentionFlow, TakesTheWidestWaysTogether) {
  // Two layers, two tokens: from token 1 above, 0.3 go straight to input 1 (0.3 of 0.6), and by token 2 at
  // most min(0.7, 0.2).
  const std::vector<TokenMap> layers = {{0.6, 0.4, 0.2, 0.8}, {0.3, 0.7, 0.5, 0.5}};
  const TokenMap flow = attention_flow(layers, 2);
  EXPECT_NEAR(flow[0], 0.3 + 0.2, 1e-15);
  EXPECT_NEAR(flow[1], 0.3 + 0.7, 1e-15);
  EXPECT_NEAR(flow[2], 0.5 + 0.2, 1e-15);
  EXPECT_NEAR(flow[3], 0.4 + 0.5, 1e-15);
}

TEST(AttentionFlow, RefusesNegativeCapacities) {
  EXPECT_THROW(attention_flow(std::vector<TokenMap>{{1.5, -0.5, 0, 1}}, 2), ShapeError);
  EXPECT_THROW(attention_flow(std::vector<TokenMap>{{1.0}}, 2), ShapeError);
}

TEST(TreeOrders, OfAMapThatKeepsHalf) {
  // One token keeps 1/2 and joins the other with 1/2: after one layer 1 or 2 leaves, after two 1, 2, 3 or 4.
  const std::vector<TokenMap> layers(2, {0.5, 0.5, 0.5, 0.5});
  const TreeOrders orders = tree_orders(layers, 2);
  EXPECT_EQ(orders.mass[0], (std::vector<double>{0, .5, .5, 0, 0, 0, .5, .5, 0, 0}));
  const std::vector<double> second(orders.mass[1].begin(), orders.mass[1].begin() + 5);
  // p = 1/2 q + 1/2 q*q with q = (1/2, 1/2): 1/4, 1/4 + 1/8, 1/4, 1/8
  EXPECT_EQ(second, (std::vector<double>{0, .25, .375, .25, .125}));
  EXPECT_EQ(orders.bins[1], (std::vector<double>{.25, .625, .125, .25, .625, .125}));
  EXPECT_EQ(expected_tree_orders(layers, 2)[1], (std::vector<double>{2.25, 2.25}));
}

TEST(TreeOrders, DeepEncodersHaveTheirMeanOnly) {
  const std::vector<TokenMap> layers(13, TokenMap{0.5, 0.5, 0.5, 0.5});
  EXPECT_THROW(tree_orders(layers, 2), UsageError);
  EXPECT_NEAR(expected_tree_orders(layers, 2).back()[0], std::pow(1.5, 13), 1e-9);
  for (const QuantitySchema& schema : attribution_quantities(plain_stack(13))) {
    EXPECT_NE(schema.name.reduction(), Reduction::tree_order);
  }
}

TEST(Attribution, HoldsItsIdentitiesForRandomMaps) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> draw(0.0, 1.0);
  for (const std::int64_t tokens : {1, 2, 5, 9}) {
    for (const std::int64_t layers : {1, 4, 8}) {
      std::map<QuantityName, TokenMap> maps;
      const MapReader read = [&](const QuantityName& name) {
        auto& map = maps[name];
        if (map.empty()) {
          for (std::int64_t i = 0; i < tokens * tokens; ++i) {
            map.push_back(draw(random) < 0.3 ? 0.0 : draw(random));
          }
          for (std::int64_t i = 0; i < tokens; ++i) {
            map[static_cast<std::size_t>(i * (tokens + 1))] += 0.1;
          }
          divide_rows(map, tokens);
        }
        return map;
      };
      for (const auto& [identity, residual] : attribution_residuals(plain_stack(layers), tokens, read)) {
        EXPECT_LE(residual, 1e-12) << identity << ", " << tokens << " tokens, " << layers << " layers";
      }
    }
  }
}

TEST(Attribution, EveryQuantityHasTheShapeOfItsSchema) {
  const std::int64_t layers = 3;
  const std::int64_t tokens = 4;
  const MapReader read = [&](const QuantityName&) {
    return TokenMap(static_cast<std::size_t>(tokens * tokens), 0.25);
  };
  std::vector<QuantityName> names;
  const std::vector<QuantitySchema> schemas = attribution_quantities(plain_stack(layers));
  for (const QuantitySchema& schema : schemas) {
    names.push_back(schema.name);
    EXPECT_EQ(QuantityName::parse(schema.name.text()), schema.name);
  }
  const auto values = attributions(names, plain_stack(layers), tokens, read);
  for (std::size_t i = 0; i < schemas.size(); ++i) {
    EXPECT_EQ(static_cast<std::int64_t>(values[i].size()), schemas[i].elements(tokens)) << names[i].text();
  }
  EXPECT_EQ(attribution_inputs(names, plain_stack(layers)).size(), 9U);
}

TEST(Attribution, ASentenceWithoutTokensHasEmptyValues) {
  const MapReader read = [](const QuantityName&) { return TokenMap(); };
  const std::vector<QuantityName> names = {
      QuantityName(Stack::encoder, 1, Part::none, Quantity::alti, Reduction::tree_order)};
  EXPECT_TRUE(attributions(names, plain_stack(2), 0, read).at(0).empty());
  EXPECT_TRUE(attribution_residuals(plain_stack(2), 0, read).empty());
}

Sentence with_pieces() {  // [CLS] un ##do it [SEP]
  Sentence sentence;
  sentence.words = {{"undo", {}}, {"it", {}}};
  for (const std::int64_t word : {-1, 0, 0, 1, -1}) {
    sentence.tokens.push_back({"t", 0, word, {}});
  }
  return sentence;
}

TEST(WordUnits, PiecesOfAWordAreOneUnitAndSpecialTokensOneEach) {
  const WordUnits units = word_units(with_pieces());
  EXPECT_EQ(units.of_token, (std::vector<std::int64_t>{0, 1, 1, 2, 3}));
  EXPECT_EQ(units.first, (std::vector<std::int64_t>{0, 1, 3, 4}));
  Sentence two;  // neighbouring special tokens are not one word
  two.tokens = {{"</s>", 2, -1, {}}, {"</s>", 2, -1, {}}};
  EXPECT_EQ(word_units(two).count(), 2);
}

TEST(WordUnits, KeysAreSummedAndQueriesAveraged) {
  const WordUnits units = word_units(with_pieces());
  const std::vector<double> map = {1, 2,  3,  4,  5,   //
                                   6, 7,  8,  9,  10,  //
                                   2, 1,  0,  1,  2,   //
                                   0, 1,  1,  0,  3,   //
                                   4, 10, 20, 30, 40};
  const std::vector<double> expected = {1, 5,  4,  5,  // [CLS]: 2 + 3 of "undo"
                                        4, 8,  5,  6,  // (6+2)/2, (7+8+1+0)/2, …
                                        0, 2,  0,  3,  //
                                        4, 30, 30, 40};
  EXPECT_EQ(merge_pieces(map, 5, units), expected);
  // A column more, the bias, stays by itself.
  const std::vector<double> sources = {0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0,
                                       0, 0, 4, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 6};
  EXPECT_EQ(merge_pieces(sources, 6, units),
            (std::vector<double>{0, 0, 0, 0, 1, 0, 0, 0, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 6}));
  EXPECT_THROW(merge_pieces(map, 4, units), ShapeError);
  EXPECT_THROW(merge_pieces(sources, 5, units), ShapeError);
}

TEST(WordUnits, RowsKeepTheirSums) {
  const WordUnits units = word_units(with_pieces());
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> map(30);
  std::vector<double> sums(5, 0.0);
  for (std::size_t i = 0; i < map.size(); ++i) {
    map[i] = uniform(generator);
    sums[i / 6] += map[i];
  }
  const std::vector<double> merged = merge_pieces(map, 6, units);
  const std::vector<double> expected = {sums[0], (sums[1] + sums[2]) / 2, sums[3], sums[4]};
  for (std::size_t unit = 0; unit < 4; ++unit) {
    double sum = 0;
    for (std::size_t column = 0; column < 5; ++column) {
      sum += merged[unit * 5 + column];
    }
    EXPECT_NEAR(sum, expected[unit], 1e-14);
  }
}

}  // namespace
}  // namespace mog::analysis
