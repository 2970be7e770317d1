// A loader that was taken over: a process under its filters tries what a stranger's code would want to do.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <string>
#include <vector>

#include "app/loader/sandbox.h"

namespace mog::loader {
namespace {

constexpr int kNoFilter = 200;

// How a confined process ends that makes the attempt and exits with its result: 0 or an errno.
int outcome(const std::function<long()>& attempt) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (!restrict_system_calls().empty() || !forbid_opening()) {
      ::_exit(kNoFilter);
    }
    ::_exit(attempt() >= 0 ? 0 : errno);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

bool filter_is_there() {
  const int status = outcome([] { return 0L; });
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

struct Attempt {
  std::string name;
  std::function<long()> make;
};

TEST(TakenOver, IsRefusedWhatReadingDoesNotNeed) {
  if (!filter_is_there()) {
    GTEST_SKIP() << "no system call filter here (a build with sanitizers, or the kernel refuses it)";
  }
  const pid_t parent = ::getpid();
  static struct stat facts;
  static char text[4096];
  const std::vector<Attempt> attempts = {
      {"kill", [=] { return ::kill(parent, 0); }},
      {"kill of all", [] { return ::kill(-1, 0); }},
      {"kill of itself", [] { return ::kill(::getpid(), 0); }},
      {"tkill", [=] { return ::syscall(SYS_tkill, parent, 0); }},
      {"tgkill", [=] { return ::syscall(SYS_tgkill, parent, parent, 0); }},
      {"rt_sigqueueinfo", [=] { return ::syscall(SYS_rt_sigqueueinfo, parent, 0, nullptr); }},
      {"pidfd_open", [=] { return ::syscall(SYS_pidfd_open, parent, 0); }},
      {"F_SETOWN", [=] { return ::fcntl(STDOUT_FILENO, F_SETOWN, parent); }},
      {"F_SETOWN_EX",
       [=] {
         const f_owner_ex owner{F_OWNER_PID, parent};
         return ::fcntl(STDOUT_FILENO, F_SETOWN_EX, &owner);
       }},
      {"F_SETSIG", [] { return ::fcntl(STDOUT_FILENO, F_SETSIG, SIGKILL); }},
      {"F_SETFL", [] { return ::fcntl(STDOUT_FILENO, F_SETFL, O_ASYNC); }},
      {"F_NOTIFY", [] { return ::fcntl(STDOUT_FILENO, F_NOTIFY, DN_CREATE); }},
      {"F_SETLEASE", [] { return ::fcntl(STDOUT_FILENO, F_SETLEASE, F_RDLCK); }},
      {"open", [] { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); }},
      {"open to write", [] { return ::open("/dev/null", O_WRONLY | O_CLOEXEC); }},
      {"openat2", [] { return ::syscall(SYS_openat2, AT_FDCWD, "/dev/null", nullptr, 0); }},
      {"stat", [] { return ::syscall(SYS_stat, "/etc/passwd", &facts); }},
      {"lstat", [] { return ::syscall(SYS_lstat, "/etc/passwd", &facts); }},
      {"newfstatat", [] { return ::syscall(SYS_newfstatat, AT_FDCWD, "/etc/passwd", &facts, 0); }},
      {"newfstatat with AT_EMPTY_PATH",
       [] { return ::syscall(SYS_newfstatat, AT_FDCWD, "/etc/passwd", &facts, AT_EMPTY_PATH); }},
      {"statx", [] { return ::syscall(SYS_statx, AT_FDCWD, "/etc/passwd", 0, 0, nullptr); }},
      {"access", [] { return ::syscall(SYS_access, "/etc/passwd", R_OK); }},
      {"faccessat", [] { return ::syscall(SYS_faccessat, AT_FDCWD, "/etc/passwd", R_OK); }},
      {"faccessat2", [] { return ::syscall(SYS_faccessat2, AT_FDCWD, "/etc/passwd", R_OK, 0); }},
      {"readlink", [] { return ::syscall(SYS_readlink, "/proc/self/exe", text, sizeof text); }},
      {"readlinkat", [] { return ::syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", text, sizeof text); }},
      {"getcwd", [] { return ::syscall(SYS_getcwd, text, sizeof text); }},
      {"unlink", [] { return ::unlink("/nonexistent/file"); }},
      {"rename", [] { return ::rename("/nonexistent/a", "/nonexistent/b"); }},
      {"mkdir", [] { return ::mkdir("/nonexistent/folder", 0700); }},
      {"symlink", [] { return ::symlink("/nonexistent/a", "/nonexistent/b"); }},
      {"pipe",
       [] {
         int ends[2];
         return ::pipe(ends);
       }},
      {"write at a place", [] { return ::pwrite(STDOUT_FILENO, "x", 1, 0); }},
      {"size of another file", [] { return ::ftruncate(STDOUT_FILENO, 0); }},
      {"prctl", [] { return ::prctl(PR_SET_DUMPABLE, 1); }},
      {"memory to run", [] {
         return ::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
                    ? -1L
                    : 0L;
       }}};
  for (const Attempt& attempt : attempts) {
    const int status = outcome(attempt.make);
    ASSERT_TRUE(WIFEXITED(status)) << attempt.name << ": signal " << WTERMSIG(status);
    EXPECT_TRUE(WEXITSTATUS(status) == EPERM || WEXITSTATUS(status) == EACCES)
        << attempt.name << ": " << WEXITSTATUS(status);
  }
}

TEST(TakenOver, DiesOfProgramsConnectionsAndTracing) {
  if (!filter_is_there()) {
    GTEST_SKIP() << "no system call filter here (a build with sanitizers, or the kernel refuses it)";
  }
  const std::vector<Attempt> attempts = {
      {"exec", [] { return ::execl("/bin/true", "true", nullptr); }},
      {"vfork", [] { return ::syscall(SYS_vfork); }},
      {"socket", [] { return ::socket(AF_INET, SOCK_STREAM, 0); }},
      {"ptrace", [] { return ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr); }}};
  for (const Attempt& attempt : attempts) {
    const int status = outcome(attempt.make);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS) << attempt.name << ": " << status;
  }
}

TEST(TakenOver, MayStillEndItself) {
  if (!filter_is_there()) {
    GTEST_SKIP() << "no system call filter here (a build with sanitizers, or the kernel refuses it)";
  }
  const int status = outcome([] { return ::syscall(SYS_tgkill, ::getpid(), ::gettid(), SIGABRT); });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) << status;
}

}  // namespace
}  // namespace mog::loader
