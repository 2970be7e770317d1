// Runs an action in a child process with limits and says how it ended.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <functional>
#include <string>

#include "io/recording/errors.h"

namespace mog::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

struct Ending {
  int exit_code = -1;  // of `mog` (docs/architecture.md); 99: another exception
  int signal = 0;
  std::string message;
  double cpu_seconds = 0;
  long peak_kb = 0;
};

inline void limit(int resource, rlim_t value) {
  const rlimit limits{value, value};
  setrlimit(resource, &limits);
}

// At most `seconds` of processor time and 512 MB of memory.
inline Ending run_in_child(const std::function<void()>& action, rlim_t seconds = 5) {
  int ends[2];
  if (::pipe(ends) != 0) {
    return {};
  }
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    limit(RLIMIT_CPU, seconds);
    limit(RLIMIT_CORE, 0);
    if (!kSanitized) {
      limit(RLIMIT_AS, rlim_t{512} << 20);
    }
    ::alarm(static_cast<unsigned>(2 * seconds));
    int code = 0;
    std::string message;
    try {
      action();
    } catch (const Error& error) {
      code = static_cast<int>(error.exit_code());
      message = error.what();
    } catch (const std::exception& error) {
      code = 99;
      message = error.what();
    }
    message.resize(std::min<std::size_t>(message.size(), 4000));
    if (::write(ends[1], message.data(), message.size()) < 0) {
      code = 98;
    }
    ::_exit(code);
  }
  ::close(ends[1]);
  Ending ending;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
    ending.message.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  if (WIFEXITED(status)) {
    ending.exit_code = WEXITSTATUS(status);
  } else if (WIFSIGNALED(status)) {
    ending.signal = WTERMSIG(status);
  }
  ending.cpu_seconds = static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                       static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
  ending.peak_kb = usage.ru_maxrss;
  return ending;
}

}  // namespace mog::test
