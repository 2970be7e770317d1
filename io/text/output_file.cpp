// Write beside the place, flush, rename, flush the folder: a reader sees the old file or the new one, after
// a crash, too. The unfinished name holds the process, a random number of the machine and a counter, so that
// two programs never share one, also in a folder that two machines share; it is made with O_EXCL. Bytes are
// gathered to 1 MiB.
//
// Devices and pipes cannot be renamed over: where a person named one (Links::follow) it is written as it is,
// and what was written stays written. A link is resolved first, and what it leads to is replaced, not the
// link.
//
// Trap: without commit() the destructor removes the file, also on the way of an exception. Whoever forgets
// it writes nothing.
#include "io/text/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <random>
#include <utility>

#include "io/recording/errors.h"

namespace mog::io {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 20U;
constexpr const char* kUnfinished = ".part-";

[[noreturn]] void fail(const char* action, const std::filesystem::path& path, int error) {
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  throw StorageError(fmt::format("{} {}: {}{}", action, path.string(), std::strerror(error),
                                 full ? "; free some space and try again" : ""),
                     full ? StorageError::Cause::no_space : StorageError::Cause::other);
}

}  // namespace

std::filesystem::path unfinished_name(const std::filesystem::path& path) {
  static std::atomic<unsigned> counter = 0;
  static const unsigned machine = std::random_device{}();
  auto name = path;
  name += fmt::format("{}{}-{:08x}-{}", kUnfinished, ::getpid(), machine, counter.fetch_add(1));
  return name;
}

OutputFile::OutputFile(std::filesystem::path path, Links links) : path_(std::move(path)) {
  std::error_code error;
  if (links == Links::follow) {  // the link stays, what it leads to is replaced
    const auto target = std::filesystem::canonical(path_, error);
    path_ = error ? path_ : target;
  }
  const auto status = std::filesystem::status(path_, error);
  if (links == Links::follow &&
      (std::filesystem::is_character_file(status) || std::filesystem::is_fifo(status))) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    temporary_ = unfinished_name(path_);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }
  if (descriptor_ < 0) {
    fail("creating", path_, errno);
  }
  if (!temporary_.empty()) {
    ::flock(descriptor_, LOCK_SH | LOCK_NB);  // what remove_unfinished() looks at
  }
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
  if (!committed_ && !temporary_.empty()) {
    ::unlink(temporary_.c_str());
  }
}

void OutputFile::write(std::string_view text) {
  buffer_.append(text);
  if (buffer_.size() >= kBuffer) {
    flush();
  }
}

void OutputFile::write(std::span<const std::byte> bytes) {
  write(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

void OutputFile::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t put = ::write(descriptor_, rest.data(), rest.size());
    if (put < 0) {
      if (errno == EINTR) {
        continue;
      }
      fail("writing", path_, errno);
    }
    rest.remove_prefix(static_cast<std::size_t>(put));
  }
  buffer_.clear();
}

void OutputFile::commit() {
  flush();
  if (!temporary_.empty() && ::fsync(descriptor_) != 0) {
    fail("writing", path_, errno);
  }
  if (::close(std::exchange(descriptor_, -1)) != 0) {
    fail("writing", path_, errno);
  }
  committed_ = temporary_.empty();
  if (committed_) {
    return;
  }
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
    fail("renaming the finished file to", path_, errno);
  }
  committed_ = true;
  // The name is only safe once the folder is; file systems that cannot sync a folder are let be.
  const auto folder = path_.has_parent_path() ? path_.parent_path() : std::filesystem::path(".");
  const int directory = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory >= 0) {
    ::fsync(directory);
    ::close(directory);
  }
}

void remove_unfinished(const std::filesystem::path& path) noexcept {
  try {
    const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    const std::string begins = path.filename().string() + kUnfinished;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (!entry.path().filename().string().starts_with(begins)) {
        continue;
      }
      const int file = ::open(entry.path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
      if (file >= 0) {
        if (::flock(file, LOCK_EX | LOCK_NB) == 0) {
          ::unlink(entry.path().c_str());
        }
        ::close(file);
      }
    }
  } catch (const std::exception&) {
    return;  // a folder that cannot be read keeps what is in it
  }
}

void write_file(const std::filesystem::path& path, std::string_view bytes, Links links) {
  OutputFile file(path, links);
  file.write(bytes);
  file.commit();
}

}  // namespace mog::io
