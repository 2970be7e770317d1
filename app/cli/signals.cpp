#include "app/cli/signals.h"

#include <signal.h>
#include <unistd.h>

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

// Ends the watcher's waiting; sent to that thread alone.
int wake_signal() {
  return SIGRTMIN;
}

}  // namespace

void install_signal_defaults() {
  struct sigaction action = {};
  action.sa_handler = leave;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, nullptr);
  sigaction(SIGXFSZ, &action, nullptr);
}

StopOnSignal::StopOnSignal() {
  const sigset_t set = stop_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  watcher_ = std::jthread([this](const std::stop_token& end) {
    sigset_t waited = stop_signals();
    sigaddset(&waited, wake_signal());
    pthread_sigmask(SIG_BLOCK, &waited, nullptr);
    ready_.test_and_set();
    ready_.notify_one();
    while (!end.stop_requested()) {
      const int got = sigwaitinfo(&waited, nullptr);
      if (got != SIGINT && got != SIGTERM) {
        continue;
      }
      if (source_.stop_requested()) {
        ::_exit(kInterrupted);
      }
      source_.request_stop();
    }
  });
  // Processes are forked to look at files: not while the thread begins and holds an allocator's lock.
  ready_.wait(false);
}

StopOnSignal::~StopOnSignal() {
  watcher_.request_stop();
  pthread_kill(watcher_.native_handle(), wake_signal());
  watcher_.join();
  const sigset_t set = stop_signals();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace mog::cli
