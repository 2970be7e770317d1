#include "app/cli/signals.h"

#include <signal.h>
#include <unistd.h>

#include <ctime>

namespace mog::cli {
namespace {

constexpr int kInterrupted = 130;

void leave(int) {
  ::_exit(kInterrupted);
}

sigset_t stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

void install_signal_defaults() {
  struct sigaction action = {};
  action.sa_handler = leave;
  sigaction(SIGINT, &action, nullptr);
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, nullptr);
  sigaction(SIGXFSZ, &action, nullptr);
}

StopOnSignal::StopOnSignal() {
  const sigset_t set = stop_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  watcher_ = std::jthread([this](const std::stop_token& end) {
    const sigset_t waited = stop_signals();
    while (!end.stop_requested()) {
      const std::timespec tick = {0, 50'000'000};
      if (sigtimedwait(&waited, nullptr, &tick) <= 0) {
        continue;
      }
      if (source_.stop_requested()) {
        ::_exit(kInterrupted);
      }
      source_.request_stop();
    }
  });
}

StopOnSignal::~StopOnSignal() {
  watcher_.request_stop();
  watcher_.join();
  const sigset_t set = stop_signals();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace mog::cli
