// The weights of a pass's layers where not all of them are in memory.
#pragma once

#include <cstdint>

namespace mog::engine {

// A pass goes through the layers in their order, each once.
class LayerFeed {
 public:
  LayerFeed() = default;
  LayerFeed(const LayerFeed&) = delete;
  LayerFeed& operator=(const LayerFeed&) = delete;
  virtual ~LayerFeed() = default;
  // Returns when encoder_layers[layer - 1] of the pass's weights is there.
  virtual void enter(std::int64_t layer) = 0;
  // It is no longer used.
  virtual void leave(std::int64_t layer) = 0;
};

// A layer's turn. `feed`: nullptr where all layers are in memory.
class LayerTurn {
 public:
  LayerTurn(LayerFeed* feed, std::int64_t layer) : feed_(feed), layer_(layer) {
    if (feed_ != nullptr) {
      feed_->enter(layer_);
    }
  }
  LayerTurn(const LayerTurn&) = delete;
  LayerTurn& operator=(const LayerTurn&) = delete;
  ~LayerTurn() {
    if (feed_ != nullptr) {
      feed_->leave(layer_);
    }
  }

 private:
  LayerFeed* feed_;
  std::int64_t layer_;
};

}  // namespace mog::engine
