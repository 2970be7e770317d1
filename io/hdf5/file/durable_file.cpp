// Write beside the place, flush, rename, flush the folder. Flushing the file before the rename keeps a crash
// from leaving a name with nothing behind it; flushing the folder after it keeps the name. In between all
// goes through the descriptor of a file that was made new (O_EXCL): no name is looked up twice, so nobody
// can put a link there meanwhile. HDF5, which opens by name, gets /proc/self/fd/N (decision 23).
//
// Space is reserved before it is needed where the file system can, because a full disk in the middle of a
// write is what HDF5 handles worst. The unfinished file is cut to nothing before it is unlinked: where HDF5
// still holds it open, its blocks are free at once.
//
// Trap: publish() asks whether the name still leads to this file. Without that, a second program's file
// would be renamed under our checksum.
#include "io/hdf5/file/durable_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "io/hdf5/file/free_space.h"
#include "io/recording/errors.h"
#include "io/text/output_file.h"
#include "io/text/sha256.h"

namespace mog::io {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;  // of a file that is read again

std::string words(int error_number) {
  return std::generic_category().message(error_number);
}

std::filesystem::path nearest_existing(std::filesystem::path path) {
  std::error_code ignored;
  path = std::filesystem::absolute(path, ignored);
  while (!std::filesystem::exists(path, ignored) && path.has_parent_path() && path != path.parent_path()) {
    path = path.parent_path();
  }
  return path;
}

std::filesystem::file_status known(const std::filesystem::file_status& status,
                                   const std::filesystem::path& path, const std::error_code& error) {
  if (error.value() == ENAMETOOLONG || error.value() == ELOOP) {
    return std::filesystem::file_status(std::filesystem::file_type::not_found);  // no file can be called so
  }
  if (!std::filesystem::status_known(status)) {
    throw_storage_error("looking at", path, error.value());
  }
  return status;
}

}  // namespace

std::filesystem::file_status look_at(const std::filesystem::path& path) {
  std::error_code error;
  return known(std::filesystem::symlink_status(path, error), path, error);
}

std::filesystem::file_status look_behind(const std::filesystem::path& path) {
  std::error_code error;
  return known(std::filesystem::status(path, error), path, error);
}

void throw_storage_error(std::string_view action, const std::filesystem::path& path, int error_number,
                         std::uint64_t needed) {
  if (error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG) {
    std::string space;
    struct statvfs facts {};
    if (statvfs(nearest_existing(path).c_str(), &facts) == 0) {
      space = fmt::format("; free: {} bytes", std::uint64_t{facts.f_bavail} * facts.f_frsize);
    }
    if (needed > 0) {
      space = fmt::format("; needed: {} bytes{}", needed, space);
    }
    throw StorageError(fmt::format("{} {}: no space left ({}){}; make room, or give an --output on another "
                                   "disk, and go on with --resume",
                                   action, path.string(), words(error_number), space),
                       StorageError::Cause::no_space);
  }
  throw StorageError(fmt::format("{} {}: {}", action, path.string(), words(error_number)));
}

std::uint64_t free_bytes(const std::filesystem::path& path) {
  struct statvfs facts {};
  if (statvfs(nearest_existing(path).c_str(), &facts) != 0) {
    throw_storage_error("asking for the free space of", path, errno);
  }
  return std::uint64_t{facts.f_bavail} * facts.f_frsize;
}

FileDescriptor::FileDescriptor(std::filesystem::path path, int flags, unsigned mode)
    : path_(std::move(path)) {
  do {
    fd_ = ::open(path_.c_str(), flags | O_CLOEXEC, mode);
  } while (fd_ < 0 && errno == EINTR);
  if (fd_ < 0) {
    throw_storage_error((flags & O_CREAT) != 0 ? "creating" : "opening", path_, errno);
  }
}

FileDescriptor::FileDescriptor(FileDescriptor&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  return *this;
}

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

void FileDescriptor::write(std::span<const std::byte> bytes) {
  const std::uint64_t needed = bytes.size();
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      throw_storage_error("writing", path_, written < 0 ? errno : ENOSPC, needed);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void FileDescriptor::write(std::string_view text) {
  write(std::as_bytes(std::span(text.data(), text.size())));
}

void FileDescriptor::sync() const {
  if (::fsync(fd_) != 0) {
    throw_storage_error("flushing", path_, errno);
  }
}

FileDescriptor FileDescriptor::duplicated(std::filesystem::path path) const {
  FileDescriptor copy;
  copy.path_ = std::move(path);
  copy.fd_ = ::fcntl(fd_, F_DUPFD_CLOEXEC, 0);
  if (copy.fd_ < 0) {
    throw_storage_error("opening", copy.path_, errno);
  }
  return copy;
}

void FileDescriptor::close() {
  if (::close(std::exchange(fd_, -1)) != 0) {
    throw_storage_error("closing", path_, errno);
  }
}

void sync_directory(const std::filesystem::path& directory) {
  FileDescriptor handle(directory, O_RDONLY | O_DIRECTORY);
  if (::fsync(handle.get()) != 0 && errno != EINVAL) {  // some network file systems cannot
    throw_storage_error("flushing", directory, errno);
  }
}

PartFile::PartFile(std::filesystem::path final_path)
    : path_(std::move(final_path)), file_(unfinished_name(path_), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW) {}

PartFile::~PartFile() {
  if (!published_ && ::ftruncate(file_.get(), 0) == 0 && still_named()) {
    ::unlink(file_.path().c_str());
  }
}

std::string PartFile::open_name() const {
  const std::string by_descriptor = fmt::format("/proc/self/fd/{}", file_.get());
  return ::access(by_descriptor.c_str(), F_OK) == 0 ? by_descriptor : file_.path().string();
}

void PartFile::reserve(std::uint64_t bytes) const {
  const int error_number = bytes == 0 ? 0 : ::posix_fallocate(file_.get(), 0, static_cast<off_t>(bytes));
  // Where a file system cannot reserve, writing itself will tell.
  if (error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG) {
    throw_storage_error("writing", path_, error_number, bytes);
  }
}

std::uint64_t PartFile::size_bytes() const {
  struct stat facts {};
  if (::fstat(file_.get(), &facts) != 0) {
    throw_storage_error("writing", path_, errno);
  }
  return static_cast<std::uint64_t>(facts.st_size);
}

std::string PartFile::sha256() const {
  Sha256 hash;
  std::vector<std::byte> block(kBlock);
  for (off_t at = 0;;) {
    const ssize_t got = ::pread(file_.get(), block.data(), block.size(), at);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      throw_storage_error("reading again", path_, errno);
    }
    if (got == 0) {
      return hash.hex();
    }
    hash.update(std::span(block).first(static_cast<std::size_t>(got)));
    at += got;
  }
}

bool PartFile::still_named() const noexcept {
  struct stat named {};
  struct stat held {};
  errno = 0;
  return ::lstat(file_.path().c_str(), &named) == 0 && ::fstat(file_.get(), &held) == 0 &&
         named.st_dev == held.st_dev && named.st_ino == held.st_ino;
}

void PartFile::publish() {
  file_.sync();
  if (!still_named()) {
    if (errno != 0 && errno != ENOENT) {
      throw_storage_error("looking at", file_.path(), errno);
    }
    throw StorageError(
        fmt::format("writing {}: another program has taken {} away or put something in its "
                    "place; let only one write there",
                    path_.string(), file_.path().filename().string()));
  }
  if (::rename(file_.path().c_str(), path_.c_str()) != 0) {
    throw_storage_error("renaming to", path_, errno);
  }
  published_ = true;
  sync_directory(path_.has_parent_path() ? path_.parent_path() : std::filesystem::path("."));
}

}  // namespace mog::io
