// A file system of its own (FUSE) that shows a folder, and fails where it is told: a disk or a server of
// files that is lost, as the kernel, other processes and HDF5 see it, which a preloaded library cannot show.
//
//   lost_fs FOLDER MOUNT     in the foreground until it is unmounted; "ready" on standard output
//   MOG_FAULT_CALLS  names separated by commas: look, read, write, open, fsync, close, ftruncate, rename,
//   unlink,
//                    mkdir; all if it is not set
//   MOG_FAULT_AT     which of these calls, from 1; not set: none, they are only counted
//   MOG_FAULT_TIMES  how many in a row (1); 0: all that follow
//   MOG_FAULT_DO     the number of an error
//   MOG_FAULT_HANG   milliseconds that the first call waits before it fails
//   MOG_FAULT_CLOCK  seconds that the server's clock is ahead: times of what is written are its own
//   MOG_FAULT_LOG    a file that gets a line for each call
#define FUSE_USE_VERSION 35
#include <dirent.h>
#include <fcntl.h>
#include <fuse.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

namespace {

std::string from(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

struct Settings {
  std::string folder;
  std::string calls = from("MOG_FAULT_CALLS");
  long at = std::atol(from("MOG_FAULT_AT").c_str());
  long times = from("MOG_FAULT_TIMES").empty() ? 1 : std::atol(from("MOG_FAULT_TIMES").c_str());
  int error = std::atoi(from("MOG_FAULT_DO").c_str());
  long hang = std::atol(from("MOG_FAULT_HANG").c_str());
  long clock = std::atol(from("MOG_FAULT_CLOCK").c_str());
  std::string log = from("MOG_FAULT_LOG");
  long counted = 0;
};
Settings settings;  // one thread

// The number of the error that a call meets, negative; 0: none.
int meet(const char* name, const char* path) {
  const std::string wanted = "," + settings.calls + ",";
  if (!settings.calls.empty() && wanted.find("," + std::string(name) + ",") == std::string::npos) {
    return 0;
  }
  if (!settings.log.empty()) {
    if (std::FILE* const log = std::fopen(settings.log.c_str(), "a")) {
      std::fprintf(log, "%s %s\n", name, path);
      std::fclose(log);
    }
  }
  const long number = ++settings.counted;
  if (settings.at == 0 || number < settings.at ||
      (settings.times != 0 && number >= settings.at + settings.times)) {
    return 0;
  }
  if (number == settings.at) {
    ::usleep(static_cast<useconds_t>(settings.hang * 1000));
  }
  return -settings.error;
}

std::string real(const char* path) {
  return settings.folder + path;
}

int done(int result) {
  return result < 0 ? -errno : result;
}

// The server's clock.
void stamp(int file) {
  if (settings.clock != 0) {
    struct timespec now {};
    ::clock_gettime(CLOCK_REALTIME, &now);
    now.tv_sec += settings.clock;
    const struct timespec times[2] = {now, now};
    ::futimens(file, times);
  }
}

int file_of(const fuse_file_info* info) {
  return static_cast<int>(info->fh);
}

int look(const char* path, struct stat* facts, fuse_file_info* /*info*/) {
  const int error = meet("look", path);
  return error != 0 ? error : done(::lstat(real(path).c_str(), facts));
}

int may(const char* path, int mode) {
  const int error = meet("look", path);
  return error != 0 ? error : done(::access(real(path).c_str(), mode));
}

int list(const char* path, void* into, fuse_fill_dir_t add, off_t /*at*/, fuse_file_info* /*info*/,
         fuse_readdir_flags /*flags*/) {
  if (const int error = meet("look", path); error != 0) {
    return error;
  }
  DIR* const folder = ::opendir(real(path).c_str());
  if (folder == nullptr) {
    return -errno;
  }
  while (const dirent* const entry = ::readdir(folder)) {
    add(into, entry->d_name, nullptr, 0, static_cast<fuse_fill_dir_flags>(0));
  }
  ::closedir(folder);
  return 0;
}

int open_file(const char* path, fuse_file_info* info, mode_t mode, int flags) {
  const bool changes = (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) != 0;
  if (const int error = meet(changes ? "open" : "look", path); error != 0) {
    return error;
  }
  const int file = ::open(real(path).c_str(), flags & ~(O_APPEND | O_DIRECT), mode);
  if (file < 0) {
    return -errno;
  }
  if ((flags & (O_CREAT | O_TRUNC)) != 0) {
    stamp(file);
  }
  info->fh = static_cast<std::uint64_t>(file);
  return 0;
}

int open(const char* path, fuse_file_info* info) {
  return open_file(path, info, 0, info->flags);
}

int create(const char* path, mode_t mode, fuse_file_info* info) {
  return open_file(path, info, mode, info->flags | O_CREAT);
}

int read(const char* path, char* data, std::size_t size, off_t at, fuse_file_info* info) {
  const int error = meet("read", path);
  return error != 0 ? error : done(static_cast<int>(::pread(file_of(info), data, size, at)));
}

int write(const char* path, const char* data, std::size_t size, off_t at, fuse_file_info* info) {
  if (const int error = meet("write", path); error != 0) {
    return error;
  }
  const int written = done(static_cast<int>(::pwrite(file_of(info), data, size, at)));
  stamp(file_of(info));
  return written;
}

int flush(const char* path, fuse_file_info* /*info*/) {
  return meet("close", path);
}

int release(const char* /*path*/, fuse_file_info* info) {
  return done(::close(file_of(info)));
}

int sync(const char* path, int /*data_alone*/, fuse_file_info* info) {
  const int error = meet("fsync", path);
  return error != 0 ? error : done(::fsync(file_of(info)));
}

int sync_folder(const char* path, int /*data_alone*/, fuse_file_info* /*info*/) {
  return meet("fsync", path);
}

int truncate(const char* path, off_t size, fuse_file_info* info) {
  const int error = meet("ftruncate", path);
  if (error != 0) {
    return error;
  }
  return done(info != nullptr ? ::ftruncate(file_of(info), size) : ::truncate(real(path).c_str(), size));
}

int allocate(const char* path, int mode, off_t at, off_t size, fuse_file_info* info) {
  if (mode != 0) {
    return -EOPNOTSUPP;
  }
  const int error = meet("ftruncate", path);
  return error != 0 ? error : -::posix_fallocate(file_of(info), at, size);
}

int rename(const char* path, const char* to, unsigned flags) {
  const int error = meet("rename", to);
  return error != 0 ? error
                    : done(::renameat2(AT_FDCWD, real(path).c_str(), AT_FDCWD, real(to).c_str(), flags));
}

int remove_file(const char* path) {
  const int error = meet("unlink", path);
  return error != 0 ? error : done(::unlink(real(path).c_str()));
}

int make_folder(const char* path, mode_t mode) {
  const int error = meet("mkdir", path);
  return error != 0 ? error : done(::mkdir(real(path).c_str(), mode));
}

int remove_folder(const char* path) {
  const int error = meet("unlink", path);
  return error != 0 ? error : done(::rmdir(real(path).c_str()));
}

int statfs(const char* path, struct statvfs* facts) {
  const int error = meet("look", path);
  return error != 0 ? error : done(::statvfs(real(path).c_str(), facts));
}

int set_times(const char* path, const struct timespec times[2], fuse_file_info* /*info*/) {
  return done(::utimensat(AT_FDCWD, real(path).c_str(), times, AT_SYMLINK_NOFOLLOW));
}

int set_mode(const char* path, mode_t mode, fuse_file_info* /*info*/) {
  return done(::chmod(real(path).c_str(), mode));
}

// Nothing is kept by the kernel that the server could say anew.
void* begin(fuse_conn_info* /*connection*/, fuse_config* config) {
  config->attr_timeout = 0;
  config->entry_timeout = 0;
  config->negative_timeout = 0;
  config->use_ino = 1;
  std::puts("ready");
  std::fflush(stdout);
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: lost_fs FOLDER MOUNT\n");
    return 2;
  }
  settings.folder = argv[1];
  fuse_operations calls = {};
  calls.getattr = look;
  calls.access = may;
  calls.readdir = list;
  calls.open = open;
  calls.create = create;
  calls.read = read;
  calls.write = write;
  calls.flush = flush;
  calls.release = release;
  calls.fsync = sync;
  calls.fsyncdir = sync_folder;
  calls.truncate = truncate;
  calls.fallocate = allocate;
  calls.rename = rename;
  calls.unlink = remove_file;
  calls.mkdir = make_folder;
  calls.rmdir = remove_folder;
  calls.statfs = statfs;
  calls.utimens = set_times;
  calls.chmod = set_mode;
  calls.init = begin;
  std::string program = argv[0];
  std::string foreground = "-f";
  std::string one_thread = "-s";
  std::string mount = argv[2];
  char* arguments[] = {program.data(), foreground.data(), one_thread.data(), mount.data(), nullptr};
  return fuse_main(4, arguments, &calls, nullptr);
}
