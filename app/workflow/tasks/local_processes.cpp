// The port is one that this process already listens at, so that nobody else can take it before the others
// come. The program is that of /proc/self/exe: this one, wherever it lies.
#include "app/workflow/tasks/local_processes.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

#include "io/recording/errors.h"

namespace mog::app {
namespace {

constexpr std::chrono::seconds kPatience{20};

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  result.reserve(words.size() + 1);
  for (std::string& word : words) {
    result.push_back(word.data());
  }
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> with_auto(std::vector<std::string> words, const std::string& option) {
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (words[at] == option && at + 1 < words.size()) {
      words[at + 1] = "auto";
    } else if (words[at].starts_with(option + "=")) {
      words[at] = option + "=auto";
    }
  }
  return words;
}

bool has_ended(int child) {
  const pid_t result = ::waitpid(child, nullptr, WNOHANG);
  return result == child || (result < 0 && errno != EINTR);
}

}  // namespace

LocalProcesses::LocalProcesses(const std::vector<std::string>& words, const std::string& option, int count) {
  listen();
  place_.options.count = count;
  place_.local_rank = 0;
  try {
    for (int rank = 1; rank < count; ++rank) {
      start(with_auto(words, option), rank);
    }
  } catch (...) {
    kill_all();
    throw;
  }
}

LocalProcesses::~LocalProcesses() {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (std::erase_if(children_, has_ended),
         !children_.empty() && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  kill_all();
}

std::string LocalProcesses::ended_by_signal() const {
  for (std::size_t at = 0; at < children_.size(); ++at) {
    int status = 0;
    if (::waitpid(children_[at], &status, WNOHANG) == children_[at] && WIFSIGNALED(status)) {
      return fmt::format("Process {} was ended by signal {} ({}).", at + 2, WTERMSIG(status),
                         ::strsignal(WTERMSIG(status)));
    }
  }
  return {};
}

std::string LocalProcesses::ended() const {
  for (std::size_t at = 0; at < children_.size(); ++at) {
    siginfo_t info = {};
    const auto child = static_cast<id_t>(children_[at]);
    if (::waitid(P_PID, child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == children_[at]) {
      return info.si_code == CLD_EXITED
                 ? fmt::format("Process {} ended with exit code {}.", at + 2, info.si_status)
                 : fmt::format("Process {} was ended by signal {} ({}).", at + 2, info.si_status,
                               ::strsignal(info.si_status));
    }
  }
  return {};
}

void LocalProcesses::kill_all() noexcept {
  for (const int child : children_) {
    ::kill(child, SIGKILL);
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

void LocalProcesses::listen() {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const place = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0 || ::bind(listener, place, size) != 0 || ::listen(listener, SOMAXCONN) != 0 ||
      ::getsockname(listener, place, &size) != 0) {
    throw StorageError(
        fmt::format("opening a port of this machine for its processes: {}", std::strerror(errno)));
  }
  place_.options.address = "127.0.0.1";
  place_.options.port = ntohs(address.sin_port);
  place_.options.listener = listener;
}

void LocalProcesses::start(const std::vector<std::string>& words, int rank) {
  ProcessPlace place = place_;
  place.options.rank = rank;
  place.local_rank = rank;
  std::vector<std::string> variables;
  for (const auto& [name, value] : environment_at(place, process_environment())) {
    variables.push_back(fmt::format("{}={}", name, value));
  }
  std::vector<std::string> arguments = words;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  // Signals that wait for a thread of this process are none of the child's.
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  const int error = ::posix_spawn(&child, program.c_str(), &actions, &attributes, pointers(arguments).data(),
                                  pointers(variables).data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    throw StorageError(
        fmt::format("starting process {} of {}: {}", rank + 1, place.options.count, std::strerror(error)));
  }
  children_.push_back(child);
}

}  // namespace mog::app
