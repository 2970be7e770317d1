// The recurrent encoders of tests/data/rnn/golden.safetensors (shared golden/rnn) as models.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/recording/host_tensor.h"
#include "model/model.h"

namespace mog::test {

struct RecurrentCase {
  std::string cell;                            // "gru", "gru_reset", "gru_plain", "lstm"
  std::shared_ptr<const model::Model> model;   // tokens 4 … 10 have the rows of in.x as embeddings
  std::map<std::string, HostTensor> weights;   // under the names of docs/model-directory.md
  std::map<std::string, HostTensor> expected;  // all keys of the file
  model::PackedBatch batch() const;            // the seven steps
};

std::vector<std::string> recurrent_cells();
RecurrentCase open_recurrent(const std::string& cell, const model::DeviceOptions& options = {});

// The same with two directions of half the width, of tests/data/rnn/bidirectional.safetensors: in its
// sentences of 3, 7 and 5 steps every token occurs once.
RecurrentCase open_bidirectional(const std::string& cell, const model::DeviceOptions& options = {});
model::PackedBatch bidirectional_batch();

// A matrix [rows, columns] in double, for what the tests compute by themselves.
struct Matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> values;
  explicit Matrix(const HostTensor& tensor);
  std::vector<double> times(const std::vector<double>& vector) const;
};

}  // namespace mog::test
