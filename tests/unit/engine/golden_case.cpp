#include "tests/unit/engine/golden_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "io/checkpoint/safetensors.h"
#include "tests/support/places.h"

namespace mog::test {
namespace {

std::filesystem::path models_dir() {
  return data_dir() / "engine" / "models";
}

constexpr std::array kParts = {Part::high, Part::middle1, Part::middle2};

std::string key_of(std::size_t sentence, const std::string& key) {
  return "s" + std::to_string(sentence) + "." + key;
}

// Keys of one layer that are one quantity each.
const std::map<std::string, std::pair<Part, Quantity>>& layer_keys() {
  static const std::map<std::string, std::pair<Part, Quantity>> keys = {
      {"input", {Part::none, Quantity::input}},
      {"previous", {Part::none, Quantity::previous}},
      {"incremental", {Part::none, Quantity::incremental}},
      {"i_h", {Part::high, Quantity::output}},
      {"i_m1", {Part::middle1, Quantity::output}},
      {"i_m2", {Part::middle2, Quantity::output}},
      {"i_l", {Part::low, Quantity::output}},
      {"gate", {Part::none, Quantity::gate}},
      {"self_gate", {Part::none, Quantity::self_gate}},
      {"z", {Part::none, Quantity::fused}},
      {"a", {Part::none, Quantity::attended}},
      {"full", {Part::none, Quantity::output}},
      {"output", {Part::none, Quantity::output}},
      {"self_attention", {Part::self, Quantity::attention}},
      {"cross_attention", {Part::cross, Quantity::attention}}};
  return keys;
}

std::vector<GoldenQuantity> layer_quantities(Stack stack, std::int64_t layer, const std::string& key,
                                             const model::EncoderConfig& config) {
  if (key == "attention") {
    if (!config.graph()) {
      return {{{stack, layer, Part::full, Quantity::attention}, 0, 1}};
    }
    std::vector<GoldenQuantity> result;
    const std::size_t parts = config.has_groups(layer) ? kParts.size() : 1;
    for (std::size_t part = 0; part < parts; ++part) {
      result.push_back({{stack, layer, kParts[part], Quantity::attention}, part, parts});
    }
    return result;
  }
  const auto& [part, quantity] = layer_keys().at(key);
  return {{{stack, layer, part, quantity}, 0, 1}};
}

}  // namespace

std::vector<std::string> golden_cases() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(models_dir())) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::filesystem::path golden_directory(const std::string& name) {
  return models_dir() / name;
}

std::vector<std::int64_t> GoldenCase::ids(std::size_t sentence, const char* key) const {
  const auto values = expected.at(key_of(sentence, key)).values<std::int64_t>();
  return {values.begin(), values.end()};
}

model::PackedBatch GoldenCase::batch(const std::vector<std::size_t>& order) const {
  model::PackedBatch batch;
  for (const std::size_t sentence : order) {
    batch.append(ids(sentence, "source_ids"));
    if (!has_decoder()) {
      continue;
    }
    const std::vector<std::int64_t> target = ids(sentence, "decoder_input_ids");
    if (batch.target_offsets.empty()) {
      batch.target_offsets.push_back(0);
    }
    batch.target_ids.insert(batch.target_ids.end(), target.begin(), target.end());
    batch.target_offsets.push_back(static_cast<std::int64_t>(batch.target_ids.size()));
  }
  return batch;
}

GoldenCase open_golden(const std::string& name, const model::DeviceOptions& options) {
  const std::filesystem::path path = golden_directory(name);
  return {name, model::load_model(path, options), io::read_tensors(path / "expected.safetensors")};
}

std::optional<DType> Collector::wants(const QuantityName& name) const {
  if (filter_ != nullptr && !filter_(name)) {
    return std::nullopt;
  }
  return dtype_;
}

bool Collector::observe(const QuantityName& name, const model::PackedValues& values) {
  EXPECT_FALSE(values_.contains(name)) << name.text() << " was shown twice";
  values_[name] = values;
  return true;
}

std::vector<float> Collector::of(const QuantityName& name, std::size_t sentence) const {
  const model::PackedValues& values = values_.at(name);
  const std::int64_t first = values.offsets.at(sentence);
  return values.values.slice_flat(first, {values.offsets.at(sentence + 1) - first}).to_floats();
}

std::vector<GoldenQuantity> golden_quantities(const std::string& key, const model::ModelConfig& config) {
  if (key.starts_with("greedy") || key.starts_with("beam4") || key.ends_with("_ids")) {
    return {};
  }
  if (key == "logits") {
    return {{{Stack::decoder, 0, Part::none, Quantity::logits}, 0, 1}};
  }
  if (key.starts_with("heads.")) {
    return {{{Stack::heads, 0, Part::none, Quantity::logits, Reduction::full, key.substr(6)}, 0, 1}};
  }
  const Stack stack = key.starts_with("decoder") ? Stack::decoder : Stack::encoder;
  const std::size_t layers = key.find(".layers.");
  if (layers == std::string::npos) {
    const bool embedding = key.ends_with("embedding");
    return {{{stack, 0, Part::none, embedding ? Quantity::embedding : Quantity::output}, 0, 1}};
  }
  const std::string rest = key.substr(layers + 8);
  const std::size_t dot = rest.find('.');
  const std::int64_t layer = std::stoll(rest.substr(0, dot)) + 1;
  return layer_quantities(stack, layer, rest.substr(dot + 1), config.encoder);
}

void expect_near(const std::vector<float>& found, std::span<const float> expected, double tolerance,
                 const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  double worst = 0.0;
  std::size_t place = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double scale = std::max(1.0, std::abs(static_cast<double>(expected[i])));
    const double error = std::abs(static_cast<double>(found[i]) - static_cast<double>(expected[i])) / scale;
    if (!(error <= worst)) {  // NaN is worst
      worst = error;
      place = i;
    }
  }
  EXPECT_LE(worst, tolerance) << what << ": element " << place << " is " << found[place] << ", expected "
                              << expected[place];
}

std::size_t compare_quantities(const GoldenCase& golden, const Collector& collector, std::size_t sentence,
                               std::size_t place, double tolerance) {
  const std::string prefix = key_of(sentence, "");
  std::size_t compared = 0;
  for (const auto& [key, tensor] : golden.expected) {
    if (!key.starts_with(prefix)) {
      continue;
    }
    for (const GoldenQuantity& quantity :
         golden_quantities(key.substr(prefix.size()), golden.model->config())) {
      const std::string what = golden.name + " " + key + " (" + quantity.name.text() + ")";
      if (!collector.has(quantity.name)) {
        ADD_FAILURE() << what << " was not shown";
        continue;
      }
      const std::span<const float> all = tensor.values<float>();
      const std::size_t size = all.size() / quantity.blocks;
      expect_near(collector.of(quantity.name, place), all.subspan(quantity.block * size, size), tolerance,
                  what);
      ++compared;
    }
  }
  return compared;
}

}  // namespace mog::test
