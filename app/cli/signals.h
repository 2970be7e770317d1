// SIGINT and SIGTERM as a stop token.
#pragma once

#include <atomic>
#include <stop_token>
#include <thread>

namespace mog::cli {

// Before anything else: SIGINT and SIGTERM end the program with 130 at once, SIGPIPE and SIGXFSZ (ulimit -f)
// show as a failed write.
void install_signal_defaults();

// While it lives, the first SIGINT or SIGTERM asks for a stop, the second ends the program with 130. Made
// before any other thread, in the main thread, so that all threads leave these signals to it.
class StopOnSignal {
 public:
  StopOnSignal();
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;
  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::atomic_flag ready_;  // the watcher waits for signals
  std::jthread watcher_;
};

}  // namespace mog::cli
