// Several streams, one sink: batches are written in their numbers' order by whichever stream completes the
// next one. After a failure the batches before it still are: what was computed is not lost, and how much is
// kept does not depend on which stream was faster.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "io/recording/sentence_recording.h"

namespace mog::app {

class OrderedSink {
 public:
  // `write` is called by one thread at a time. A stream that is more than `ahead` batches before the next one
  // to be written waits, so that memory stays bounded.
  OrderedSink(std::function<void(const RecordingBatch&)> write, std::int64_t ahead)
      : write_(std::move(write)), ahead_(ahead) {}

  // Batches are numbered from 0 without gaps. Throws what `write` threw, and rethrows a failure to those who
  // bring a batch behind it.
  void put(std::int64_t number, RecordingBatch batch) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return number >= failed_ || number < next_ + ahead_; });
    rethrow_to(number);
    waiting_.emplace(number, std::move(batch));
    while (!writing_ && next_ < failed_ && !waiting_.empty() && waiting_.begin()->first == next_) {
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
      if (failure != nullptr) {
        keep(next_, failure);
      }
      ++next_;
      changed_.notify_all();
    }
    rethrow_to(number);
  }

  // Batch `number` will not come; wakes everybody.
  void fail(std::int64_t number, std::exception_ptr failure) {
    const std::scoped_lock lock(mutex_);
    keep(number, std::move(failure));
    changed_.notify_all();
  }
  // That of the earliest batch, or nullptr.
  std::exception_ptr failure() const {
    const std::scoped_lock lock(mutex_);
    return failure_;
  }

 private:
  void keep(std::int64_t number, std::exception_ptr failure) {
    if (number < failed_) {
      failed_ = number;
      failure_ = std::move(failure);
    }
  }
  void rethrow_to(std::int64_t number) const {
    if (number >= failed_) {
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
  std::int64_t failed_ = std::numeric_limits<std::int64_t>::max();  // the earliest batch that will not come
  std::exception_ptr failure_;                                      // its error
};

}  // namespace mog::app
