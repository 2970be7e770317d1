#include "app/workflow/import_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include "io/recording/errors.h"

namespace mog::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPollMs = 100;
constexpr std::chrono::seconds kSilence{60};
constexpr std::chrono::seconds kFarewell{5};  // between the end of its answer and its own
constexpr int kPipeBytes = 1 << 20;
constexpr int kRefused = 3;
constexpr int kNotStarted = 127;  // of the dynamic linker: a library of the loader is not there

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kShowErrors = true;  // the sanitizer's report
#else
constexpr bool kShowErrors = false;
#endif

int spawn(pid_t& process, const std::filesystem::path& program, const std::filesystem::path& file,
          std::int64_t first, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  if (!kShowErrors) {
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  std::string name = program.string();
  std::string path = file.string();
  std::string number = std::to_string(first);
  std::array<char*, 4> arguments = {name.data(), path.data(), number.data(), nullptr};
  const int error = posix_spawn(&process, name.c_str(), &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

std::filesystem::path loader_program() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!program.is_absolute()) {  // never a program of the current folder
    throw StorageError(
        fmt::format("looking for mog-loader beside this program: /proc/self/exe: {}", error.message()));
  }
  return program.parent_path() / "mog-loader";
}

LoaderProcess::LoaderProcess(const std::filesystem::path& program, std::filesystem::path file,
                             std::int64_t first, std::stop_token stop)
    : file_(std::move(file)), stop_(std::move(stop)) {
  std::array<int, 2> ends{};
  int error = ::pipe2(ends.data(), O_CLOEXEC) == 0 ? 0 : errno;
  if (error == 0) {
    pipe_ = ends[0];
    ::fcntl(pipe_, F_SETPIPE_SZ, kPipeBytes);  // fewer turns; where it is not allowed, more
    error = spawn(process_, program, file_, first, ends[1]);
    ::close(ends[1]);
  }
  if (error != 0) {
    process_ = 0;
    end(false);
    if (error == ENOENT || error == EACCES) {
      throw StorageError(
          fmt::format("importing {}: the program mog-loader, which parses such files, cannot be started: {}: "
                      "{}; it belongs beside mog: install or build both",
                      file_.string(), program.string(), std::strerror(error)));
    }
    throw StorageError(
        fmt::format("importing {}: starting {}: {}", file_.string(), program.string(), std::strerror(error)));
  }
}

LoaderProcess::~LoaderProcess() {
  end(true);
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
        fmt::format("importing {}: mog-loader, which parses such files, does not start: a library that it "
                    "needs is not there",
                    file_.string()));
  }
  const int number = WIFSIGNALED(status_) ? WTERMSIG(status_) : 0;
  std::string what = fmt::format("breaks down (exit code {})", WIFEXITED(status_) ? WEXITSTATUS(status_) : 0);
  if (number == SIGXCPU || number == SIGKILL) {
    what = "needs more processor time than a file of this size may (its chunks may span too many sentences)";
  } else if (number == SIGSYS) {
    what = "attempts what reading a file does not need";
  } else if (number != 0) {
    what = fmt::format("breaks down ({})", ::strsignal(number));
  }
  throw FormatError(
      fmt::format("importing {}: HDF5 {}: the file is damaged or made to do harm", file_.string(), what));
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
      throw Interrupted(fmt::format("importing {}: interrupted", file_.string()));
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
        throw StorageError(fmt::format("importing {}: reading the loader's answer: {}", file_.string(),
                                       std::strerror(errno)));
      }
    }
    if (Clock::now() > until) {
      end(true);
      throw FormatError(
          fmt::format("importing {}: the loader gave no sign of life for {} s: the file is "
                      "damaged, or its disk does not answer",
                      file_.string(), kSilence.count()));
    }
  }
}

}  // namespace mog::app
