// HDF5 is locked from outside, because it need not have been built for threads: one recursive lock stands
// for the library. It is a plain mutex with an owner and a depth: only a thread that finds its own number
// there may count up without locking, and no other thread can write that number, which is why relaxed loads
// are enough.
//
// HDF5 keeps a stack of messages and no error codes. What is told is the innermost two, which name the
// cause; the system's number, on which "no space left" depends, is read from the text "errno = ". Where HDF5
// asks what a file is (stat), it does not say the number; then errno itself has it, which is cleared when the
// lock is taken.
//
// The stack is that of the last call, and the one that fails last need not be the one that met the disk: what
// cannot be read is asked for again in another way, and fails without a number. So HDF5 calls back after
// every call that fails, and the first number that says that a disk or a server is gone, or full, is kept for
// as long as the lock is held.
//
// Trap: printing errors is replaced by that each time the lock is taken, because the setting belongs to a
// thread's stack where the library was built with threads. Plugins are switched off once: a file could name
// one.
#include "io/hdf5/file/hdf5_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "io/hdf5/file/durable_file.h"
#include "io/hdf5/file/hdf5_handle.h"
#include "io/recording/errors.h"

namespace mog::io::h5 {
namespace {

std::mutex library_mutex;
std::atomic<std::thread::id> library_owner;
int library_depth = 0;  // of the owner
int lost_number = 0;    // of a system call that failed since the lock was taken; 0: none

herr_t collect(unsigned, const H5E_error2_t* entry, void* into) {
  static_cast<std::vector<std::string>*>(into)->emplace_back(entry->desc != nullptr ? entry->desc : "");
  return 0;
}

// What a disk or a server of files says when it is gone. Other errors come of damaged files, too, such as a
// place before the beginning (EINVAL).
bool is_lost(int error_number) {
  return error_number == EIO || error_number == ESTALE || error_number == ETIMEDOUT ||
         error_number == ENOTCONN || error_number == EREMOTEIO;
}

bool is_full(int error_number) {
  return error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG;
}

// The number of a failed system call that the text names; 0: none.
int number_in(const char* text) noexcept {
  constexpr const char* kErrno = "errno = ";
  const char* const at = text == nullptr ? nullptr : std::strstr(text, kErrno);
  return at == nullptr ? 0 : std::atoi(at + std::strlen(kErrno));
}

// Called by HDF5 after a call that failed, with the lock held: must not throw.
herr_t remember(hid_t stack, void* /*nothing*/) {
  const int left = errno;
  if (lost_number == 0) {
    H5Ewalk2(
        stack, H5E_WALK_UPWARD,
        [](unsigned, const H5E_error2_t* entry, void*) -> herr_t {
          const int number = number_in(entry->desc);
          if (lost_number == 0 && (is_lost(number) || is_full(number))) {
            lost_number = number;
          }
          return 0;
        },
        nullptr);
    if (lost_number == 0 && (is_lost(left) || is_full(left))) {
      lost_number = left;
    }
  }
  return 0;
}

}  // namespace

Lock::Lock() {
  if (library_owner.load(std::memory_order_relaxed) == std::this_thread::get_id()) {
    ++library_depth;
    return;
  }
  library_mutex.lock();
  library_owner.store(std::this_thread::get_id(), std::memory_order_relaxed);
  library_depth = 1;
  // Files are closed by their owners; what a WriteScope left open must not be touched at the end of the
  // program.
  static const bool no_atexit = H5dont_atexit() >= 0;
  static_cast<void>(no_atexit);
  // The setting belongs to the thread's error stack where HDF5 has thread support: so every time.
  H5Eset_auto2(H5E_DEFAULT, remember, nullptr);
  lost_number = 0;
  errno = 0;
  static const bool no_plugins = H5PLset_loading_state(0) >= 0;
  static_cast<void>(no_plugins);
}

Lock::~Lock() {
  if (--library_depth == 0) {
    library_owner.store(std::thread::id(), std::memory_order_relaxed);
    library_mutex.unlock();
  }
}

Failure take_failure() {
  std::vector<std::string> messages;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, collect, &messages);  // innermost first
  H5Eclear2(H5E_DEFAULT);
  Failure failure;
  for (const std::string& message : messages) {
    failure.error_number = failure.error_number == 0 ? number_in(message.c_str()) : failure.error_number;
  }
  if (!is_lost(failure.error_number) && !is_full(failure.error_number) && lost_number != 0) {
    failure.error_number = lost_number;
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(messages.size(), 2); ++i) {
    failure.text += (i == 0 ? "" : "; ") + messages[i];
  }
  return failure;
}

void throw_format(const std::filesystem::path& file, std::string_view object, std::string_view what) {
  // What looks wrong while the disk fails says nothing of the file.
  if (library_owner.load(std::memory_order_relaxed) == std::this_thread::get_id() && is_lost(lost_number)) {
    throw_storage_error("reading", file, lost_number);
  }
  if (object.empty()) {
    throw FormatError(fmt::format("reading {}: {}", file.string(), what));
  }
  throw FormatError(fmt::format("reading {}: {}: {}", file.string(), object, what));
}

void throw_read_failure(const std::filesystem::path& file, std::string_view object, std::string_view what) {
  const Failure failure = take_failure();
  if (is_lost(failure.error_number)) {
    throw_storage_error("reading", file, failure.error_number);
  }
  throw_format(file, object,
               failure.text.empty() ? std::string(what) : fmt::format("{} (HDF5: {})", what, failure.text));
}

void throw_write_failure(const std::filesystem::path& file, std::string_view object) {
  const Failure failure = take_failure();
  WriteScope::failed() = true;
  if (failure.error_number != 0) {
    throw_storage_error("writing", file, failure.error_number);
  }
  throw StorageError(fmt::format("writing {}: {}: {}", file.string(), object.empty() ? "the file" : object,
                                 failure.text.empty() ? "HDF5 gave no reason" : failure.text));
}

}  // namespace mog::io::h5
