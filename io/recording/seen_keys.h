// Which keys the queries of a layer may attend to: those before them in a stack that reads from left to
// right, those nearby in a layer with a window. All others have the weight 0 whatever the model learnt, which
// is not the same as a weight that came out as 0.
#pragma once

#include <cstdint>
#include <vector>

#include "io/recording/sentence_recording.h"

namespace mog {

// By layer: a query attends no farther than this many tokens away; 0: to all. Empty: no layer has a window,
// or the card does not say (a recording of another program). Source: encoder.windows of the configuration
// that the card holds.
std::vector<std::int64_t> attention_windows(const ModelCard& card);

class SeenKeys {
 public:
  // Every query sees every key.
  SeenKeys() = default;
  // Of the attention of a stack on its own tokens. Layers count from 1; 0: what any of them sees.
  SeenKeys(const RecordingHeader& header, Stack stack, std::int64_t layer);
  bool all() const noexcept { return !causal_ && window_ == 0; }
  // Tokens, from 0.
  bool operator()(std::int64_t query, std::int64_t key) const noexcept {
    return (!causal_ || key <= query) &&
           (window_ == 0 || (key <= query ? query - key : key - query) <= window_);
  }

 private:
  bool causal_ = false;
  std::int64_t window_ = 0;
};

}  // namespace mog
