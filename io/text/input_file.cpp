#include "io/text/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "io/recording/errors.h"

namespace mog::io {
namespace {

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) {
    return "a directory";
  }
  if (S_ISFIFO(mode)) {
    return "a named pipe";
  }
  if (S_ISSOCK(mode)) {
    return "a socket";
  }
  return "a device";
}

}  // namespace

InputFile InputFile::open(const std::filesystem::path& path, const std::string& what) {
  // O_NONBLOCK: opening a pipe that nobody writes must not wait; regular files do not care.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) {
    const int error = errno;
    if (error == ENOENT || error == ENOTDIR) {
      throw UsageError(fmt::format("opening {} {}: there is no such file", what, path.string()));
    }
    if (error == ELOOP) {
      throw FormatError(
          fmt::format("opening {} {}: it is a symbolic link that leads nowhere", what, path.string()));
    }
    if (error == ENXIO) {
      throw FormatError(fmt::format("opening {} {}: expected a regular file, found a socket or device", what,
                                    path.string()));
    }
    throw StorageError(fmt::format("opening {} {}: {}", what, path.string(), std::strerror(error)));
  }
  InputFile file(descriptor, path, 0, true);
  struct stat status = {};
  if (::fstat(descriptor, &status) != 0) {
    throw StorageError(fmt::format("opening {} {}: {}", what, path.string(), std::strerror(errno)));
  }
  if (!S_ISREG(status.st_mode)) {
    throw FormatError(fmt::format("opening {} {}: expected a regular file, found {}", what, path.string(),
                                  kind_of(status.st_mode)));
  }
  file.size_bytes_ = static_cast<std::uint64_t>(status.st_size);
  return file;
}

InputFile InputFile::of_descriptor(int descriptor, const std::filesystem::path& path) {
  struct stat status = {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    throw FormatError(fmt::format("reading {}: expected a regular file", path.string()));
  }
  return {descriptor, path, static_cast<std::uint64_t>(status.st_size), false};
}

InputFile InputFile::open_or_stdin(const std::filesystem::path& path, const std::string& what) {
  if (path != "-") {
    return open(path, what);
  }
  struct stat status = {};
  if (::fstat(STDIN_FILENO, &status) != 0) {
    throw UsageError(fmt::format("reading {} from standard input: it is closed", what));
  }
  if (S_ISDIR(status.st_mode)) {
    throw FormatError(fmt::format("reading {} from standard input: it is a directory", what));
  }
  const auto size = S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
  return {STDIN_FILENO, "standard input", size, false};
}

InputFile::InputFile(int descriptor, std::filesystem::path path, std::uint64_t size_bytes, bool owned)
    : descriptor_(descriptor), path_(std::move(path)), size_bytes_(size_bytes), owned_(owned) {}

InputFile::InputFile(InputFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      path_(std::move(other.path_)),
      size_bytes_(other.size_bytes_),
      owned_(other.owned_),
      left_(other.left_) {}

InputFile& InputFile::operator=(InputFile&& other) noexcept {
  if (this != &other) {
    close();
    descriptor_ = std::exchange(other.descriptor_, -1);
    path_ = std::move(other.path_);
    size_bytes_ = other.size_bytes_;
    owned_ = other.owned_;
    left_ = other.left_;
  }
  return *this;
}

InputFile::~InputFile() {
  close();
}

void InputFile::close() noexcept {
  if (owned_ && descriptor_ >= 0) {
    ::close(descriptor_);
  }
  descriptor_ = -1;
}

void InputFile::keep_to(std::uint64_t begin, std::uint64_t end) {
  if (::lseek(descriptor_, static_cast<off_t>(begin), SEEK_SET) < 0) {
    throw StorageError(
        fmt::format("reading {} from byte {}: {}", path_.string(), begin, std::strerror(errno)));
  }
  left_ = end - begin;
}

std::size_t InputFile::read(std::span<std::byte> into) {
  std::size_t done = 0;
  if (left_) {
    into = into.first(static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), *left_)));
  }
  while (done < into.size()) {
    const ssize_t got = ::read(descriptor_, into.data() + done, into.size() - done);
    if (got < 0) {
      if (errno == EINTR) {
        continue;
      }
      throw StorageError(fmt::format("reading {}: {}", path_.string(), std::strerror(errno)));
    }
    if (got == 0) {
      if (left_) {
        throw FormatError(
            fmt::format("reading {}: it ends {} bytes early; the file was cut", path_.string(), *left_));
      }
      break;
    }
    if (left_) {
      *left_ -= static_cast<std::uint64_t>(got);
    }
    done += static_cast<std::size_t>(got);
    if (!owned_) {
      break;  // a pipe gives what it has
    }
  }
  return done;
}

void InputFile::read_at(std::uint64_t offset, std::span<std::byte> into) const {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t got =
        ::pread(descriptor_, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
    if (got < 0) {
      if (errno == EINTR) {
        continue;
      }
      throw StorageError(fmt::format("reading {}: {}", path_.string(), std::strerror(errno)));
    }
    if (got == 0) {
      throw FormatError(fmt::format("reading {}: expected {} bytes at byte {}, found {}; the file was cut",
                                    path_.string(), into.size(), offset, done));
    }
    done += static_cast<std::size_t>(got);
  }
}

std::string read_file(const std::filesystem::path& path, const std::string& what, std::uint64_t limit_bytes) {
  InputFile file = InputFile::open(path, what);
  if (file.size_bytes() > limit_bytes) {
    throw FormatError(fmt::format("reading {} {}: {} bytes, more than the {} that such a file may have", what,
                                  path.string(), file.size_bytes(), limit_bytes));
  }
  std::string bytes(static_cast<std::size_t>(file.size_bytes()), '\0');
  const std::size_t got = file.read(std::as_writable_bytes(std::span(bytes)));
  bytes.resize(got);
  return bytes;
}

}  // namespace mog::io
