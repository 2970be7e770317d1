#include "tests/unit/engine/parity_checks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>

#include "tests/unit/engine/golden_case.h"
#include "tests/unit/engine/gret_case.h"

namespace mog::test {
namespace {

constexpr double kTolerance = 1e-5;

std::vector<model::Observer*> one(model::Observer& observer) {
  return {&observer};
}

// Number of golden keys that are quantities, parts counted.
std::size_t quantity_count(const GoldenCase& golden, std::size_t sentence) {
  const std::string prefix = "s" + std::to_string(sentence) + ".";
  std::size_t count = 0;
  for (const auto& [key, tensor] : golden.expected) {
    if (key.starts_with(prefix)) {
      count += golden_quantities(key.substr(prefix.size()), golden.model->config()).size();
    }
  }
  return count;
}

const std::vector<std::vector<std::size_t>>& orders() {
  static const std::vector<std::vector<std::size_t>> all = {
      {2, 1, 0}, {0, 1, 2}, {1, 2, 0}, {2, 2, 1, 1, 1, 0}, {1, 2, 1, 0, 0, 2, 1}};
  return all;
}

void check_hypothesis(const GoldenCase& golden, std::size_t sentence, std::size_t rank,
                      const model::Hypothesis& found) {
  const std::string prefix = "s" + std::to_string(sentence) + ".beam4.";
  const auto length =
      static_cast<std::size_t>(golden.expected.at(prefix + "lengths").values<std::int64_t>()[rank]);
  const auto row = golden.expected.at(prefix + "ids").values<std::int64_t>().subspan(rank * 15, length);
  EXPECT_EQ(found.ids, std::vector<std::int64_t>(row.begin(), row.end()))
      << golden.name << " " << prefix << rank;
  const double log_prob = static_cast<double>(golden.expected.at(prefix + "log_probs").values<float>()[rank]);
  const double score = static_cast<double>(golden.expected.at(prefix + "scores").values<float>()[rank]);
  EXPECT_NEAR(found.log_prob, log_prob, kTolerance * std::max(1.0, std::abs(log_prob)));
  EXPECT_NEAR(found.score, score, kTolerance * std::max(1.0, std::abs(score)));
}

void check_search(const GoldenCase& golden, const std::vector<std::size_t>& order) {
  const model::PackedBatch batch = golden.batch(order);
  const auto greedy = golden.model->translate(batch, {.beam = 1, .max_tokens = 15, .length_penalty = 1.0});
  const auto beam = golden.model->translate(batch, {.beam = 4, .max_tokens = 15, .length_penalty = 0.6});
  ASSERT_EQ(greedy.size(), order.size());
  ASSERT_EQ(beam.size(), order.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    ASSERT_EQ(greedy[place].size(), 1U);
    EXPECT_EQ(greedy[place][0].ids, golden.ids(order[place], "greedy.ids")) << golden.name;
    const std::string key = "s" + std::to_string(order[place]) + ".greedy.log_prob";
    const double expected = static_cast<double>(golden.expected.at(key).values<float>()[0]);
    EXPECT_NEAR(greedy[place][0].log_prob, expected, kTolerance * std::max(1.0, std::abs(expected)));
    ASSERT_EQ(beam[place].size(), 4U) << golden.name;
    for (std::size_t rank = 0; rank < 4; ++rank) {
      check_hypothesis(golden, order[place], rank, beam[place][rank]);
    }
  }
}

constexpr std::size_t kDistances = 16;

// 0, 1, 2, 3 to 4, 5 to 8, …
std::size_t distance_place(std::size_t query, std::size_t key) {
  const std::size_t distance = query < key ? key - query : query - key;
  std::size_t place = std::min<std::size_t>(distance, 2);
  for (std::size_t end = 2; end < distance; end *= 2) {
    ++place;
  }
  return std::min(place, kDistances - 1);
}

// The keys of a row by falling weight, those of weight 0 left out; of equal ones the smaller first.
std::vector<std::size_t> keys_by_weight(std::span<const float> row) {
  std::vector<std::size_t> keys;
  for (std::size_t key = 0; key < row.size(); ++key) {
    if (row[key] > 0.0F) {
      keys.push_back(key);
    }
  }
  std::stable_sort(keys.begin(), keys.end(), [&](std::size_t a, std::size_t b) { return row[a] > row[b]; });
  return keys;
}

// The sink, distances, greatest weights and their keys of one map [heads, queries, keys].
void check_row_details(const QuantitySchema& schema, const Collector& found, std::size_t place,
                       const std::vector<float>& map, std::size_t queries, std::size_t keys,
                       const std::string& what) {
  const auto ranks = static_cast<std::size_t>(model::kTopKeys);
  std::vector<float> sink;
  std::vector<float> distances;
  std::vector<float> top;
  std::vector<float> top_keys;
  for (std::size_t row = 0; row < map.size() / keys; ++row) {
    const std::span<const float> weights(map.data() + row * keys, keys);
    sink.push_back(weights.front());
    std::vector<double> by_distance(kDistances, 0.0);
    for (std::size_t key = 0; key < keys; ++key) {
      by_distance[distance_place(row % queries, key)] += static_cast<double>(weights[key]);
    }
    distances.insert(distances.end(), by_distance.begin(), by_distance.end());
    const std::vector<std::size_t> order = keys_by_weight(weights);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      top.push_back(rank < order.size() ? weights[order[rank]] : 0.0F);
      top_keys.push_back(rank < order.size() ? static_cast<float>(order[rank]) : -1.0F);
    }
  }
  const auto expect = [&](Reduction reduction, const std::vector<float>& expected, double tolerance) {
    expect_near(found.of(schema.name.with(reduction), place), expected, tolerance,
                what + "." + std::string(name(reduction)));
  };
  expect(Reduction::sink, sink, 0.0);
  expect(Reduction::top, top, 0.0);
  expect(Reduction::top_key, top_keys, 0.0);
  if (found.has(schema.name.with(Reduction::distance))) {
    expect(Reduction::distance, distances, 1e-6);
  } else {
    EXPECT_EQ(schema.name.part().role(), PartRole::cross) << what;
  }
}

// The reductions of one map [heads, queries, keys] in double.
struct MapStatistics {
  std::vector<float> entropy;
  std::vector<float> maximum;
  std::vector<float> mean;
};
MapStatistics map_statistics(const std::vector<float>& map, std::size_t heads, std::size_t keys) {
  MapStatistics result;
  std::vector<double> mean(map.size() / heads, 0.0);
  for (std::size_t row = 0; row < map.size() / keys; ++row) {
    double entropy = 0.0;
    double maximum = 0.0;
    for (std::size_t key = 0; key < keys; ++key) {
      const auto p = static_cast<double>(map[row * keys + key]);
      entropy -= p > 0.0 ? p * std::log(p) : 0.0;
      maximum = std::max(maximum, p);
      mean[(row * keys + key) % mean.size()] += p / static_cast<double>(heads);
    }
    result.entropy.push_back(static_cast<float>(entropy));
    result.maximum.push_back(static_cast<float>(maximum));
  }
  result.mean.assign(mean.begin(), mean.end());
  return result;
}

void check_map_reductions(const GoldenCase& golden, const Collector& found,
                          const std::vector<std::size_t>& order) {
  for (const QuantitySchema& schema : golden.model->quantities()) {
    if (schema.name.quantity() != Quantity::attention || schema.name.reduction() != Reduction::full) {
      continue;
    }
    for (std::size_t place = 0; place < order.size(); ++place) {
      const std::size_t targets =
          golden.has_decoder() ? golden.ids(order[place], "decoder_input_ids").size() : 0;
      const auto shape =
          schema.shape(static_cast<std::int64_t>(golden.ids(order[place], "source_ids").size()),
                       static_cast<std::int64_t>(targets));
      const MapStatistics expected =
          map_statistics(found.of(schema.name, place), static_cast<std::size_t>(shape[0]),
                         static_cast<std::size_t>(shape[2]));
      const std::string what = golden.name + " " + schema.name.text();
      expect_near(found.of(schema.name.with(Reduction::row_entropy), place), expected.entropy, 2e-6, what);
      expect_near(found.of(schema.name.with(Reduction::row_max), place), expected.maximum, 0.0, what);
      expect_near(found.of(schema.name.with(Reduction::mean_heads), place), expected.mean, 2e-7, what);
      check_row_details(schema, found, place, found.of(schema.name, place),
                        static_cast<std::size_t>(shape[1]), static_cast<std::size_t>(shape[2]), what);
    }
  }
}

// Norms and shares of a layer's parts, from the part outputs and gates of the same run, in double.
class PartShares {
 public:
  PartShares(const GoldenCase& golden, const Collector& found, std::size_t place)
      : golden_(golden),
        found_(found),
        place_(place),
        d_(static_cast<std::size_t>(golden.model->config().encoder.d_model)) {}

  void check(std::int64_t layer) const {
    const model::EncoderConfig& config = golden_.model->config().encoder;
    std::vector<Part> parts = {Part::high, Part::middle1, Part::middle2, Part::low};
    if (!config.has_groups(layer)) {
      parts = {config.graph() ? Part::high : Part::full};
    }
    std::vector<std::vector<double>> norms;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      norms.push_back(norms_of(layer, parts[i], i));
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      std::vector<float> norm;
      std::vector<float> share;
      for (std::size_t token = 0; token < norms[i].size(); ++token) {
        double total = 0.0;
        for (const std::vector<double>& other : norms) {
          total += other[token];
        }
        norm.push_back(static_cast<float>(norms[i][token]));
        share.push_back(static_cast<float>(norms[i][token] / total));
      }
      const QuantityName name(Stack::encoder, layer, parts[i], Quantity::output);
      const std::string what = golden_.name + " " + name.text();
      expect_near(found_.of(name.with(Reduction::norm), place_), norm, 1e-5, what + ".norm");
      expect_near(found_.of(name.with(Reduction::share), place_), share, 1e-5, what + ".share");
    }
  }

 private:
  // What part `i` is multiplied with at one token and dimension on its way into Z.
  double factor(std::int64_t layer, std::size_t i, std::size_t token, std::size_t dim) const {
    const QuantityName gate(Stack::encoder, layer, Part::none, Quantity::gate);
    const QuantityName self_gate(Stack::encoder, layer, Part::none, Quantity::self_gate);
    if (found_.has(gate)) {
      const auto w = static_cast<double>(found_.of(gate, place_)[token * d_ + dim]);
      return i < 3 ? w : 1.0 - w;
    }
    if (found_.has(self_gate)) {
      const std::vector<float> s = found_.of(self_gate, place_);
      double sum = 0.0;
      for (std::size_t row = 0; row < 4; ++row) {
        sum += static_cast<double>(s[token * 16 + row * 4 + i]);
      }
      return sum / 4.0;
    }
    return 1.0;
  }
  std::vector<double> norms_of(std::int64_t layer, Part part, std::size_t i) const {
    const std::vector<float> output = found_.of({Stack::encoder, layer, part, Quantity::output}, place_);
    std::vector<double> norms(output.size() / d_, 0.0);
    for (std::size_t token = 0; token < norms.size(); ++token) {
      for (std::size_t dim = 0; dim < d_; ++dim) {
        const double value = static_cast<double>(output[token * d_ + dim]) * factor(layer, i, token, dim);
        norms[token] += value * value;
      }
      norms[token] = std::sqrt(norms[token]);
    }
    return norms;
  }

  const GoldenCase& golden_;
  const Collector& found_;
  std::size_t place_;
  std::size_t d_;
};

bool is_row_statistic(const QuantityName& name) {
  switch (name.reduction()) {
    case Reduction::row_entropy:
    case Reduction::row_max:
    case Reduction::sink:
    case Reduction::distance:
    case Reduction::top:
      return name.quantity() == Quantity::attention;
    default:
      return false;
  }
}
bool is_row_statistic_or_state(const QuantityName& name) {
  return is_row_statistic(name) || name.reduction() == Reduction::top_key ||
         (name.quantity() == Quantity::output && name.part() == Part::none &&
          name.reduction() == Reduction::full);
}
bool is_mean_map(const QuantityName& name) {
  return name.quantity() == Quantity::attention && name.reduction() == Reduction::mean_heads;
}
bool is_row_statistic_or_mean(const QuantityName& name) {
  return is_row_statistic_or_state(name) || is_mean_map(name);
}

// The engine computes attention by rows wherever it can ("1"), also where maps are as fast, or nowhere ("0").
class ByRows {
 public:
  explicit ByRows(const char* choice) { ::setenv(kVariable, choice, 1); }
  ~ByRows() { ::unsetenv(kVariable); }
  ByRows(const ByRows&) = delete;
  ByRows& operator=(const ByRows&) = delete;

 private:
  static constexpr const char* kVariable = "MOG_ATTENTION_ROWS";
};

// Keys that were found by rows have the weights that were found with them, in the map of the other way. Which
// of two nearly equal ones comes first is left to rounding.
void check_top_keys(const Collector& alone, const Collector& all, const QuantityName& name,
                    std::size_t place) {
  const std::vector<float> map = all.of(name.with(Reduction::full), place);
  const std::vector<float> keys = alone.of(name, place);
  const std::vector<float> weights = alone.of(name.with(Reduction::top), place);
  const auto ranks = static_cast<std::size_t>(model::kTopKeys);
  ASSERT_EQ(keys.size(), weights.size());
  const std::size_t length = map.size() / (keys.size() / ranks);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::size_t row = i / ranks;
    if (keys[i] < 0) {
      EXPECT_EQ(weights[i], 0.0F) << name.text();
    } else {
      EXPECT_NEAR(map.at(row * length + static_cast<std::size_t>(keys[i])), weights[i], kTolerance)
          << name.text();
    }
  }
}

// Both ways of one model, with and without a masked token. shown: what is wanted where there are no maps.
void compare_statistics(const model::Model& model, const model::PackedBatch& batch, const std::string& what,
                        bool (*shown)(const QuantityName&)) {
  const ByRows by_rows("1");
  bool same_bits = true;
  for (const std::vector<model::Intervention>& interventions :
       {std::vector<model::Intervention>{}, std::vector<model::Intervention>{model::MaskToken{1, 0}}}) {
    Collector all;
    Collector alone(DType::float32, shown);
    model.run(batch, interventions, one(all));
    model.run(batch, interventions, one(alone));
    for (const QuantitySchema& schema : model.quantities()) {
      if (!shown(schema.name)) {
        continue;
      }
      for (std::size_t place = 0; place < static_cast<std::size_t>(batch.sentences()); ++place) {
        if (schema.name.reduction() == Reduction::top_key) {
          check_top_keys(alone, all, schema.name, place);
          continue;
        }
        const std::vector<float> found = alone.of(schema.name, place);
        const std::vector<float> expected = all.of(schema.name, place);
        expect_near(found, expected, kTolerance, what + " " + schema.name.text());
        same_bits = same_bits && (found == expected || schema.name.quantity() != Quantity::attention);
      }
    }
  }
  // Two ways to compute some hundred numbers round differently: else it went one way twice.
  EXPECT_FALSE(same_bits) << what;
}

void compare_statistics(const model::Model& model, const model::PackedBatch& batch, const std::string& what) {
  compare_statistics(model, batch, what, is_row_statistic_or_state);
  if (model.device() == "cpu") {  // a card has maps for means
    compare_statistics(model, batch, what + ", means", is_row_statistic_or_mean);
    compare_statistics(model, batch, what + ", means alone", is_mean_map);
  }
}

}  // namespace

void check_statistics_alone(const std::string& name, const model::DeviceOptions& device) {
  const GoldenCase golden = open_golden(name, device);
  compare_statistics(*golden.model, golden.batch({1, 2, 1, 0}), name);
}

void check_statistics_alone_with_relative_positions(const model::DeviceOptions& device) {
  model::ModelConfig config = small_translator(model::EncoderKind::transformer);
  config.gret.reset();
  config.encoder.position = config.decoder->position = model::Position::relative;
  config.encoder.relative_buckets = config.decoder->relative_buckets = 8;
  config.encoder.relative_distance = config.decoder->relative_distance = 20;
  config.encoder.attention_scale = config.decoder->attention_scale = false;
  const auto model = open_weights(config, random_weights(config, 6), device);
  compare_statistics(*model, small_batch(), "relative positions");
}

void check_statistics_alone_with_windows(const model::DeviceOptions& device) {
  model::ModelConfig config = small_translator(model::EncoderKind::transformer);
  config.gret.reset();
  config.encoder.windows = std::vector<std::int64_t>(static_cast<std::size_t>(config.encoder.layers), 0);
  config.encoder.windows.front() = 2;
  config.encoder.score_cap = 1.5;
  const auto model = open_weights(config, random_weights(config, 7), device);
  compare_statistics(*model, small_batch(), "windows and a cap");
}

void check_long_sentences(const model::DeviceOptions& device) {
  const GoldenCase golden = open_golden("position_none", device);
  constexpr std::int64_t kTokens = 1100;
  std::vector<std::int64_t> ids(kTokens);
  for (std::int64_t i = 0; i < kTokens; ++i) {
    ids[static_cast<std::size_t>(i)] = 4 + i * i % 7;
  }
  model::PackedBatch batch;
  batch.append(ids);
  const auto wanted = [](const QuantityName& name) {
    const bool states = name.quantity() == Quantity::output && name.part() == Part::none &&
                        name.reduction() == Reduction::full;
    return states || (name.quantity() == Quantity::attention && name.reduction() == Reduction::mean_heads);
  };
  Collector by_rows(DType::float32, wanted);
  golden.model->run(batch, {}, one(by_rows));
  const ByRows nowhere("0");
  Collector by_maps(DType::float32, wanted);
  golden.model->run(batch, {}, one(by_maps));
  bool same_bits = true;
  int means = 0;
  for (const QuantitySchema& schema : golden.model->quantities()) {
    if (wanted(schema.name) && schema.name.stack() == Stack::encoder) {
      const std::vector<float> found = by_rows.of(schema.name, 0);
      const std::vector<float> expected = by_maps.of(schema.name, 0);
      // Sums of 1,100 terms in either order; products rounded to 8 bits in the one way and not in the other.
      const double tolerance = device.precision == model::Precision::bfloat16 ? 5e-2 : 5e-5;
      expect_near(found, expected, tolerance, schema.name.text());
      same_bits = same_bits && found == expected;
      means += schema.name.reduction() == Reduction::mean_heads ? 1 : 0;
    }
  }
  EXPECT_GT(means, 0);
  EXPECT_FALSE(same_bits);
}

void check_single_sentences(const std::string& name, const model::DeviceOptions& device) {
  const GoldenCase golden = open_golden(name, device);
  for (std::size_t sentence = 0; sentence < kGoldenSentences; ++sentence) {
    Collector collector;
    golden.model->run(golden.batch({sentence}), {}, one(collector));
    EXPECT_EQ(collector.size(), golden.model->quantities().size());
    EXPECT_EQ(compare_quantities(golden, collector, sentence, 0, kTolerance),
              quantity_count(golden, sentence));
  }
}

void check_packed_batches(const std::string& name, const model::DeviceOptions& device) {
  const GoldenCase golden = open_golden(name, device);
  for (const std::vector<std::size_t>& order : orders()) {
    Collector collector;
    golden.model->run(golden.batch(order), {}, one(collector));
    for (std::size_t place = 0; place < order.size(); ++place) {
      EXPECT_EQ(compare_quantities(golden, collector, order[place], place, kTolerance),
                quantity_count(golden, order[place]));
    }
  }
}

void check_translations(const std::string& name, const model::DeviceOptions& device) {
  const GoldenCase golden = open_golden(name, device);
  if (!golden.has_decoder()) {
    return;
  }
  for (std::size_t sentence = 0; sentence < kGoldenSentences; ++sentence) {
    check_search(golden, {sentence});
  }
  check_search(golden, {2, 0, 1, 2});
}

void check_reductions(const std::string& name, const model::DeviceOptions& device) {
  const GoldenCase golden = open_golden(name, device);
  const std::vector<std::size_t> order = {1, 2, 1, 0};
  Collector found;
  golden.model->run(golden.batch(order), {}, one(found));
  check_map_reductions(golden, found, order);
  for (std::size_t place = 0; place < order.size(); ++place) {
    for (std::int64_t layer = 1; layer <= golden.model->config().encoder.layers; ++layer) {
      PartShares(golden, found, place).check(layer);
    }
  }
}

void check_float16(const std::string& name, const model::DeviceOptions& device) {
  const GoldenCase golden = open_golden(name, device);
  Collector wide;
  Collector narrow(DType::float16);
  const std::vector<model::Observer*> both = {&wide, &narrow};
  golden.model->run(golden.batch({2, 1, 0, 1}), {}, both);
  ASSERT_EQ(narrow.size(), wide.size());
  for (const QuantitySchema& schema : golden.model->quantities()) {
    EXPECT_EQ(narrow.dtype(schema.name), DType::float16);
    for (std::size_t place = 0; place < 4; ++place) {
      std::vector<float> expected = wide.of(schema.name, place);
      for (float& value : expected) {
        value = to_float(to_float16(value));
      }
      expect_near(narrow.of(schema.name, place), expected, 0.0, golden.name + " " + schema.name.text());
    }
  }
}

}  // namespace mog::test
