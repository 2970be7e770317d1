// What ends a loader that waits, and what does not.
#include "app/loader/watch.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <ctime>
#include <functional>
#include <string>
#include <thread>

namespace mog::loader {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int kBlockedCode = 5;

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

struct Ended {
  int code = -1;
  std::string said;
};

// `work` in a process of its own that is watched.
Ended watched(std::chrono::milliseconds blocked, const std::function<void()>& work) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  const pid_t process = ::fork();
  if (process == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(ends[1], STDOUT_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    watch(blocked, kBlockedCode);
    work();
    ::_exit(0);
  }
  ::close(ends[1]);
  Ended ended;
  std::array<char, 64> bytes{};
  for (ssize_t got = 0; (got = ::read(ends[0], bytes.data(), bytes.size())) > 0;) {
    ended.said.append(bytes.data(), static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  int status = 0;
  EXPECT_EQ(::waitpid(process, &status, 0), process);
  ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ended;
}

TEST(Watch, EndsAProcessWhoseDiskDoesNotAnswer) {
  EXPECT_EQ(watched(200ms, [] { std::this_thread::sleep_until(Clock::now() + 1h); }).code, kBlockedCode);
}

TEST(Watch, GivesSignsOfLife) {
  const Ended ended = watched(400ms, [] { run_for(600ms); });
  EXPECT_EQ(ended.code, 0);
  EXPECT_FALSE(ended.said.empty());
  EXPECT_EQ(ended.said.find_first_not_of('.'), std::string::npos) << ended.said;
}

// The process and one of higher priority share a processor, so its 30 ms of work take far longer.
TEST(Watch, WaitingForAProcessorIsNotBlocked) {
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
  const auto start = Clock::now();
  EXPECT_EQ(watched(100ms,
                    [] {
                      ::setpriority(PRIO_PROCESS, 0, 10);
                      run_for(30ms);
                    })
                .code,
            0);
  EXPECT_GT(Clock::now() - start, 100ms);
  ::kill(neighbour, SIGKILL);
  ::waitpid(neighbour, nullptr, 0);
  ::sched_setaffinity(0, sizeof before, &before);
}

}  // namespace
}  // namespace mog::loader
