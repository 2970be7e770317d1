// The first layers stay, all but two of what may be held; the others come and go in a window of two, so that
// the next one is read, by one thread, while a layer is computed (where one layer alone may be held there is
// no room for that). The window begins at the layer of the last pass, and whoever is ahead of it waits:
// passes that run at the same time go through the layers together, and a layer is read once for all of them.
// Who comes while others are in the window waits until they are through: a window that went back for it would
// read everything again.
//
// Cost: a batch, or as many as run at the same time, reads every layer that does not stay once.
//
// A pass cannot wait for ever: the last one never waits for another pass, only for its layer, and for that
// the window always has room.
#include "model/engine/inference/layer_stream.h"

#include <algorithm>
#include <utility>

namespace mog::engine {

LayerStream::LayerStream(std::int64_t layers, std::int64_t held, Read read)
    : layers_(layers),
      kept_(std::max<std::int64_t>(0, held - 2)),
      window_(held - kept_),
      read_(std::move(read)),
      thread_([this] { work(); }) {}

LayerStream::~LayerStream() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::int64_t LayerStream::last_pass() const {
  std::int64_t last = layers_ + 1;
  for (const Pass* const pass : running_) {
    last = std::min(last, pass->at_);
  }
  return last;
}

std::int64_t LayerStream::begin() const {
  return std::max(last_pass(), kept_ + 1);
}

std::int64_t LayerStream::next() const {
  if (running_.empty()) {
    return 0;
  }
  for (std::int64_t layer = 1; layer <= kept_; ++layer) {
    if (!there_.contains(layer)) {
      return layer;
    }
  }
  const std::int64_t first = begin();
  for (std::int64_t layer = first; layer < std::min(first + window_, layers_ + 1); ++layer) {
    if (!there_.contains(layer)) {
      return layer;
    }
  }
  return 0;
}

void LayerStream::drop_others() {
  const std::int64_t first = begin();
  std::erase_if(there_, [&](const auto& entry) {
    return entry.first > kept_ && (entry.first < first || entry.first >= first + window_);
  });
}

void LayerStream::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    std::int64_t layer = 0;
    changed_.wait(lock, [&] { return stopping_ || (error_ == nullptr && (layer = next()) != 0); });
    if (stopping_) {
      return;
    }
    drop_others();
    lock.unlock();
    EncoderLayer read;
    std::exception_ptr error;
    try {
      read = read_(layer);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    if (error != nullptr) {
      error_ = error;
    } else {
      there_.insert_or_assign(layer, std::move(read));
      ++reads_;
      drop_others();  // the window may have gone on
    }
    changed_.notify_all();
  }
}

std::int64_t LayerStream::reads() const {
  const std::scoped_lock lock(mutex_);
  return reads_;
}

void LayerStream::end(Pass& pass) {
  running_.remove(&pass);
  waiting_.remove(&pass);
  if (running_.empty()) {
    for (Pass* const one : waiting_) {
      one->admitted_ = true;
    }
    running_.swap(waiting_);
  }
  changed_.notify_all();
}

LayerStream::Pass::Pass(LayerStream& stream, Weights& weights) : stream_(stream), weights_(weights) {
  std::unique_lock lock(stream_.mutex_);
  if (stream_.running_.empty() || stream_.last_pass() <= stream_.kept_ + 1) {
    admitted_ = true;
    stream_.running_.push_back(this);
    stream_.changed_.notify_all();
    return;
  }
  stream_.waiting_.push_back(this);
  stream_.changed_.wait(lock, [&] { return admitted_; });
}

LayerStream::Pass::~Pass() {
  const std::scoped_lock lock(stream_.mutex_);
  stream_.end(*this);
}

void LayerStream::Pass::enter(std::int64_t layer) {
  std::unique_lock lock(stream_.mutex_);
  at_ = layer;
  stream_.changed_.notify_all();
  const auto found = [&] { return stream_.there_.find(layer); };
  stream_.changed_.wait(lock, [&] { return stream_.error_ != nullptr || found() != stream_.there_.end(); });
  if (found() == stream_.there_.end()) {
    std::rethrow_exception(stream_.error_);
  }
  weights_.encoder_layers[static_cast<std::size_t>(layer) - 1] = found()->second;
}

void LayerStream::Pass::leave(std::int64_t layer) {
  weights_.encoder_layers[static_cast<std::size_t>(layer) - 1] = EncoderLayer();
  const std::scoped_lock lock(stream_.mutex_);
  at_ = layer + 1;
  if (at_ > stream_.layers_) {
    stream_.end(*this);
  } else {
    stream_.drop_others();
    stream_.changed_.notify_all();
  }
}

}  // namespace mog::engine
