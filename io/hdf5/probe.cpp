#include "io/hdf5/probe.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>

#include "io/hdf5/durable_file.h"
#include "io/hdf5/hdf5_handle.h"
#include "io/recording/errors.h"

namespace mog::io {
namespace {

constexpr rlim_t kMoreMemory = rlim_t{512} << 20;
constexpr std::size_t kLongestMessage = 4000;  // fits a pipe: the child never waits for its parent
constexpr int kSound = 0;
constexpr int kAbsent = 2;   // UsageError
constexpr int kRefused = 3;  // FormatError
constexpr int kOther = 4;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLimitMemory = false;  // their shadow memory needs terabytes of addresses
// Their allocators are not made for fork(): where another thread held a lock of theirs, the child waits for
// it for ever. glibc's allocator takes its locks before it forks.
constexpr int kTries = 30;
constexpr std::chrono::milliseconds kLongestFirstBlock{300};
#else
constexpr bool kLimitMemory = true;
constexpr int kTries = 1;
constexpr std::chrono::milliseconds kLongestFirstBlock{0};
#endif

void limit(int resource, rlim_t value) {
  rlimit limits{};
  if (::getrlimit(resource, &limits) == 0) {
    limits.rlim_cur = std::min(limits.rlim_max, value);
    ::setrlimit(resource, &limits);
  }
}

// Processor time that this process has used: RLIMIT_CPU counts from its start, but a child starts at 0.
void limit_child(std::chrono::seconds running) {
  limit(RLIMIT_CPU, static_cast<rlim_t>(running.count()));
  limit(RLIMIT_CORE, 0);
  unsigned long pages = 0;
  if (std::FILE* const statm = std::fopen("/proc/self/statm", "re")) {
    if (std::fscanf(statm, "%lu", &pages) != 1) {
      pages = 0;
    }
    std::fclose(statm);
  }
  rlimit now{};
  if (kLimitMemory && pages > 0 && ::getrlimit(RLIMIT_AS, &now) == 0) {
    limit(RLIMIT_AS,
          std::min(now.rlim_cur, pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + kMoreMemory));
  }
}

std::int64_t nanoseconds_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Nanoseconds that this process ran, or could have run if a processor had been free; 0 where the system does
// not say. Only calls that a signal handler may make.
std::int64_t nanoseconds_ready() {
  std::array<char, 64> text{};
  const int file = ::open("/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
  const ssize_t size = file < 0 ? 0 : ::read(file, text.data(), text.size());
  if (file >= 0) {
    ::close(file);
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

// Of this child; written before its handler is there.
std::int64_t child_began = 0;
std::int64_t longest_block = 0;

// Ends a child that waits for something that does not come. On a busy machine a child may need minutes for
// its two seconds of work; that says nothing against the file.
void end_when_blocked(int) {
  if (nanoseconds_now() - child_began - nanoseconds_ready() > longest_block) {
    ::signal(SIGALRM, SIG_DFL);
    ::raise(SIGALRM);  // delivered when this handler returns
  }
}

void watch(std::chrono::milliseconds blocked) {
  child_began = nanoseconds_now();
  longest_block = std::chrono::nanoseconds(blocked).count();
  std::signal(SIGALRM, end_when_blocked);
  itimerval timer{};
  const auto look = std::chrono::microseconds(blocked) / 4;
  timer.it_interval.tv_sec = look.count() / 1'000'000;
  timer.it_interval.tv_usec = look.count() % 1'000'000;
  timer.it_value = timer.it_interval;
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

// Signal handlers and output of this process are none of the child's business. It must not outlive its parent
// either: it would keep the lock of a journal that the parent holds. (Closing all files instead would break
// HDF5, which shares its open files.)
void cut_off(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) {
    ::_exit(kOther);
  }
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU}) {
    std::signal(signal, SIG_DFL);
  }
  std::signal(SIGINT, SIG_IGN);  // Ctrl+C is the parent's to answer; this process ends soon anyway
  std::signal(SIGTERM, SIG_IGN);
  if (const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC); null >= 0) {
    ::dup2(null, STDOUT_FILENO);
    ::dup2(null, STDERR_FILENO);
  }
}

[[noreturn]] void child(pid_t parent, int end, const std::function<void()>& action,
                        const ProbeLimits& limits) {
  cut_off(parent);
  watch(limits.blocked);
  limit_child(limits.running);
  int code = kSound;
  std::string message;
  try {
    action();
  } catch (const UsageError& error) {
    code = kAbsent;
    message = error.what();
  } catch (const FormatError& error) {
    code = kRefused;
    message = error.what();
  } catch (const std::exception& error) {
    code = kOther;
    message = error.what();
  }
  message.resize(std::min(message.size(), kLongestMessage));
  if (::write(end, message.data(), message.size()) != static_cast<ssize_t>(message.size())) {
    code = kOther;
  }
  ::_exit(code);
}

// False: the child was blocked for too long.
bool probe_once(const std::filesystem::path& file, const std::function<void()>& action,
                const ProbeLimits& limits) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw_storage_error("checking", file, errno);
  }
  const pid_t parent = ::getpid();
  pid_t process = 0;
  {
    const h5::Lock lock;
    process = ::fork();
    if (process == 0) {
      child(parent, ends[1], action, limits);
    }
  }
  const int fork_error = errno;
  ::close(ends[1]);
  if (process < 0) {
    ::close(ends[0]);
    throw_storage_error("checking (a child process was refused)", file, fork_error);
  }
  std::string message;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0;
       (got = ::read(ends[0], buffer.data(), buffer.size())) > 0 || (got < 0 && errno == EINTR);) {
    message.append(buffer.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  }
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == kSound) {
    return true;
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == kRefused && !message.empty()) {
    throw FormatError(message);
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == kAbsent && !message.empty()) {
    throw UsageError(message);
  }
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    if (number == SIGALRM) {
      return false;
    }
    const bool time = number == SIGXCPU || number == SIGKILL;
    throw FormatError(fmt::format("reading {}: HDF5 {} on its tables: the file is damaged or made to do harm",
                                  file.string(), time ? "does not come to an end" : "breaks down"));
  }
  throw FormatError(fmt::format("reading {}: HDF5 fails on its tables{}{}: the file is damaged",
                                file.string(), message.empty() ? "" : ": ", message));
}

}  // namespace

void probe(const std::filesystem::path& file, const std::function<void()>& action,
           const ProbeLimits& limits) {
  for (int left = kTries - 1; left > 0; --left) {
    if (probe_once(file, action, {limits.running, std::min(limits.blocked, kLongestFirstBlock)})) {
      return;
    }
  }
  if (!probe_once(file, action, limits)) {
    throw StorageError(
        fmt::format("reading {}: nothing came from its disk for {} ms; try again when it answers",
                    file.string(), limits.blocked.count()));
  }
}

}  // namespace mog::io
