// A parser that may crash, hang or be taken over runs in a process of its own, and all of its ends become
// errors in words: refused (its own message), broken down, killed for time or memory, stopped for a system
// call, never started. posix_spawn() is safe in a program with threads, where a fork must not touch anything
// before exec. Starting costs some milliseconds, so callers give it many files at once.
//
// Reading polls in short turns to notice a cancellation. The loader writes dots as signs of life; a minute
// without any is taken for a file that hangs, or a disk. Whoever lets go of the object kills the process:
// there is nothing in it that could be lost.
//
// Traps: the program is looked for beside this one and nowhere else, never in the current folder. Descriptor
// 3 is set last, since its number may be that of a descriptor that was still to be passed. The child ends by
// itself after its answer; it gets five seconds for that before it is killed, and then counts as broken
// down.
#include "io/loader/loader_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "io/recording/errors.h"
#include "io/text/utf8.h"

namespace mog::io {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPollMs = 100;
constexpr std::chrono::seconds kSilence{60};
constexpr std::chrono::seconds kFarewell{5};  // between the end of its answer and its own
constexpr int kPipeBytes = 1 << 20;
constexpr std::size_t kLongestAnswer = 64 << 10;
constexpr int kRefused = 3;
constexpr int kNotStarted = 127;  // of the dynamic linker: a library of the loader is not there

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kShowErrors = true;  // the sanitizer's report
#else
constexpr bool kShowErrors = false;
#endif

int spawn(pid_t& process, const LoaderTask& task, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  if (task.input >= 0) {
    posix_spawn_file_actions_adddup2(&actions, task.input, STDIN_FILENO);
  } else {
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  if (task.memory >= 0) {  // after the others, whose numbers it may take
    posix_spawn_file_actions_adddup2(&actions, task.memory, kLoaderMemory);
  }
  if (!kShowErrors) {
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  std::vector<std::string> words = {task.program.string()};
  words.insert(words.end(), task.arguments.begin(), task.arguments.end());
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  const int error = posix_spawn(&process, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

std::once_flag told;
std::function<void(const std::string&)> teller;

// A demand is answered by the loader itself, which then reads nothing.
void tell_once(const std::filesystem::path& program) {
  if (kShowErrors || !teller || sandbox_is_demanded()) {
    return;
  }
  std::call_once(told, [&] {
    if (const std::string reason = sandbox_defect(program); !reason.empty()) {
      teller(reason);
    }
  });
}

}  // namespace

std::string sandbox_defect(const std::filesystem::path& program) {
  LoaderProcess process({.program = program,
                         .file = program,
                         .arguments = {kSandboxQuestion},
                         .doing = "asking",
                         .parser = "it"},
                        {});
  std::string reason;
  std::array<std::byte, 256> bytes{};
  for (std::size_t got = process.read(bytes); got > 0; got = process.read(bytes)) {
    reason.append(reinterpret_cast<const char*>(bytes.data()), got);
  }
  return reason;
}

bool sandbox_is_demanded() {
  const char* const value = std::getenv(kRequireSandbox);
  return value != nullptr && *value != '\0';
}

void tell_of_sandbox_defect(std::function<void(const std::string& reason)> tell) {
  teller = std::move(tell);
}

std::filesystem::path loader_program() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!program.is_absolute()) {  // never a program of the current folder
    throw StorageError(
        fmt::format("looking for mog-loader beside this program: /proc/self/exe: {}", error.message()));
  }
  const std::filesystem::path folder = program.parent_path();
  const std::filesystem::path installed = folder.parent_path() / "lib" / "mog-workbench" / "mog-loader";
  return !std::filesystem::exists(folder / "mog-loader", error) && std::filesystem::exists(installed, error)
             ? installed
             : folder / "mog-loader";
}

LoaderProcess::LoaderProcess(LoaderTask task, std::stop_token stop)
    : task_(std::move(task)), stop_(std::move(stop)) {
  if (task_.arguments != std::vector<std::string>{kSandboxQuestion} && task_.program == loader_program()) {
    tell_once(task_.program);
  }
  std::array<int, 2> ends{};
  int error = ::pipe2(ends.data(), O_CLOEXEC) == 0 ? 0 : errno;
  if (error == 0) {
    pipe_ = ends[0];
    ::fcntl(pipe_, F_SETPIPE_SZ, kPipeBytes);  // fewer turns; where it is not allowed, more
    error = spawn(process_, task_, ends[1]);
    ::close(ends[1]);
  }
  if (error != 0) {
    process_ = 0;
    end(false);
    if (error == ENOENT || error == EACCES) {
      throw StorageError(
          fmt::format("{}: the program mog-loader, which parses such files, cannot be started: {}: "
                      "{}; it belongs beside mog: install or build both",
                      attempt(), task_.program.string(), std::strerror(error)));
    }
    throw StorageError(
        fmt::format("{}: starting {}: {}", attempt(), task_.program.string(), std::strerror(error)));
  }
}

LoaderProcess::~LoaderProcess() {
  end(true);
}

std::string LoaderProcess::attempt() const {
  return fmt::format("{} {}", task_.doing, task_.file.string());
}

void LoaderProcess::finish() {
  std::string answer;
  std::array<std::byte, 4096> bytes{};
  for (std::size_t got = read(bytes); got > 0; got = read(bytes)) {
    const std::string_view part(reinterpret_cast<const char*>(bytes.data()), got);
    const std::size_t first = answer.empty() ? std::min(part.find_first_not_of('.'), part.size()) : 0;
    answer += part.substr(first, kLongestAnswer - answer.size());
  }
  if (!WIFEXITED(status_) || WEXITSTATUS(status_) != 0) {
    refuse(answer);
  }
}

void LoaderProcess::refuse(const std::string& answer) const {
  const std::string message =
      answer.empty() ? fmt::format("{}: the loader refuses it without a word", task_.file.string())
                     : replace_invalid_utf8(std::string_view(answer).substr(1));
  switch (answer.empty() ? 'F' : answer[0]) {
    case 'U':
      throw UsageError(message);
    case 'M':
      throw ModelError(message);
    case 'S':
      throw StorageError(message);
    default:
      throw FormatError(message);
  }
}

void LoaderProcess::end(bool kill) noexcept {
  if (pipe_ >= 0) {
    ::close(std::exchange(pipe_, -1));
  }
  if (process_ <= 0) {
    return;
  }
  if (kill) {
    ::kill(process_, SIGKILL);
  }
  const auto until = Clock::now() + kFarewell;
  for (pid_t done = 0; done != process_;) {
    done = ::waitpid(process_, &status_, WNOHANG);
    if (done < 0 && errno != EINTR) {
      break;
    }
    if (done == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (Clock::now() > until) {
        ::kill(process_, SIGKILL);
      }
    }
  }
  process_ = 0;
}

void LoaderProcess::judge() const {
  if (WIFEXITED(status_) && (WEXITSTATUS(status_) == 0 || WEXITSTATUS(status_) == kRefused)) {
    return;
  }
  if (WIFEXITED(status_) && WEXITSTATUS(status_) == kNotStarted) {
    throw StorageError(
        fmt::format("{}: mog-loader, which parses such files, does not start: a library that it "
                    "needs is not there",
                    attempt()));
  }
  if (WIFEXITED(status_) && WEXITSTATUS(status_) == kUnrestricted) {
    throw StorageError(
        fmt::format("{}: refused: the kernel does not let mog-loader restrict its system calls, and "
                    "--require-sandbox or {} demands it; `mog doctor` says why",
                    attempt(), kRequireSandbox));
  }
  if (WIFEXITED(status_) && WEXITSTATUS(status_) == kBlocked) {
    throw StorageError(
        fmt::format("{}: nothing came from its disk for a long time; try again when it answers", attempt()));
  }
  const int number = WIFSIGNALED(status_) ? WTERMSIG(status_) : 0;
  std::string what = fmt::format("breaks down (exit code {})", WIFEXITED(status_) ? WEXITSTATUS(status_) : 0);
  if (number == SIGXCPU || number == SIGKILL) {
    what = "needs more processor time or memory than a file of this size may";
  } else if (number == SIGSYS) {
    what = "attempts what reading a file does not need";
  } else if (number != 0) {
    what = fmt::format("breaks down ({})", ::strsignal(number));
  }
  throw FormatError(
      fmt::format("{}: {} {}: the file is damaged or made to do harm", attempt(), task_.parser, what));
}

std::size_t LoaderProcess::read(std::span<std::byte> into) {
  if (pipe_ < 0) {
    return 0;
  }
  const auto until = Clock::now() + kSilence;
  while (true) {
    pollfd wait{pipe_, POLLIN, 0};
    const int ready = ::poll(&wait, 1, kPollMs);
    if (stop_.stop_requested()) {
      throw Interrupted(fmt::format("{}: interrupted", attempt()));
    }
    if (ready > 0) {
      const ssize_t got = ::read(pipe_, into.data(), into.size());
      if (got > 0) {
        return static_cast<std::size_t>(got);
      }
      if (got == 0) {
        end(false);
        judge();
        return 0;
      }
      if (errno != EINTR && errno != EAGAIN) {
        throw StorageError(
            fmt::format("{}: reading the loader's answer: {}", attempt(), std::strerror(errno)));
      }
    }
    if (Clock::now() > until) {
      end(true);
      throw FormatError(
          fmt::format("{}: the loader gave no sign of life for {} s: the file is "
                      "damaged, or its disk does not answer",
                      attempt(), kSilence.count()));
    }
  }
}

}  // namespace mog::io
