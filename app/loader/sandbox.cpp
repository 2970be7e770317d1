// HDF5 parses what a stranger wrote. If a file brings it to do something else, that something must not be
// able to do harm: the filter below lets it read files that are named to it before the first table is read,
// and after that read the one open file, take memory, and write to the pipe. A call that is not in the list
// fails with EPERM, so that a C library or a HDF5 of another version that tries something new gets an error
// instead of a signal; starting programs and opening sockets kill the process.
#include "app/loader/sandbox.h"

#include <fcntl.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace mog::loader {
namespace {

constexpr rlim_t kMoreMemory = rlim_t{512} << 20U;
constexpr rlim_t kFirstSeconds = 3;
constexpr rlim_t kBytesPerSecond = rlim_t{1} << 20U;  // compressed ones become many more

#if defined(MOG_COVERAGE)  // counting what tests run
constexpr bool kCounting = true;
#else
constexpr bool kCounting = false;
#endif
// Both need more than reading.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kInstrumented = true;
#else
constexpr bool kInstrumented = kCounting;
#endif

constexpr std::uint64_t kSharedMemory = 3;
constexpr std::uint64_t kInt = 0xFFFFFFFF;  // what the kernel reads of an int

using Filter = std::unique_ptr<void, decltype(&seccomp_release)>;

bool filtering = false;

void limit(int resource, rlim_t value) {
  rlimit limits{};
  if (::getrlimit(resource, &limits) == 0) {
    limits.rlim_cur = limits.rlim_max = std::min(limits.rlim_max, value);
    ::setrlimit(resource, &limits);
  }
}

// 0 where /proc is not there.
rlim_t address_space() {
  unsigned long pages = 0;
  if (std::FILE* const statm = std::fopen("/proc/self/statm", "re")) {
    if (std::fscanf(statm, "%lu", &pages) != 1) {
      pages = 0;
    }
    std::fclose(statm);
  }
  return pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

// Of standard input, where weights come from: a sparse file gives no right to memory.
rlim_t bytes_on_disk() {
  struct stat status = {};
  return ::fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode)
             ? static_cast<rlim_t>(status.st_blocks) * 512
             : 0;
}

// What reading, allocating and ending need. Opening, mapping, signals and fcntl have rules of their own.
// prctl and seccomp only so far as the second filter needs them, which takes them away.
// clang-format off
constexpr const char* kAllowed[] = {
    "read", "pread64", "readv", "write", "writev", "lseek",
    "close", "fstat", "newfstatat", "stat", "lstat", "statx",
    "access", "faccessat", "faccessat2", "readlink", "readlinkat", "getcwd",
    "munmap", "mremap", "brk", "madvise", "fadvise64", "flock",
    "futex", "sched_yield", "clock_gettime", "gettimeofday", "time", "getpid",
    "gettid", "getuid", "geteuid", "getgid", "getegid", "getrandom",
    "getrlimit", "getrusage", "sysinfo", "uname", "sched_getaffinity", "rt_sigaction",
    "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "restart_syscall", "prctl", "seccomp",
    "exit", "exit_group"};
// clang-format on
// Refused after the last opening: what takes the name of a file, also to ask whether it is there, and the
// calls that could change the filters. fstat on a descriptor stays where the C library makes it by a call of
// its own.
constexpr const char* kAfterOpening[] = {"open",       "openat", "stat",      "lstat",      "newfstatat",
                                         "statx",      "access", "faccessat", "faccessat2", "readlink",
                                         "readlinkat", "getcwd", "prctl",     "seccomp"};
constexpr const char* kDeadly[] = {"execve", "execveat",         "fork", "vfork", "socket", "connect", "bind",
                                   "ptrace", "process_vm_writev"};

bool add(void* filter, std::uint32_t action, const char* name) {
  const int number = seccomp_syscall_resolve_name(name);
  return number == __NR_SCMP_ERROR || seccomp_rule_add(filter, action, number, 0) == 0;
}

// Allows the call where the masked bits of the argument have this value.
bool add_if(void* filter, const char* name, unsigned argument, std::uint64_t mask, std::uint64_t value) {
  const int number = seccomp_syscall_resolve_name(name);
  const scmp_arg_cmp right = SCMP_CMP64(argument, SCMP_CMP_MASKED_EQ, mask, value);
  return number == __NR_SCMP_ERROR || seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, number, 1, &right) == 0;
}

}  // namespace

void cut_off(int last_descriptor) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::prctl(PR_SET_DUMPABLE, 0);
  ::close_range(static_cast<unsigned>(last_descriptor) + 1, ~0U, 0);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU, SIGXFSZ}) {
    if (!kInstrumented) {
      ::signal(number, SIG_DFL);
    }
  }
  ::signal(SIGINT, SIG_IGN);  // Ctrl+C is the parent's to answer
}

void limit_resources(std::uint64_t file_bytes, std::uint64_t written_bytes) {
  limit(RLIMIT_CORE, 0);
  if (!kCounting) {  // which writes files of its own
    limit(RLIMIT_FSIZE, written_bytes);
  }
  limit(RLIMIT_CPU, (kFirstSeconds + file_bytes / kBytesPerSecond) * (kInstrumented ? 10 : 1));
  if (const rlim_t now = address_space(); !kInstrumented && now > 0) {
    limit(RLIMIT_AS, now + kMoreMemory + std::min<rlim_t>(file_bytes, bytes_on_disk()));
  }
}

std::string restrict_system_calls() {
  if (kInstrumented) {  // they look at memory through pipes and start programs for their reports
    return kCounting ? "a build that counts what tests run" : "a build with sanitizers";
  }
  const Filter filter(seccomp_init(SCMP_ACT_ERRNO(EPERM)), &seccomp_release);
  bool right = filter != nullptr;
  for (const char* const name : kAllowed) {
    right = right && add(filter.get(), SCMP_ACT_ALLOW, name);
  }
  for (const char* const name : kDeadly) {
    right = right && add(filter.get(), SCMP_ACT_KILL_PROCESS, name);
  }
  constexpr std::uint64_t kWriting = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;
  right = right && add_if(filter.get(), "open", 1, kWriting, 0) &&
          add_if(filter.get(), "openat", 2, kWriting, 0) && add_if(filter.get(), "mmap", 2, PROT_EXEC, 0) &&
          add_if(filter.get(), "mprotect", 2, PROT_EXEC, 0);
  // abort() and raise() signal the loader itself; nobody else gets a signal, neither from here nor as the
  // owner of a descriptor.
  right = right && add_if(filter.get(), "tgkill", 0, kInt, static_cast<std::uint64_t>(::getpid()));
  for (const int command : {F_GETFD, F_SETFD, F_GETFL}) {
    right = right && add_if(filter.get(), "fcntl", 1, kInt, static_cast<std::uint64_t>(command));
  }
  // The memory that `mog` shares with the loader of weights.
  for (const char* const writing : {"pwrite64", "ftruncate"}) {
    right = right && add_if(filter.get(), writing, 0, ~std::uint64_t{0}, kSharedMemory);
  }
  if (!right) {
    return "the filter cannot be built";
  }
  if (const int error = seccomp_load(filter.get()); error != 0) {
    return std::strerror(-error);
  }
  filtering = true;
  return {};
}

bool forbid_opening() {
  if (!filtering) {
    return true;
  }
  const Filter filter(seccomp_init(SCMP_ACT_ALLOW),
                      &seccomp_release);  // beside the first, the stricter counts
  bool right = filter != nullptr;
  for (const char* const name : kAfterOpening) {
    right = right && add(filter.get(), SCMP_ACT_ERRNO(EACCES), name);
  }
  return right && seccomp_load(filter.get()) == 0;
}

}  // namespace mog::loader
