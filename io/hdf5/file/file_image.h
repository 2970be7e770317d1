// A file that HDF5 builds in memory and that is then written in one go, past the page cache where the system
// allows it. A recording is written once and read much later: sending it through the page cache costs a copy
// and a fresh page of memory for every 4 kB, and throws out of the cache what other programs still need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "io/hdf5/file/durable_file.h"
#include "io/hdf5/file/hdf5_handle.h"

namespace mog::io {

// Memory for one file at a time; it stays for the next one. Not copyable: HDF5 holds its address.
class FileImage {
 public:
  FileImage() = default;
  FileImage(const FileImage&) = delete;
  FileImage& operator=(const FileImage&) = delete;

  // Larger files are written by HDF5 itself: their image would take as much memory again as their values.
  static constexpr std::uint64_t kLargest = std::uint64_t{256} << 20;

  // Memory for `bytes`; the image grows by itself when a file needs more. Throws std::bad_alloc.
  void reserve(std::uint64_t bytes);
  // An access list for H5Fcreate: the file lives here, nothing goes to the disk.
  void use(const h5::Properties& access);
  // Writes the closed file into `part`, from its beginning; the blocks that it has stay reserved until the
  // end. Throws StorageError.
  void save(const PartFile& part) const;
  std::span<const std::byte> bytes() const noexcept { return {memory_.get(), size_}; }

  std::uint64_t size() const noexcept { return size_; }

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept;
  };
  static void* resize(void* memory, std::size_t bytes, H5FD_file_image_op_t why, void* self);

  std::unique_ptr<std::byte, Free> memory_;  // on a page boundary
  std::uint64_t capacity_ = 0;               // whole pages
  std::uint64_t size_ = 0;
};

}  // namespace mog::io
