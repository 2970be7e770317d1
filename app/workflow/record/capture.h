// What to keep of a run: the capture names of `mog record`, and the quantities they stand for.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "io/recording/axes.h"

namespace mog::app {

enum class CaptureName : std::uint8_t {
  summary,    // per token and layer: mean gate, self gate, row entropy and maximum, shares; tagging scores;
              // lengths, entropies and pooling weights of capsules
  attention,  // every attention pattern: layer, part, head; the carry maps of a recurrent encoder; routing
  gates,      // the gates of every dimension, and their means; the self gate
  shares,     // norms of the parts as they enter Z, and their shares
  orders,     // expected order and order masses under the attention grammar
  hidden,     // embedding, output of every layer, output of the encoder; capsules
  all,        // everything above, and the inner states of every layer
};
std::string_view name(CaptureName capture) noexcept;

// From 1, both ends included.
struct LayerRange {
  std::int64_t first = 1;
  std::int64_t last = 0;
  friend bool operator==(const LayerRange&, const LayerRange&) = default;
};
std::string text(const LayerRange& range);  // as it is given: "3", "3-5"

struct CaptureSet {
  std::set<CaptureName> names = {CaptureName::summary};
  std::vector<LayerRange> layers;  // empty: all
  // Of maps and vectors; statistics are float32 always. uint8: of maps, vectors are float16.
  DType store = DType::float16;
  DType store_of(const QuantitySchema& schema) const;
  bool has(CaptureName capture) const { return names.count(capture) > 0; }
  // Whether layer `layer` is kept; layer 0 (of the whole stack) always is.
  bool keeps_layer(std::int64_t layer) const;
};

// "summary,attention"; "none" keeps sentences and tokens only. Throws UsageError naming the piece and what is
// allowed.
std::set<CaptureName> parse_captures(std::string_view text);
// "1-6", "1,3,5-6". Throws UsageError.
std::vector<LayerRange> parse_layers(std::string_view text);

// Of all quantities that a model offers, those that the set keeps, with the type they are kept in; sorted by
// name. `decoder` says whether the decoder runs. Orders are not among them (OrderComputer).
// Throws UsageError for a layer that the model does not have.
std::vector<QuantitySchema> select_quantities(std::span<const QuantitySchema> offered, const CaptureSet& set,
                                              bool decoder);

}  // namespace mog::app
