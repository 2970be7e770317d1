#include "tests/unit/engine/gret_case.h"
#include "tests/support/places.h"

#include <cmath>
#include <filesystem>
#include <random>
#include <utility>
#include <vector>

#include "io/checkpoint/safetensors.h"
#include "model/tensor_table.h"
#include "tests/unit/engine/golden_case.h"

namespace mog::test {
namespace {

constexpr std::int64_t kLayers = 3;
constexpr std::int64_t kTokens = 6;
constexpr std::int64_t kTargets = 5;
constexpr std::int64_t kWidth = 16;
constexpr std::int64_t kFirstToken = 4;
constexpr double kEpsilon = 1e-5;  // of the layer norms

using Rows = std::vector<std::vector<double>>;
using Tensors = std::map<std::string, HostTensor>;

Rows rows_of(const HostTensor& tensor) {
  const std::vector<float> all = tensor.to_floats();
  const auto width = static_cast<std::size_t>(tensor.shape().back());
  Rows rows(all.size() / width, std::vector<double>(width));
  for (std::size_t i = 0; i < all.size(); ++i) {
    rows[i / width][i % width] = static_cast<double>(all[i]);
  }
  return rows;
}

double dot(const std::vector<double>& left, const std::vector<double>& right) {
  double sum = 0.0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    sum += left[i] * right[i];
  }
  return sum;
}

std::vector<double> normed(const std::vector<double>& x) {
  const auto size = static_cast<double>(x.size());
  double mean = 0.0;
  for (const double value : x) {
    mean += value / size;
  }
  double variance = 0.0;
  for (const double value : x) {
    variance += (value - mean) * (value - mean) / size;
  }
  std::vector<double> result;
  for (const double value : x) {
    result.push_back((value - mean) / std::sqrt(variance + kEpsilon));
  }
  return result;
}

// Solves G x = b by elimination; b and the result: [row][column].
Rows solved(Rows matrix, Rows right) {
  const std::size_t size = matrix.size();
  for (std::size_t pivot = 0; pivot < size; ++pivot) {
    const double scale = 1.0 / matrix[pivot][pivot];  // G is positive definite
    for (std::size_t row = 0; row < size; ++row) {
      const double factor = row == pivot ? 0.0 : matrix[row][pivot] * scale;
      for (std::size_t column = 0; factor != 0.0 && column < size; ++column) {
        matrix[row][column] -= factor * matrix[pivot][column];
      }
      for (std::size_t column = 0; factor != 0.0 && column < right[row].size(); ++column) {
        right[row][column] -= factor * right[pivot][column];
      }
    }
  }
  for (std::size_t row = 0; row < size; ++row) {
    for (double& value : right[row]) {
      value /= matrix[row][row];
    }
  }
  return right;
}

// The map A with A · norm(from_i) = to_i − from_i for every row i.
Rows step_map(const Rows& from, const Rows& to) {
  Rows z;
  for (const std::vector<double>& row : from) {
    z.push_back(normed(row));
  }
  Rows products(z.size(), std::vector<double>(z.size()));
  for (std::size_t i = 0; i < z.size(); ++i) {
    for (std::size_t j = 0; j < z.size(); ++j) {
      products[i][j] = dot(z[i], z[j]);
    }
  }
  const Rows dual = solved(products, z);  // dual_i · z_j = 1 where i = j, else 0
  Rows map(kWidth, std::vector<double>(kWidth, 0.0));
  for (std::size_t i = 0; i < z.size(); ++i) {
    for (std::size_t row = 0; row < map.size(); ++row) {
      for (std::size_t column = 0; column < map.size(); ++column) {
        map[row][column] += (to[i][row] - from[i][row]) * dual[i][column];
      }
    }
  }
  return map;
}

HostTensor filled(const std::vector<std::int64_t>& shape, float value) {
  HostTensor tensor(DType::float32, shape);
  for (float& entry : tensor.mutable_values<float>()) {
    entry = value;
  }
  return tensor;
}

// fc2(relu(fc1(z))) = A z: fc1 = [A; −A], fc2 = [1, −1].
void set_feed_forward(Tensors& weights, const std::string& layer, const Rows& map) {
  const auto size = static_cast<std::size_t>(kWidth);
  auto up = weights.at(layer + ".fc1.weight").mutable_values<float>();
  auto down = weights.at(layer + ".fc2.weight").mutable_values<float>();
  for (std::size_t row = 0; row < size; ++row) {
    for (std::size_t column = 0; column < size; ++column) {
      up[row * size + column] = static_cast<float>(map[row][column]);
      up[(size + row) * size + column] = static_cast<float>(-map[row][column]);
    }
    down[row * 2 * size + row] = 1.0F;
    down[row * 2 * size + size + row] = -1.0F;
  }
}

// Rows of a golden tensor as the embeddings of tokens 4, 5, …
HostTensor embeddings(const HostTensor& rows) {
  std::vector<float> table(static_cast<std::size_t>(kFirstToken * kWidth), 0.0F);
  const std::vector<float> own = rows.to_floats();
  table.insert(table.end(), own.begin(), own.end());
  return HostTensor::of<float>({kFirstToken + rows.shape().front(), kWidth}, table);
}

model::ModelConfig golden_config(const std::string& axis) {
  model::ModelConfig config;
  model::EncoderConfig& encoder = config.encoder;
  encoder.kind = model::EncoderKind::transformer;
  encoder.layers = kLayers;
  encoder.d_model = encoder.attention_dim = kWidth;
  encoder.heads = 1;
  encoder.ffn_dim = 2 * kWidth;
  encoder.norm = model::NormPlace::pre;
  encoder.final_norm = false;
  encoder.position = model::Position::none;
  encoder.embed_scale = false;
  encoder.layer_norm_eps = kEpsilon;
  model::DecoderConfig& decoder = config.decoder.emplace();
  decoder.layers = 1;
  decoder.d_model = kWidth;
  decoder.heads = 1;
  decoder.ffn_dim = kWidth;
  decoder.norm = model::NormPlace::pre;
  decoder.final_norm = false;
  decoder.position = model::Position::none;
  decoder.embed_scale = false;
  config.vocab_size = kFirstToken + kTokens;
  config.target_vocab_size = kFirstToken + kTargets;
  model::GretConfig& gret = config.gret.emplace();
  gret.capsules = 4;
  gret.route_axis = axis == "positions" ? model::RouteAxis::positions : model::RouteAxis::capsules;
  gret.ffn_dim = 20;
  return config;
}

std::vector<std::int64_t> counted_ids(std::int64_t count) {
  std::vector<std::int64_t> ids;
  for (std::int64_t i = 0; i < count; ++i) {
    ids.push_back(kFirstToken + i);
  }
  return ids;
}

void append_target(model::PackedBatch& batch, const std::vector<std::int64_t>& ids) {
  if (batch.target_offsets.empty()) {
    batch.target_offsets.push_back(0);
  }
  batch.target_ids.insert(batch.target_ids.end(), ids.begin(), ids.end());
  batch.target_offsets.push_back(static_cast<std::int64_t>(batch.target_ids.size()));
}

// The last of the three iterations that the file has of every value.
std::vector<float> last(const HostTensor& iterations) {
  const std::vector<float> all = iterations.to_floats();
  return {all.end() - static_cast<std::ptrdiff_t>(all.size() / 3), all.end()};
}

QuantityName encoder(std::int64_t layer, Quantity quantity) {
  return {Stack::encoder, layer, Part::none, quantity};
}
QuantityName decoder(Quantity quantity) {
  return {Stack::decoder, 0, Part::none, quantity};
}

}  // namespace

model::PackedBatch GretCase::batch() const {
  model::PackedBatch batch;
  batch.append(counted_ids(kTokens));
  append_target(batch, counted_ids(kTargets));
  return batch;
}

GretCase open_gret(const std::string& axis, const model::DeviceOptions& options) {
  GretCase result;
  result.expected = io::read_tensors(mog::test::data_dir() / "gret" / "golden.safetensors");
  const model::ModelConfig config = golden_config(axis);
  Tensors weights;
  for (const model::TensorSpec& spec : model::tensor_table(config)) {
    weights[spec.name] = filled(spec.shape, spec.name.ends_with("layer_norm.weight") ? 1.0F : 0.0F);
  }
  const auto input = [&](const std::string& name) -> const HostTensor& {
    return result.expected.at("in." + name);
  };
  weights["encoder.embed_tokens.weight"] = embeddings(input("states.0"));
  weights["decoder.embed_tokens.weight"] = embeddings(input("decoder_states"));
  for (std::int64_t layer = 1; layer < kLayers; ++layer) {
    set_feed_forward(weights, "encoder.layers." + std::to_string(layer),
                     step_map(rows_of(input("states." + std::to_string(layer - 1))),
                              rows_of(input("states." + std::to_string(layer)))));
  }
  for (auto& [name, tensor] : weights) {
    if (name.starts_with("gret.layers.")) {
      tensor = input("capsule." + name.substr(12, 1) + ".weight").to(DType::float32);
    } else if (name.starts_with("gret.")) {
      tensor = input(name.substr(5)).to(DType::float32);
    }
  }
  result.model = open_weights(config, std::move(weights), options);
  return result;
}

void check_gret(const std::string& axis, const model::DeviceOptions& options) {
  const GretCase one = open_gret(axis, options);
  Collector found;
  const std::vector<model::Observer*> observers = {&found};
  one.model->run(one.batch(), {}, observers);
  const auto expected = [&](const std::string& key) -> const HostTensor& {
    return one.expected.at(axis + "." + key);
  };
  for (std::int64_t layer = 1; layer <= 3; ++layer) {
    const std::string key = std::to_string(layer - 1) + ".";
    expect_near(found.of(encoder(layer, Quantity::output), 0),
                one.expected.at("in.states." + std::to_string(layer - 1)).to_floats(), 1e-5,
                "states of " + key);
    expect_near(found.of(encoder(layer, Quantity::routing), 0), last(expected(key + "routing")), 1e-5,
                key + "routing");
    expect_near(found.of(encoder(layer, Quantity::capsules), 0), last(expected(key + "capsules")), 1e-5,
                key + "capsules");
    expect_near(found.of(encoder(layer, Quantity::pooling), 0), expected(key + "pool_attention").to_floats(),
                1e-5, key + "pool_attention");
  }
  expect_near(found.of(decoder(Quantity::global_gate), 0), expected("gate").to_floats(), 1e-5, "gate");
  expect_near(found.of(decoder(Quantity::output), 0), expected("output").to_floats(), 1e-5, "output");
}

model::ModelConfig small_translator(model::EncoderKind kind) {
  model::ModelConfig config;
  config.encoder.kind = kind;
  config.encoder.layers = 2;
  config.encoder.d_model = 12;
  config.encoder.attention_dim = kind == model::EncoderKind::transformer ? 12 : 6;
  config.encoder.heads = 2;
  config.encoder.ffn_dim = 10;
  config.vocab_size = 20;
  model::DecoderConfig& decoder = config.decoder.emplace();
  decoder.layers = 2;
  decoder.d_model = 12;
  decoder.heads = 3;
  decoder.ffn_dim = 10;
  config.target_vocab_size = 15;
  model::GretConfig& gret = config.gret.emplace();
  gret.capsules = 3;
  gret.ffn_dim = 9;
  return config;
}

std::map<std::string, HostTensor> random_weights(const model::ModelConfig& config, std::uint32_t seed) {
  std::mt19937 random(seed);
  Tensors weights;
  for (const model::TensorSpec& spec : model::tensor_table(config)) {
    HostTensor tensor(DType::float32, spec.shape);
    const bool norm = spec.name.ends_with("layer_norm.weight");
    for (float& value : tensor.mutable_values<float>()) {
      value = static_cast<float>(static_cast<double>(random()) / 4294967295.0 - 0.5) + (norm ? 1.0F : 0.0F);
    }
    weights[spec.name] = std::move(tensor);
  }
  return weights;
}

std::shared_ptr<const model::Model> open_weights(const model::ModelConfig& config, Tensors weights,
                                                 const model::DeviceOptions& options) {
  model::ModelDirectory directory;
  directory.config = config;
  directory.weights = std::move(weights);
  return model::load_model(directory, options);
}

model::PackedBatch small_batch() {
  model::PackedBatch batch;
  batch.append(std::vector<std::int64_t>{5, 9, 2});
  batch.append(std::vector<std::int64_t>{7, 7, 12, 19, 4, 2});
  batch.append(std::vector<std::int64_t>{11, 6, 5, 2});
  append_target(batch, {2, 4, 9, 14});
  append_target(batch, {2, 11});
  append_target(batch, {2, 6, 6, 8, 5});
  return batch;
}

model::PackedBatch alone(const model::PackedBatch& batch, std::size_t index) {
  const auto cut = [index](const std::vector<std::int64_t>& ids, const std::vector<std::int64_t>& offsets) {
    return std::vector<std::int64_t>(ids.begin() + offsets[index], ids.begin() + offsets[index + 1]);
  };
  model::PackedBatch single;
  single.append(cut(batch.ids, batch.offsets));
  append_target(single, cut(batch.target_ids, batch.target_offsets));
  return single;
}

}  // namespace mog::test
