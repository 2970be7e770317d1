// LD_PRELOAD library that lets one system call fail, wait, or be the last. It counts the calls that change a
// file below MOG_FAULT_PATH, in the process that it was loaded into (not in its children):
//   MOG_FAULT_CALLS  names separated by commas ("fsync,ftruncate"); all that are known if it is not set
//   MOG_FAULT_AT     which of these calls, from 1; not set: none, they are only counted
//   MOG_FAULT_TIMES  how many in a row (1); 0: all that follow
//   MOG_FAULT_DO     kill | short (half is written) | wait (200 ms) | the number of an error
//   MOG_FAULT_READS  1: calls that read or look count, too ("look": open to read, read, pread, stat, access,
//                    opendir), as on a file system that is lost
//   MOG_FAULT_HANG   milliseconds that the first call waits before it fails
//   MOG_FAULT_LOG    a file that gets a line for each call
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace {

enum class Fault : unsigned char { none, fails, short_write };

struct Settings {
  std::string path = from("MOG_FAULT_PATH");
  std::string calls = from("MOG_FAULT_CALLS");
  std::string action = from("MOG_FAULT_DO");
  long at = std::atol(from("MOG_FAULT_AT").c_str());
  long times = from("MOG_FAULT_TIMES").empty() ? 1 : std::atol(from("MOG_FAULT_TIMES").c_str());
  long hang = std::atol(from("MOG_FAULT_HANG").c_str());
  bool reads = !from("MOG_FAULT_READS").empty();
  int log = -1;
  pid_t process = ::getpid();

  static std::string from(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
  }
};

const Settings& settings() {
  static const Settings kSettings;
  return kSettings;
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

std::string name_of(int descriptor) {
  char link[64];
  char name[PATH_MAX];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t size = ::readlink(link, name, sizeof name);
  return size < 0 ? std::string() : std::string(name, static_cast<std::size_t>(size));
}

bool among(std::string_view list, std::string_view name) {
  return list.empty() ||
         ("," + std::string(list) + ",").find("," + std::string(name) + ",") != std::string::npos;
}

void log_call(const char* name, const std::string& path) {
  if (const char* const log = std::getenv("MOG_FAULT_LOG")) {
    const auto open_next = next<int (*)(const char*, int, ...)>("open");
    const int file = open_next(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const std::string line = std::string(name) + " " + path + "\n";
    if (file >= 0) {
      const auto write_next = next<ssize_t (*)(int, const void*, std::size_t)>("write");
      if (write_next(file, line.data(), line.size()) < 0) {
        ::_exit(97);
      }
      ::close(file);
    }
  }
}

// Counts one call and says what is to become of it; errno is set where it fails.
Fault meet(const char* name, const std::string& path) {
  static std::atomic<long> counted = 0;
  const Settings& wanted = settings();
  if (wanted.path.empty() || ::getpid() != wanted.process || !among(wanted.calls, name) ||
      path.compare(0, wanted.path.size(), wanted.path) != 0) {
    return Fault::none;
  }
  log_call(name, path);
  const long number = ++counted;
  if (wanted.at == 0 || number < wanted.at || (wanted.times != 0 && number >= wanted.at + wanted.times)) {
    return Fault::none;
  }
  if (wanted.action == "kill") {
    ::kill(::getpid(), SIGKILL);
  }
  if (wanted.action == "wait") {
    ::usleep(200'000);
    return Fault::none;
  }
  if (wanted.action == "short") {
    return Fault::short_write;
  }
  if (number == wanted.at) {
    ::usleep(static_cast<useconds_t>(wanted.hang * 1000));
  }
  errno = std::atoi(wanted.action.c_str());
  return Fault::fails;
}

// A call that changes nothing.
bool is_lost(const char* name, const std::string& path) {
  return settings().reads && meet(name, path) == Fault::fails;
}

std::string absolute(const char* path) {
  if (path[0] == '/') {
    return path;
  }
  char folder[PATH_MAX];
  return ::getcwd(folder, sizeof folder) == nullptr ? std::string() : std::string(folder) + "/" + path;
}

template <class Offset>
ssize_t positioned(const char* symbol, int file, const void* data, std::size_t size, Offset at) {
  const Fault fault = meet("pwrite", name_of(file));
  if (fault == Fault::fails) {
    return -1;
  }
  return next<ssize_t (*)(int, const void*, std::size_t, Offset)>(symbol)(
      file, data, fault == Fault::short_write ? (size + 1) / 2 : size, at);
}

int opened(const char* symbol, const char* path, int flags, unsigned mode) {
  const bool changes = (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) != 0;
  if (changes ? meet("open", absolute(path)) == Fault::fails : is_lost("look", absolute(path))) {
    return -1;
  }
  return next<int (*)(const char*, int, ...)>(symbol)(path, flags, mode);
}

template <class Function, class... Arguments>
int changed(const char* symbol, const char* name, const std::string& path, Arguments... arguments) {
  return meet(name, path) == Fault::fails ? -1 : next<Function>(symbol)(arguments...);
}

// `where`: the path or the descriptor of a call that only looks.
template <class Function, class Where, class... Arguments>
auto looked(const char* symbol, const Where& where, Arguments... arguments)
    -> decltype(next<Function>(symbol)(where, arguments...)) {
  using Result = decltype(next<Function>(symbol)(where, arguments...));
  const auto path = [&] {
    if constexpr (std::is_same_v<Where, int>) {
      return name_of(where);
    } else {
      return absolute(where);
    }
  };
  if (settings().reads && is_lost("look", path())) {
    if constexpr (std::is_pointer_v<Result>) {
      return nullptr;
    } else {
      return -1;
    }
  }
  return next<Function>(symbol)(where, arguments...);
}

}  // namespace

extern "C" {

ssize_t read(int file, void* data, size_t size) {
  return looked<ssize_t (*)(int, void*, size_t)>("read", file, data, size);
}

ssize_t pread(int file, void* data, size_t size, off_t at) {
  return looked<ssize_t (*)(int, void*, size_t, off_t)>("pread", file, data, size, at);
}

ssize_t pread64(int file, void* data, size_t size, off64_t at) {
  return looked<ssize_t (*)(int, void*, size_t, off64_t)>("pread64", file, data, size, at);
}

int stat(const char* path, struct stat* status) noexcept {
  return looked<int (*)(const char*, struct stat*)>("stat", path, status);
}

int lstat(const char* path, struct stat* status) noexcept {
  return looked<int (*)(const char*, struct stat*)>("lstat", path, status);
}

int fstat(int file, struct stat* status) noexcept {
  return looked<int (*)(int, struct stat*)>("fstat", file, status);
}

int access(const char* path, int mode) noexcept {
  return looked<int (*)(const char*, int)>("access", path, mode);
}

DIR* opendir(const char* path) {
  return looked<DIR* (*)(const char*)>("opendir", path);
}

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const unsigned mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  return opened("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const unsigned mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  return opened("open64", path, flags, mode);
}

ssize_t write(int file, const void* data, size_t size) {
  const Fault fault = meet("write", name_of(file));
  if (fault == Fault::fails) {
    return -1;
  }
  return next<ssize_t (*)(int, const void*, size_t)>("write")(
      file, data, fault == Fault::short_write ? (size + 1) / 2 : size);
}

ssize_t pwrite(int file, const void* data, size_t size, off_t at) {
  return positioned("pwrite", file, data, size, at);
}

ssize_t pwrite64(int file, const void* data, size_t size, off64_t at) {
  return positioned("pwrite64", file, data, size, at);
}

int fsync(int file) {
  return changed<int (*)(int)>("fsync", "fsync", name_of(file), file);
}

int ftruncate(int file, off_t size) noexcept {
  return changed<int (*)(int, off_t)>("ftruncate", "ftruncate", name_of(file), file, size);
}

int ftruncate64(int file, off64_t size) noexcept {
  return changed<int (*)(int, off64_t)>("ftruncate64", "ftruncate", name_of(file), file, size);
}

int posix_fallocate(int file, off_t at, off_t size) {
  return meet("fallocate", name_of(file)) == Fault::fails
             ? errno
             : next<int (*)(int, off_t, off_t)>("posix_fallocate")(file, at, size);
}

int rename(const char* from, const char* to) noexcept {
  return changed<int (*)(const char*, const char*)>("rename", "rename", absolute(to), from, to);
}

int unlink(const char* path) noexcept {
  return changed<int (*)(const char*)>("unlink", "unlink", absolute(path), path);
}

int remove(const char* path) noexcept {
  return changed<int (*)(const char*)>("remove", "unlink", absolute(path), path);
}

int mkdir(const char* path, mode_t mode) noexcept {
  return changed<int (*)(const char*, mode_t)>("mkdir", "mkdir", absolute(path), path, mode);
}

int flock(int file, int operation) noexcept {
  return changed<int (*)(int, int)>("flock", "flock", name_of(file), file, operation);
}

}  // extern "C"
