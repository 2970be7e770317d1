// A batch is dealt out sentence by sentence, each to the process that has the fewest tokens so far. A batch
// begins with its longest sentences, so the shares differ by little more than its shortest.
//
// Errors go to all: a process that fails alone would leave the others waiting until its connection breaks,
// and they could only say that it is gone.
#include "app/workflow/train/train_processes.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <span>

#include "io/recording/errors.h"

namespace mog::app {
namespace {

// Runs `work`; the exit code, and the exception in `thrown`.
int outcome(const std::function<void()>& work, std::exception_ptr& thrown) {
  try {
    work();
    return 0;
  } catch (const Error& error) {
    thrown = std::current_exception();
    return static_cast<int>(error.exit_code());
  } catch (...) {
    thrown = std::current_exception();
    return static_cast<int>(ExitCode::other);
  }
}

}  // namespace

void TrainProcesses::all(const std::function<void()>& work) const {
  if (!processes_) {
    work();
    return;
  }
  std::exception_ptr thrown;
  std::vector<double> codes(static_cast<std::size_t>(count()), 0.0);
  codes[static_cast<std::size_t>(rank())] = outcome(work, thrown);
  processes_->sum(std::span(codes));
  const auto failed = std::find_if(codes.begin(), codes.end(), [](double code) { return code != 0.0; });
  if (failed == codes.end()) {
    return;
  }
  if (failed - codes.begin() == rank()) {
    std::rethrow_exception(thrown);
  }
  throw EndedTogether(static_cast<ExitCode>(static_cast<int>(*failed)));
}

void TrainProcesses::first_alone(const std::function<void()>& work, TrainState& state) const {
  if (!processes_) {
    work();
    return;
  }
  std::exception_ptr thrown;
  int code = first() ? outcome(work, thrown) : 0;
  processes_->share(std::as_writable_bytes(std::span(&code, 1)));
  if (thrown) {
    std::rethrow_exception(thrown);
  }
  if (code != 0) {
    throw EndedTogether(static_cast<ExitCode>(code));
  }
  const std::string text = told(first() ? to_json(state) : std::string());
  if (!first()) {
    state = parse_train_state(text);
  }
}

void TrainProcesses::require_same(const RunIdentity& identity) const {
  if (!processes_) {
    return;
  }
  const std::string expected = told(identity.hash);
  all([&] {
    if (identity.hash != expected) {
      throw ModelError(fmt::format(
          "Training, process {} of {}: its configuration, data or models are others than those of the first "
          "process. All must read the same files.",
          rank() + 1, count()));
    }
  });
}

std::vector<std::int64_t> TrainProcesses::share_of(const std::vector<Example>& examples,
                                                   const std::vector<std::int64_t>& batch) const {
  if (!processes_) {
    return batch;
  }
  std::vector<std::int64_t> tokens(static_cast<std::size_t>(count()), 0);
  std::vector<std::int64_t> own;
  for (const std::int64_t index : batch) {
    const auto least = std::min_element(tokens.begin(), tokens.end());
    *least += examples[static_cast<std::size_t>(index)].batch_cost();
    if (least - tokens.begin() == rank()) {
      own.push_back(index);
    }
  }
  return own;
}

std::string TrainProcesses::told(std::string text) const {
  std::uint64_t size = text.size();
  processes_->share(std::as_writable_bytes(std::span(&size, 1)));
  text.resize(size);
  processes_->share(std::as_writable_bytes(std::span(text)));
  return text;
}

}  // namespace mog::app
