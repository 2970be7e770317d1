// The layers of an encoder that do not all fit into memory: read when their turn comes, dropped behind it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "model/engine/modules/layer_feed.h"
#include "model/engine/modules/weights.h"

namespace mog::engine {

class LayerStream {
 public:
  // Gives the weights of a layer (from 1); called by one thread of the stream.
  using Read = std::function<EncoderLayer(std::int64_t layer)>;
  // At most `held` (1 or more) of `layers` are in memory at any time, one that is being read included.
  LayerStream(std::int64_t layers, std::int64_t held, Read read);
  LayerStream(const LayerStream&) = delete;
  LayerStream& operator=(const LayerStream&) = delete;
  ~LayerStream();

  // One pass, which puts layers into its own copy of the weights. Waits until passes that are further are
  // through. Destroyed early, it is over.
  class Pass final : public LayerFeed {
   public:
    Pass(LayerStream& stream, Weights& weights);
    ~Pass() override;
    // Throws what reading the layer threw.
    void enter(std::int64_t layer) override;
    void leave(std::int64_t layer) override;

   private:
    friend class LayerStream;
    LayerStream& stream_;
    Weights& weights_;
    std::int64_t at_ = 1;  // the layer that it is in, or waits for
    bool admitted_ = false;
  };

  // Layers that were read so far.
  std::int64_t reads() const;

 private:
  void work();
  std::int64_t last_pass() const;  // its layer; behind all layers without any pass
  std::int64_t begin() const;      // of the window
  // A layer to read next, for which there is room; 0: none.
  std::int64_t next() const;
  void drop_others();
  void end(Pass& pass);

  const std::int64_t layers_;
  const std::int64_t kept_;    // the first layers, which stay
  const std::int64_t window_;  // how many of the others are held
  const Read read_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Pass*> running_;
  std::list<Pass*> waiting_;
  std::map<std::int64_t, EncoderLayer> there_;
  std::int64_t reads_ = 0;
  std::exception_ptr error_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace mog::engine
