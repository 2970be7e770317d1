// Further processes of this program on this machine, which do one thing together with it.
#pragma once

#include <string>
#include <vector>

#include "app/workflow/tasks/task_place.h"

namespace mog::app {

class LocalProcesses {
 public:
  // Starts all but the first of `count` processes, which is this one, with its own command line: `words`, of
  // which `option` N becomes `option` auto. They say on stderr what they have to say, and nothing on stdout.
  // Throws StorageError where no port is free or a process cannot be started.
  LocalProcesses(const std::vector<std::string>& words, const std::string& option, int count);
  LocalProcesses(const LocalProcesses&) = delete;
  LocalProcesses& operator=(const LocalProcesses&) = delete;
  // Waits until they have ended, which those that lose this one do; what takes longer is killed.
  ~LocalProcesses();

  // Of this process. The listening socket goes to whoever joins with it.
  const ProcessPlace& place() const noexcept { return place_; }
  // "Process 2 was ended by signal 9 (Killed).", the first of those that a signal has ended; else empty.
  std::string ended_by_signal() const;
  // "Process 2 ended with exit code 2.", the first that is gone, however it ended; else empty.
  std::string ended() const;
  // At once, whatever they do.
  void kill_all() noexcept;

 private:
  void listen();
  void start(const std::vector<std::string>& words, int rank);

  ProcessPlace place_;
  std::vector<int> children_;
};

}  // namespace mog::app
