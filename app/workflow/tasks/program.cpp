// Both pipes are read by one poll, so that a program that fills one while we wait for the other does not wait
// for ever.
#include "app/workflow/tasks/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "io/recording/errors.h"

namespace mog::app {
namespace {

class Pipe {
 public:
  explicit Pipe(const std::string& program) {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) {
      throw StorageError(fmt::format("starting {}: {}", program, std::strerror(errno)));
    }
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close(0);
    close(1);
  }
  int end(std::size_t which) const { return ends_[which]; }
  void close(std::size_t which) {
    if (const int end = std::exchange(ends_[which], -1); end >= 0) {
      ::close(end);
    }
  }

 private:
  std::array<int, 2> ends_ = {-1, -1};
};

// False at the end.
bool read_some(int from, std::string& into) {
  std::array<char, 4096> block{};
  const ssize_t got = ::read(from, block.data(), block.size());
  if (got > 0) {
    into.append(block.data(), static_cast<std::size_t>(got));
  }
  return got > 0 || (got < 0 && errno == EINTR);
}

void read_both(Pipe& output, Pipe& errors, ProgramResult& result) {
  std::array<pollfd, 2> open = {pollfd{.fd = output.end(0), .events = POLLIN, .revents = 0},
                                pollfd{.fd = errors.end(0), .events = POLLIN, .revents = 0}};
  while (open[0].fd >= 0 || open[1].fd >= 0) {
    if (::poll(open.data(), open.size(), -1) < 0 && errno != EINTR) {
      return;
    }
    if (open[0].revents != 0 && !read_some(open[0].fd, result.output)) {
      open[0].fd = -1;
    }
    if (open[1].revents != 0 && !read_some(open[1].fd, result.errors)) {
      open[1].fd = -1;
    }
  }
}

pid_t start(const std::vector<std::string>& words, const Pipe& output, const Pipe& errors) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) {
    arguments.push_back(const_cast<char*>(word.c_str()));
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output.end(1), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, errors.end(1), STDERR_FILENO);
  pid_t child = 0;
  const int error =
      ::posix_spawnp(&child, words.front().c_str(), &actions, nullptr, arguments.data(), ::environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) {
    throw UsageError(fmt::format("{}: there is no such program in PATH", words.front()));
  }
  if (error != 0) {
    throw StorageError(fmt::format("starting {}: {}", words.front(), std::strerror(error)));
  }
  return child;
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& words) {
  Pipe output(words.front());
  Pipe errors(words.front());
  const pid_t child = start(words, output, errors);
  output.close(1);
  errors.close(1);
  ProgramResult result;
  read_both(output, errors, result);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace mog::app
