// HDF5's core driver calls back for memory, and gets what this object keeps from file to file: fresh pages
// cost as much as the copy into them. Growth is by half, in huge pages; they are given back at the end of
// all files only. The driver's increment is 1, so that the image ends where the file does.
//
// Writing past the page cache (O_DIRECT) wants whole pages: the last one is filled with zeros and the file
// cut to its size afterwards. From 8 MB on it is worth it (decision 8). Where a file system refuses, in the
// middle too, the flag is dropped and the same loop goes on through the cache.
//
// Trap: the callbacks run inside HDF5 and may not throw; no memory is a null pointer. memset() up to the
// page is inside the memory because the capacity is whole huge pages.
#include "io/hdf5/file/file_image.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

namespace mog::io {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kHugePage = 2 << 20;
constexpr std::uint64_t kSlice = 4 << 20;        // of one write
constexpr std::uint64_t kWorthDirect = 8 << 20;  // small files are read again soon: they go through the cache

std::uint64_t whole_pages(std::uint64_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

void drop_direct(const FileDescriptor& file) {
  ::fcntl(file.get(), F_SETFL, ::fcntl(file.get(), F_GETFL) & ~O_DIRECT);
}

// Writes [at, at + bytes) of `memory` to the same place of the file; returns what the kernel took.
std::uint64_t write_slice(const FileDescriptor& file, const std::byte* memory, std::uint64_t at,
                          std::uint64_t bytes, std::uint64_t whole) {
  while (true) {
    const ssize_t written = ::pwrite(file.get(), memory + at, bytes, static_cast<off_t>(at));
    if (written > 0) {
      return static_cast<std::uint64_t>(written);
    }
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0 && errno == EINVAL && (::fcntl(file.get(), F_GETFL) & O_DIRECT) != 0) {
      drop_direct(file);  // blocks larger than a page, or a remainder after a short write
      continue;
    }
    throw_storage_error("writing", file.path(), written < 0 ? errno : ENOSPC, whole);
  }
}

}  // namespace

void FileImage::Free::operator()(std::byte* memory) const noexcept {
  std::free(memory);
}

void FileImage::reserve(std::uint64_t bytes) {
  if (bytes <= capacity_) {
    return;
  }
  const std::uint64_t wanted = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  auto* const fresh = static_cast<std::byte*>(std::aligned_alloc(kHugePage, wanted));
  if (fresh == nullptr) {
    throw std::bad_alloc();
  }
  ::madvise(fresh, wanted, MADV_HUGEPAGE);  // where there are none, pages do
  if (size_ > 0) {
    std::memcpy(fresh, memory_.get(), size_);
  }
  memory_.reset(fresh);
  capacity_ = wanted;
}

// Called by HDF5, with the lock held: must not throw.
void* FileImage::resize(void* /*memory*/, std::size_t bytes, H5FD_file_image_op_t /*why*/, void* self) {
  FileImage& image = *static_cast<FileImage*>(self);
  if (bytes > image.capacity_) {
    try {
      image.reserve(std::max<std::uint64_t>(bytes, image.capacity_ + image.capacity_ / 2));
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }
  image.size_ = bytes;
  return image.memory_.get();
}

void FileImage::use(const h5::Properties& access) {
  size_ = 0;
  H5FD_file_image_callbacks_t callbacks = {};
  callbacks.image_malloc = [](std::size_t bytes, H5FD_file_image_op_t why, void* self) {
    return resize(nullptr, bytes, why, self);
  };
  callbacks.image_memcpy = [](void* to, const void* from, std::size_t bytes, H5FD_file_image_op_t, void*) {
    return std::memcpy(to, from, bytes);
  };
  callbacks.image_realloc = resize;
  callbacks.image_free = [](void*, H5FD_file_image_op_t, void*) { return herr_t{0}; };
  callbacks.udata_copy = [](void* self) { return self; };
  callbacks.udata_free = [](void*) { return herr_t{0}; };
  callbacks.udata = this;
  constexpr std::size_t kIncrement = 1;  // so that the image ends where the file ends
  H5Pset_fapl_core(access.get(), kIncrement, false);
  H5Pset_file_image_callbacks(access.get(), &callbacks);
}

void FileImage::save(const PartFile& part) const {
  const bool direct = size_ >= kWorthDirect;
  const FileDescriptor& file = part.file();
  if (direct) {  // without effect where the file system does not know it
    ::fcntl(file.get(), F_SETFL, ::fcntl(file.get(), F_GETFL) | O_DIRECT);
  }
  const std::uint64_t end = direct ? whole_pages(size_) : size_;
  std::memset(memory_.get() + size_, 0, end - size_);
  for (std::uint64_t at = 0; at < end;) {
    at += write_slice(file, memory_.get(), at, std::min(kSlice, end - at), size_);
  }
  if (::ftruncate(file.get(), static_cast<off_t>(size_)) != 0) {
    throw_storage_error("writing", part.path(), errno, size_);
  }
  if (direct) {
    drop_direct(file);
  }
}

}  // namespace mog::io
