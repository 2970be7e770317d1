#include "io/hdf5/durable_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "io/hdf5/recording_writer.h"
#include "io/recording/errors.h"

namespace mog::io {
namespace {

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

}  // namespace

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

void FileDescriptor::sync() {
  if (::fsync(fd_) != 0) {
    throw_storage_error("flushing", path_, errno);
  }
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

void remove_part(const std::filesystem::path& part) noexcept {
  if (::truncate(part.c_str(), 0) == 0) {
    ::unlink(part.c_str());
  }
}

void publish(const std::filesystem::path& part, const std::filesystem::path& final_path) {
  {
    FileDescriptor file(part, O_RDWR | O_NOFOLLOW);
    file.sync();
    file.close();
  }
  if (::rename(part.c_str(), final_path.c_str()) != 0) {
    throw_storage_error("renaming to", final_path, errno);
  }
  sync_directory(final_path.has_parent_path() ? final_path.parent_path() : std::filesystem::path("."));
}

void reserve(const std::filesystem::path& path, std::uint64_t bytes) {
  const FileDescriptor file(path, O_WRONLY | O_CREAT | O_TRUNC);
  const int error_number = bytes == 0 ? 0 : ::posix_fallocate(file.get(), 0, static_cast<off_t>(bytes));
  // Where a file system cannot reserve, writing itself will tell.
  if (error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG) {
    throw_storage_error("writing", path, error_number, bytes);
  }
}

}  // namespace mog::io
