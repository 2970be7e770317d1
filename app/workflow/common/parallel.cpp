// One lock is around taking, none around working. Pieces are numbered as they are taken. A failure keeps the
// lowest number: pieces before it had been taken, so they run to their end and may still put in an earlier
// one.
#include "app/workflow/common/parallel.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace mog::app {
namespace {

class SharedWork {
 public:
  explicit SharedWork(const std::function<std::function<void()>()>& take) : take_(take) {}

  void run() {
    while (true) {
      const auto [number, piece] = next();
      if (!piece) {
        return;
      }
      try {
        piece();
      } catch (...) {
        const std::scoped_lock lock(mutex_);
        fail(number);
      }
    }
  }

  void rethrow() const {
    if (failure_ != nullptr) {
      std::rethrow_exception(failure_);
    }
  }

 private:
  std::pair<std::int64_t, std::function<void()>> next() {
    const std::scoped_lock lock(mutex_);
    if (ended_) {
      return {};
    }
    const std::int64_t number = taken_++;
    try {
      std::function<void()> piece = take_();
      ended_ = !piece;
      return {number, std::move(piece)};
    } catch (...) {
      fail(number);
      return {};
    }
  }

  // The exception that is being handled; under the lock.
  void fail(std::int64_t number) {
    ended_ = true;
    if (number < failed_) {
      failed_ = number;
      failure_ = std::current_exception();
    }
  }

  const std::function<std::function<void()>()>& take_;
  std::mutex mutex_;
  std::int64_t taken_ = 0;
  bool ended_ = false;
  std::int64_t failed_ = std::numeric_limits<std::int64_t>::max();
  std::exception_ptr failure_;
};

}  // namespace

std::int64_t thread_count(std::int64_t wanted) {
  return wanted > 0 ? wanted : std::max<std::int64_t>(1, std::thread::hardware_concurrency());
}

std::int64_t stream_count(std::int64_t wanted, std::string_view device) {
  return wanted == 0 && device.starts_with("cuda") ? 2 : thread_count(wanted);
}

void share_out(std::int64_t threads, const std::function<std::function<void()>()>& take) {
  SharedWork work(take);
  {
    std::vector<std::jthread> others;
    for (std::int64_t i = 1; i < threads; ++i) {
      others.emplace_back([&] { work.run(); });
    }
    work.run();
  }
  work.rethrow();
}

void share_out(std::int64_t threads, std::size_t count, const std::function<void(std::size_t)>& work) {
  std::size_t next = 0;
  share_out(std::min(threads, static_cast<std::int64_t>(count)), [&]() -> std::function<void()> {
    if (next == count) {
      return {};
    }
    return [&work, index = next++] { work(index); };
  });
}

}  // namespace mog::app
