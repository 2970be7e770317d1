#include "tests/unit/engine/recurrent_case.h"
#include "tests/support/places.h"

#include <filesystem>

#include "io/checkpoint/safetensors.h"

namespace mog::test {
namespace {

constexpr std::int64_t kSteps = 7;
constexpr std::int64_t kIn = 10;
constexpr std::int64_t kHidden = 12;
constexpr std::int64_t kHalf = 6;  // of a direction
constexpr std::int64_t kFirstToken = 4;

HostTensor tensor_of(std::vector<std::int64_t> shape, const std::vector<float>& values) {
  return HostTensor::of<float>(std::move(shape), values);
}

// Block `index` of blocks of `rows` rows.
HostTensor block(const HostTensor& stacked, std::size_t index, std::int64_t rows) {
  const std::vector<float> all = stacked.to_floats();
  const std::size_t size = static_cast<std::size_t>(stacked.size() / stacked.shape().front() * rows);
  std::vector<std::int64_t> shape = stacked.shape();
  shape.front() = rows;
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(index * size);
  return tensor_of(shape, {first, first + static_cast<std::ptrdiff_t>(size)});
}

HostTensor sum(const HostTensor& left, const HostTensor& right) {
  std::vector<float> values = left.to_floats();
  const std::vector<float> others = right.to_floats();
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] += others[i];
  }
  return tensor_of(left.shape(), values);
}

using Tensors = std::map<std::string, HostTensor>;

// Two stacked matrices and two biases, as LibTorch keeps them. end: "_l0", "_l0_reverse"; to: where they go.
void add_stacked(Tensors& weights, const Tensors& golden, const std::string& cell, const std::string& end,
                 const std::string& to, std::int64_t rows) {
  const std::string from = "in." + cell + ".";
  const std::vector<std::string> gates =
      cell == "lstm" ? std::vector<std::string>{"input_gate", "forget_gate", "candidate", "output_gate"}
                     : std::vector<std::string>{"reset", "update", "candidate"};
  for (std::size_t gate = 0; gate < gates.size(); ++gate) {
    const HostTensor above = block(golden.at(from + "bias_ih" + end), gate, rows);
    const HostTensor before = block(golden.at(from + "bias_hh" + end), gate, rows);
    const bool apart = cell == "gru" && gates[gate] == "candidate";
    weights[to + gates[gate] + ".input.weight"] = block(golden.at(from + "weight_ih" + end), gate, rows);
    weights[to + gates[gate] + ".recurrent.weight"] = block(golden.at(from + "weight_hh" + end), gate, rows);
    weights[to + gates[gate] + ".input.bias"] = apart ? above : sum(above, before);
    if (apart) {
      weights[to + "candidate.recurrent.bias"] = before;
    }
  }
}

void add_single(Tensors& weights, const Tensors& golden, std::int64_t layer) {
  const std::string from = "in.gru_reset.l" + std::to_string(layer) + ".";
  const std::string to = "encoder.layers." + std::to_string(layer) + ".";
  for (const auto& [gate, letter] :
       std::map<std::string, std::string>{{"reset", "r"}, {"update", "z"}, {"candidate", ""}}) {
    weights[to + gate + ".input.weight"] = golden.at(from + "W" + letter).to(DType::float32);
    weights[to + gate + ".recurrent.weight"] = golden.at(from + "U" + letter).to(DType::float32);
    weights[to + gate + ".input.bias"] = golden.at(from + "b" + letter).to(DType::float32);
  }
}

}  // namespace

std::vector<std::string> recurrent_cells() {
  return {"gru", "gru_reset", "gru_plain", "lstm"};
}

model::PackedBatch RecurrentCase::batch() const {
  model::PackedBatch batch;
  std::vector<std::int64_t> ids;
  for (std::int64_t step = 0; step < kSteps; ++step) {
    ids.push_back(kFirstToken + step);
  }
  batch.append(ids);
  return batch;
}

namespace {

model::ModelConfig config_of(const std::string& cell) {
  model::ModelConfig config;
  config.encoder.kind = cell == "lstm" ? model::EncoderKind::lstm : model::EncoderKind::gru;
  config.encoder.cell = cell == "lstm"        ? model::RecurrentCell::lstm
                        : cell == "gru"       ? model::RecurrentCell::gru
                        : cell == "gru_plain" ? model::RecurrentCell::gru_plain
                                              : model::RecurrentCell::gru_reset;
  config.encoder.layers = 2;
  config.encoder.d_model = kHidden;
  config.encoder.embedding_dim = kIn;
  config.encoder.heads = config.encoder.attention_dim = config.encoder.ffn_dim = 0;
  config.encoder.position = model::Position::none;
  config.encoder.embed_scale = false;
  return config;
}

// Token 4 has the first row of x as its embedding, and so on.
void add_embedding(model::ModelDirectory& directory, const HostTensor& x) {
  directory.config.vocab_size = kFirstToken + x.shape().front();
  std::vector<float> table(static_cast<std::size_t>(kFirstToken * kIn), 0.0F);
  const std::vector<float> rows = x.to_floats();
  table.insert(table.end(), rows.begin(), rows.end());
  directory.weights["encoder.embed_tokens.weight"] = tensor_of({directory.config.vocab_size, kIn}, table);
}

}  // namespace

RecurrentCase open_recurrent(const std::string& cell, const model::DeviceOptions& options) {
  RecurrentCase result;
  result.cell = cell;
  result.expected = io::read_tensors(mog::test::data_dir() / "rnn" / "golden.safetensors");
  model::ModelDirectory directory;
  directory.config = config_of(cell);
  add_embedding(directory, result.expected.at("in.x"));
  for (std::int64_t layer = 0; layer < 2; ++layer) {
    if (cell == "gru" || cell == "lstm") {
      const std::string number = std::to_string(layer);
      add_stacked(directory.weights, result.expected, cell, "_l" + number, "encoder.layers." + number + ".",
                  kHidden);
    } else {
      add_single(directory.weights, result.expected, layer);
    }
  }
  result.weights = directory.weights;
  result.model = model::load_model(directory, options);
  return result;
}

RecurrentCase open_bidirectional(const std::string& cell, const model::DeviceOptions& options) {
  RecurrentCase result;
  result.cell = cell;
  result.expected = io::read_tensors(mog::test::data_dir() / "rnn" / "bidirectional.safetensors");
  model::ModelDirectory directory;
  directory.config = config_of(cell);
  directory.config.encoder.bidirectional = true;
  add_embedding(directory, result.expected.at("in.x"));
  for (std::int64_t layer = 0; layer < 2; ++layer) {
    const std::string number = std::to_string(layer);
    const std::string to = "encoder.layers." + number + ".";
    add_stacked(directory.weights, result.expected, cell, "_l" + number, to, kHalf);
    add_stacked(directory.weights, result.expected, cell, "_l" + number + "_reverse", to + "backward.",
                kHalf);
  }
  result.weights = directory.weights;
  result.model = model::load_model(directory, options);
  return result;
}

model::PackedBatch bidirectional_batch() {
  model::PackedBatch batch;
  std::int64_t next = kFirstToken;
  for (const std::int64_t length : {3, 7, 5}) {
    std::vector<std::int64_t> ids;
    for (std::int64_t step = 0; step < length; ++step) {
      ids.push_back(next++);
    }
    batch.append(ids);
  }
  return batch;
}

Matrix::Matrix(const HostTensor& tensor)
    : rows(static_cast<std::size_t>(tensor.shape().at(0))),
      columns(static_cast<std::size_t>(tensor.shape().at(1))) {
  for (const float value : tensor.to_floats()) {
    values.push_back(static_cast<double>(value));
  }
}

std::vector<double> Matrix::times(const std::vector<double>& vector) const {
  std::vector<double> result(rows, 0.0);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      result[row] += values[row * columns + column] * vector.at(column);
    }
  }
  return result;
}

}  // namespace mog::test
