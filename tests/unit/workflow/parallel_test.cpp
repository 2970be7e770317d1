// Pieces of work on several threads: each once, and the same error whatever the number of threads.
#include "app/workflow/common/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace mog::app {
namespace {

TEST(ShareOut, DoesEveryPieceOnce) {
  for (const std::int64_t threads : {1, 2, 5}) {
    std::vector<std::atomic<int>> done(100);
    share_out(threads, done.size(), [&](std::size_t index) { ++done[index]; });
    for (const std::atomic<int>& times : done) {
      EXPECT_EQ(times, 1) << threads;
    }
  }
  share_out(3, 0, [](std::size_t) { FAIL() << "there is no piece"; });
}

TEST(ShareOut, TakesInOrderOneAtATime) {
  std::vector<int> taken;  // without a lock of its own
  std::atomic<int> inside = 0;
  share_out(4, [&]() -> std::function<void()> {
    EXPECT_EQ(++inside, 1);
    const int next = static_cast<int>(taken.size());
    taken.push_back(next);
    --inside;
    return next < 50 ? [] {} : std::function<void()>();
  });
  // Nothing is taken after the end, by any thread.
  ASSERT_EQ(taken.size(), 51U);
  EXPECT_EQ(taken.back(), 50);
}

TEST(ShareOut, UsesAsManyThreadsAsAreAskedFor) {
  std::atomic<int> there = 0;
  std::set<std::thread::id> threads;
  std::mutex mutex;
  share_out(3, 3, [&](std::size_t) {
    {
      const std::scoped_lock lock(mutex);
      threads.insert(std::this_thread::get_id());
    }
    ++there;
    while (there < 3) {  // none ends before all have begun
      std::this_thread::yield();
    }
  });
  EXPECT_EQ(threads.size(), 3U);
  EXPECT_TRUE(threads.contains(std::this_thread::get_id()));
}

std::string failure(std::int64_t threads, std::size_t count, const std::function<void(std::size_t)>& work) {
  try {
    share_out(threads, count, work);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

TEST(ShareOut, ThrowsTheEarliestFailure) {
  // 7 fails only after 9 has failed; 7 is earlier.
  std::atomic<bool> nine_failed = false;
  EXPECT_EQ(failure(3, 20,
                    [&](std::size_t index) {
                      if (index == 7) {
                        while (!nine_failed) {
                          std::this_thread::yield();
                        }
                        throw std::runtime_error("seven");
                      }
                      if (index == 9) {
                        nine_failed = true;
                        throw std::runtime_error("nine");
                      }
                    }),
            "seven");
}

TEST(ShareOut, TakesNothingAfterAFailure) {
  std::atomic<int> done = 0;
  EXPECT_EQ(failure(1, 20,
                    [&](std::size_t index) {
                      ++done;
                      if (index == 4) {
                        throw std::runtime_error("four");
                      }
                    }),
            "four");
  EXPECT_EQ(done, 5);
  int taken = 0;
  EXPECT_THROW(share_out(2,
                         [&]() -> std::function<void()> {
                           if (++taken == 3) {
                             throw std::runtime_error("no third");
                           }
                           return [] {};
                         }),
               std::runtime_error);
  EXPECT_EQ(taken, 3);
}

TEST(StreamCount, IsTwoOnAGpuUnlessSaidOtherwise) {
  EXPECT_EQ(stream_count(0, "cuda:0"), 2);
  EXPECT_EQ(stream_count(5, "cuda:0"), 5);
  EXPECT_EQ(stream_count(0, "cpu"), thread_count(0));
  EXPECT_GE(thread_count(0), 1);
  EXPECT_EQ(thread_count(7), 7);
}

}  // namespace
}  // namespace mog::app
