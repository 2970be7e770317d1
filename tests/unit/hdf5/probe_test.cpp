// The child process in which files are opened first: what ends it, and what does not.
#include "io/hdf5/probe.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <ctime>
#include <thread>

#include "io/recording/errors.h"

namespace mog::io {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

void run_for(std::chrono::milliseconds processor_time) {
  const auto used = [] {
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
  };
  const auto until = used() + processor_time;
  while (used() < until) {
  }
}

TEST(Probe, ThrowsTheWordsOfTheChild) {
  EXPECT_NO_THROW(probe("file.h5", [] {}));
  try {
    probe("file.h5", [] { throw FormatError("line 3 is not what it should be"); });
    FAIL();
  } catch (const FormatError& error) {
    EXPECT_STREQ(error.what(), "line 3 is not what it should be");
  }
  EXPECT_THROW(probe("file.h5", [] { throw UsageError("absent"); }), UsageError);
  EXPECT_THROW(probe("file.h5", [] { std::raise(SIGSEGV); }), FormatError);
}

TEST(Probe, EndsAChildThatRunsForTooLong) {
  EXPECT_THROW(probe("file.h5", [] { run_for(1h); }, {.running = 1s}), FormatError);
}

TEST(Probe, ADiskThatDoesNotAnswerIsNotADamagedFile) {
  EXPECT_THROW(probe("file.h5", [] { std::this_thread::sleep_for(1h); }, {.blocked = 200ms}), StorageError);
}

// The child and a process of higher priority share one processor, so its 30 ms of work take far longer.
TEST(Probe, AChildThatWaitsForAProcessorIsNotBlocked) {
  cpu_set_t before{};
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  const int processor = ::sched_getcpu();
  cpu_set_t one{};
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(processor), &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  const pid_t parent = ::getpid();
  const pid_t neighbour = ::fork();
  if (neighbour == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (::getppid() == parent) {
    }
    ::_exit(0);
  }
  ASSERT_GT(neighbour, 0);
  const auto began = Clock::now();
  EXPECT_NO_THROW(probe("file.h5",
                        [] {
                          ::setpriority(PRIO_PROCESS, 0, 10);
                          run_for(30ms);
                        },
                        {.blocked = 100ms}));
  EXPECT_GT(Clock::now() - began, 100ms);
  ::kill(neighbour, SIGKILL);
  ::waitpid(neighbour, nullptr, 0);
  ::sched_setaffinity(0, sizeof before, &before);
}

}  // namespace
}  // namespace mog::io
