#include "app/loader/watch.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <ctime>

namespace mog::loader {
namespace {

// Written before the handler is there.
std::int64_t began = 0;
std::int64_t longest_block = 0;
int blocked_code = 0;
int statistics = -1;  // /proc/self/schedstat; opened here, since the filters let nothing be opened later

std::int64_t nanoseconds_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Nanoseconds that this process ran, or could have run if a processor had been free; -1 where the system does
// not say. Only calls that a signal handler may make.
std::int64_t nanoseconds_ready() {
  std::array<char, 64> text{};
  const ssize_t size = statistics < 0 ? 0 : ::pread(statistics, text.data(), text.size(), 0);
  if (size <= 0) {
    return -1;
  }
  std::array<std::int64_t, 2> values{};  // running, waiting for a processor
  std::size_t at = 0;
  for (ssize_t i = 0; i < size && at < values.size(); ++i) {
    const char letter = text[static_cast<std::size_t>(i)];
    if (letter < '0' || letter > '9') {
      ++at;
    } else {
      values[at] = 10 * values[at] + (letter - '0');
    }
  }
  return values[0] + values[1];
}

void look(int) {
  const int error = errno;
  const std::int64_t ready = nanoseconds_ready();
  if (nanoseconds_now() - began - (ready < 0 ? 0 : ready) > longest_block) {
    ::_exit(blocked_code);
  }
  if (::write(STDOUT_FILENO, ".", 1) < 0) {
    ::_exit(1);  // nobody reads any more
  }
  errno = error;
}

}  // namespace

void watch(std::chrono::milliseconds blocked, int code) {
  statistics = ::open("/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
  const std::int64_t ready = nanoseconds_ready();  // before the program's own beginning counts nothing
  began = nanoseconds_now() - (ready < 0 ? 0 : ready);
  longest_block = std::chrono::nanoseconds(blocked).count();
  blocked_code = code;
  struct sigaction action {};
  action.sa_handler = look;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGALRM, &action, nullptr);
  itimerval timer{};
  const auto often = std::chrono::microseconds(blocked) / 4;
  timer.it_interval.tv_sec = often.count() / 1'000'000;
  timer.it_interval.tv_usec = often.count() % 1'000'000;
  timer.it_value = timer.it_interval;
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace mog::loader
