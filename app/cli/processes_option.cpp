#include "app/cli/processes_option.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "io/recording/errors.h"
#include "model/model.h"

namespace mog::cli {
namespace {

constexpr const char* kName = "--processes";
constexpr int kMost = 256;  // on one machine

// 0: auto.
int number(const std::string& text) {
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (text == "auto") {
    return 0;
  }
  if (error != std::errc() || end != text.data() + text.size() || count < 1 || count > kMost) {
    throw UsageError(
        fmt::format("{} {}: expected a number of processes on this machine, 1 to {}, or auto for those that "
                    "torchrun, srun "
                    "or mpirun started",
                    kName, text, kMost));
  }
  return count;
}

}  // namespace

void ProcessesOption::check() const {
  if (!text.empty() && number(text) == 0) {
    app::process_place(app::process_environment());
  }
}

JoinedProcesses::JoinedProcesses(Context& context, const ProcessesOption& option) : context_(context) {
  if (option.text.empty()) {
    return;
  }
  if (const int count = number(option.text); count > 1) {
    started_ = std::make_unique<app::LocalProcesses>(context.words, kName, count);
    place_ = started_->place();
  } else if (count == 0) {
    place_ = app::process_place(app::process_environment());
    if (first()) {
      context.console.note(fmt::format("process 1 of {} ({})", place_.options.count, place_.source));
    }
  }
}

std::string JoinedProcesses::device(const std::string& chosen) const {
  if (place_.options.count == 1 || !place_.local_rank || (chosen != "cuda" && chosen != "auto")) {
    return chosen;
  }
  const std::vector<std::string> devices = model::engine_report().devices;
  const auto gpus = std::count_if(devices.begin(), devices.end(),
                                  [](const std::string& text) { return text.starts_with("cuda"); });
  if (gpus == 0) {
    return chosen;
  }
  if (*place_.local_rank >= gpus) {
    throw UsageError(
        fmt::format("--device {}: process {} of this machine, but it has {} GPUs; start fewer processes, or "
                    "name the device",
                    chosen, *place_.local_rank + 1, gpus));
  }
  return fmt::format("cuda:{}", *place_.local_rank);
}

std::string JoinedProcesses::lost() const {
  const std::string text = started_ ? started_->ended_by_signal() : std::string();
  return text.empty() ? text : " " + text;
}

std::shared_ptr<model::Processes> JoinedProcesses::join() {
  if (place_.options.count == 1) {
    return nullptr;
  }
  std::jthread watcher;
  if (started_) {
    watcher = std::jthread([this, stop = context_.stop()](const std::stop_token& met) {
      constexpr std::chrono::milliseconds kBetween{50};
      while (!met.stop_requested()) {
        const std::string ended = started_->ended();
        if (!ended.empty() || stop.stop_requested()) {
          started_->kill_all();
          context_.console.error("training: " +
                                 (ended.empty() ? "interrupted before the processes met"
                                                : ended + " The processes had not met; nothing was begun."));
          std::_Exit(static_cast<int>(ended.empty() ? ExitCode::interrupted : ExitCode::other));
        }
        std::this_thread::sleep_for(kBetween);
      }
    });
  }
  return model::join_processes(place_.options);
}

void add_processes_option(CLI::App& command, ProcessesOption& option) {
  command.add_option(
      kName, option.text,
      "Train one run by N processes of this machine, or (auto) by those that torchrun, srun or "
      "mpirun started (docs/training.md)");
}

}  // namespace mog::cli
