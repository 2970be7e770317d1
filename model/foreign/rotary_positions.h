// Rotary positions of a Hugging Face configuration, old keys (rope_theta, rope_scaling) and new
// (rope_parameters).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/config/config.h"
#include "model/foreign/hf_config.h"
#include "model/foreign/tensor_plan.h"

namespace mog::model {

// Of the longest text, and of a window; our config.json has no more.
inline constexpr std::int64_t kMostTokens = std::int64_t{1} << 30;

// Of all layers, or of those of one kind.
struct RotaryFrequencies {
  std::vector<float> values;  // [dims / 2]
  double factor = 1.0;        // of sines and cosines
  // What is left of the factor for the norms of queries and keys of these layers, where the others have
  // another.
  double norm_factor = 1.0;
  std::int64_t most_tokens = 0;  // a longer text would have other frequencies; 0: none
};

struct RotaryDefaults {
  double base = 10000.0;
  double local_base = 0.0;  // of layers with a window; 0: as all
  double part = 1.0;        // of a head that is turned
  bool any_part = false;    // of the file's choice, where the usual one is the whole head
  // "rope_scaling" is for layers without a window; those with one keep the plain base (OLMo 3).
  bool scaling_is_global = false;
};

// What `encoder` has as heads and windows is known. Sets position, rotary and max_positions of it, and gives
// the frequencies: one entry, or two with those of layers with a window behind. Where their factors differ,
// that of layers without a window goes to the weights of the norms of queries and keys, which are read just
// before. Throws ModelError naming the key for a scaling that is not known, or where there are no such norms.
std::vector<RotaryFrequencies> read_rotary_positions(HfConfig& config, EncoderConfig& encoder,
                                                     const RotaryDefaults& defaults, RotaryPairs pairs);
// The tensors of these.
void plan_rotary(TensorPlan& plan, const std::vector<RotaryFrequencies>& frequencies);

}  // namespace mog::model
