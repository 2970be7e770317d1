// `--processes`: several processes train one run.
#pragma once

#include <memory>
#include <string>

#include "app/cli/context.h"
#include "app/workflow/tasks/local_processes.h"
#include "app/workflow/tasks/task_place.h"

namespace mog::cli {

struct ProcessesOption {
  std::string text;  // empty: this process alone

  // Throws UsageError for what is neither a number nor auto, and where the environment does not say which
  // process this is.
  void check() const;
};

// The processes of this run, begun or found. Lives as long as they do.
class JoinedProcesses {
 public:
  // Starts the others where the option is a number.
  JoinedProcesses(Context& context, const ProcessesOption& option);

  bool first() const noexcept { return place_.options.rank == 0; }
  // The device of this process: of several that may use any GPU, each its own.
  std::string device(const std::string& chosen) const;
  // Why one that was started here is gone, where a signal ended it: " Process 2 …"; else empty.
  std::string lost() const;
  // Waits for all of them; nullptr where this one is alone. When one that was started here ends meanwhile, or
  // a stop is asked for, the program ends: what waits for it cannot be woken, and nothing has been written.
  std::shared_ptr<model::Processes> join();

 private:
  Context& context_;
  std::unique_ptr<app::LocalProcesses> started_;
  app::ProcessPlace place_;
};

void add_processes_option(CLI::App& command, ProcessesOption& option);

}  // namespace mog::cli
