// Several streams, one sink: batches are written in their numbers' order by whichever stream completes the
// next one.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <mutex>

#include "io/recording/sentence_recording.h"

namespace mog::app {

class OrderedSink {
 public:
  // `write` is called by one thread at a time. A stream that is more than `ahead` batches before the next one
  // to be written waits, so that memory stays bounded.
  OrderedSink(std::function<void(const RecordingBatch&)> write, std::int64_t ahead)
      : write_(std::move(write)), ahead_(ahead) {}

  // Batches are numbered from 0 without gaps. Throws what `write` threw, and rethrows it to every later
  // caller.
  void put(std::int64_t number, RecordingBatch batch) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failure_ != nullptr || number < next_ + ahead_; });
    rethrow();
    waiting_.emplace(number, std::move(batch));
    while (!writing_ && failure_ == nullptr && !waiting_.empty() && waiting_.begin()->first == next_) {
      const RecordingBatch ready = std::move(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      writing_ = true;
      lock.unlock();
      std::exception_ptr failure;
      try {
        write_(ready);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      writing_ = false;
      ++next_;
      if (failure_ == nullptr) {
        failure_ = failure;
      }
      changed_.notify_all();
    }
    rethrow();
  }

  // Wakes everybody with an error of a stream that will not deliver its batch.
  void fail(std::exception_ptr failure) {
    const std::scoped_lock lock(mutex_);
    if (failure_ == nullptr) {
      failure_ = std::move(failure);
    }
    changed_.notify_all();
  }
  // The first error, or nullptr.
  std::exception_ptr failure() const {
    const std::scoped_lock lock(mutex_);
    return failure_;
  }

 private:
  void rethrow() const {
    if (failure_ != nullptr) {
      std::rethrow_exception(failure_);
    }
  }
  std::function<void(const RecordingBatch&)> write_;
  std::int64_t ahead_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::int64_t, RecordingBatch> waiting_;
  std::int64_t next_ = 0;
  bool writing_ = false;
  std::exception_ptr failure_;
};

}  // namespace mog::app
