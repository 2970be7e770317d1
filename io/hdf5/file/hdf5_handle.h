// Owners of HDF5 identifiers, and the one lock of the library.
#pragma once

#include <hdf5.h>

#include <utility>

namespace mog::io::h5 {

// Held around every call into HDF5: builds without thread support (and the error stack of all builds) are
// not safe otherwise. Taking it also stops HDF5 from printing its errors and from loading filter plugins.
// One thread may take it again and again, even in a child that was forked while it was held (a
// std::recursive_mutex knows its owner by a number that changes in a child).
class Lock {
 public:
  Lock();
  ~Lock();
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
};

// HDF5 1.10 crashes when something of a file is closed after a write to it failed (a full disk), and again at
// the end of the program. So from a write failure on, handles of this thread are left open until the
// WriteScope ends: the identifiers and one file descriptor are lost, the program goes on. Made before the
// first handle of a file.
class WriteScope {
 public:
  WriteScope() noexcept { failed() = false; }
  ~WriteScope() { failed() = false; }
  WriteScope(const WriteScope&) = delete;
  WriteScope& operator=(const WriteScope&) = delete;
  // Of this thread.
  static bool& failed() noexcept {
    thread_local bool value = false;
    return value;
  }
};

// A move-only identifier; `close` is its H5?close.
template <herr_t (*close)(hid_t)>
class Handle {
 public:
  Handle() = default;
  explicit Handle(hid_t id) noexcept : id_(id) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0 && !WriteScope::failed()) {
      const Lock lock;
      close(id_);
    }
  }
  hid_t get() const noexcept { return id_; }
  hid_t release() noexcept { return std::exchange(id_, H5I_INVALID_HID); }
  explicit operator bool() const noexcept { return id_ >= 0; }

 private:
  hid_t id_ = H5I_INVALID_HID;
};

using File = Handle<H5Fclose>;
using Group = Handle<H5Gclose>;
using Dataset = Handle<H5Dclose>;
using Space = Handle<H5Sclose>;
using Type = Handle<H5Tclose>;
using Attribute = Handle<H5Aclose>;
using Properties = Handle<H5Pclose>;
using Object = Handle<H5Oclose>;

}  // namespace mog::io::h5
