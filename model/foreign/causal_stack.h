// What readers from left to right have in common, whatever their family.
#pragma once

#include <functional>
#include <string>

#include "model/foreign/stack_names.h"

namespace mog::model {

// layers, d_model, heads, key and value heads, width of a head and of the feed-forward block, from the usual
// keys; norm = pre, no positions yet. Throws ModelError where `is_causal` says another mask.
EncoderConfig causal_stack(HfConfig& config, Mask mask = Mask::causal);
void check_is_causal(HfConfig& config, Mask mask);

// What a family has where the file leaves the key out.
struct UsualWindow {
  std::int64_t width = 0;  // sliding_window; 0: none
  bool used = true;        // use_sliding_window
};

// Windows by `layer_types`; where the file has none, by `local` (of a layer from 0). With sliding_window =
// null or use_sliding_window = false no layer has one.
void set_windows(HfConfig& config, EncoderConfig& encoder, const std::function<bool(std::int64_t)>& local,
                 const UsualWindow& usual = {});

struct CausalModel {
  const char* what = "";  // "Llama", for messages
  bool tied = false;      // where the file does not say whether the output map is the embedding table
  double scale = 1.0;     // of the logits
  double cap = 0.0;
  std::vector<std::string> prefixes = {"model.", "", "transformer."};
};
// `more`: tensors beside the stack's. Positions: rows of a table of theirs, 0 without one.
Blueprint causal_blueprint(HfConfig& config, const EncoderConfig& encoder, const StackNames& names,
                           const CausalModel& model, std::function<void(TensorPlan&)> more = {},
                           std::int64_t positions = 0);

}  // namespace mog::model
