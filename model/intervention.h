// Changes to a run: what is cut, scaled or set while the model computes.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "io/recording/quantity_name.h"

namespace mog::model {

// Sentences and tokens are indices from 0 into the batch; layers and heads count from 1.

// No query may attend to the token any more (its own row stays).
struct MaskToken {
  std::int64_t sentence = 0;
  std::int64_t token = 0;
};
struct ReplaceToken {
  std::int64_t sentence = 0;
  std::int64_t token = 0;
  std::int64_t id = 0;
};
// Multiplies the output of one attention head before the output map; 0 cuts it.
struct ScaleHead {
  std::int64_t layer = 1;
  Part part = Part::high;
  std::int64_t head = 1;
  double factor = 0.0;
};
// Multiplies i_h, i_m1, i_m2 or i_l (full: the attention output of a plain layer).
struct ScalePart {
  std::int64_t layer = 1;
  Part part = Part::high;
  double factor = 0.0;
};
// Multiplies Z, what the layer's attention block adds to its input; 0 leaves residual and feed-forward.
struct ScaleLayer {
  std::int64_t layer = 1;
  double factor = 0.0;
};
// Sets the weight gate of a layer (all dimensions) for one token or for all.
struct SetGate {
  std::int64_t layer = 1;
  std::optional<std::int64_t> sentence;
  std::optional<std::int64_t> token;
  double value = 0.5;  // in [0, 1]
};

// A part, layer, head or token that the model does not have is refused (UsageError).
using Intervention = std::variant<MaskToken, ReplaceToken, ScaleHead, ScalePart, ScaleLayer, SetGate>;

}  // namespace mog::model
