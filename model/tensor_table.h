// The tensors that a configuration demands: names and shapes (docs/model-directory.md, Tensor names).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/config/config.h"

namespace mog::model {

struct TensorSpec {
  std::string name;
  std::vector<std::int64_t> shape;
  bool trained = true;  // false for what a formula gives: frequencies of rotary positions, slopes of ALiBi
  friend bool operator==(const TensorSpec&, const TensorSpec&) = default;
};

// Whether the tensor holds what places are multiplied with (rotary frequencies, slopes of ALiBi). Rounded to
// 16 bits these are other positions, the more the longer the text: they stay float32 wherever weights are
// rounded, and are no weights that a control without training draws anew.
bool scales_positions(std::string_view tensor) noexcept;

inline constexpr std::int64_t kHistoryLayers = 2;  // recurrent layers over the transitions of a parser

// In a fixed order: encoder, decoder, heads. Position tables (random, learned) carry `positions` rows;
// 0 stands for "as the file says".
std::vector<TensorSpec> tensor_table(const ModelConfig& config, std::int64_t positions = 0);

// Trained parameters, the quantity that papers print (6+6 layers, d 512, f 1024, V 8848/6632: 42,864,640).
// A learned position table counts with `positions` rows.
std::int64_t parameter_count(const ModelConfig& config, std::int64_t positions = 0);

}  // namespace mog::model
