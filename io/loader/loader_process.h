// mog-loader as a child process: started beside this program, read through a pipe, ended with the object.
// Files of other programs are parsed there (app/loader).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace mog::io {

// mog-loader beside this program, else in ../lib/mog-workbench, where it is installed. Throws StorageError
// where the system does not tell it.
std::filesystem::path loader_program();

// Why the system calls of mog-loader cannot be restricted here; empty where they are. Asked of `program`,
// which tries it without a file. Throws StorageError when it cannot be started.
std::string sandbox_defect(const std::filesystem::path& program);

// Called once, from whichever thread comes first, when the mog-loader beside this program parses a file
// without a restriction; gets the reason. Set before the first file is opened. Not called in builds with
// sanitizers, which never restrict it.
void tell_of_sandbox_defect(std::function<void(const std::string& reason)> tell);

// When this variable is set and not empty, a mog-loader that cannot be restricted reads nothing and ends with
// this code; the file is refused with a StorageError.
constexpr const char* kRequireSandbox = "MOG_REQUIRE_SANDBOX";
bool sandbox_is_demanded();
constexpr int kUnrestricted = 4;
// It ends so when nothing came from the file's disk for too long: a StorageError.
constexpr int kBlocked = 5;
// The only argument with which mog-loader says its sandbox_defect and ends.
constexpr const char* kSandboxQuestion = "sandbox";

struct LoaderTask {
  std::filesystem::path program;
  std::filesystem::path file;  // for messages
  std::vector<std::string> arguments = {};
  std::string doing = "importing";  // begins the messages: "importing FILE: …"
  std::string parser = "HDF5";      // "HDF5 breaks down …"
  int input = -1;                   // its standard input; -1: nothing
  int memory = -1;                  // its descriptor kLoaderMemory; -1: none
};

constexpr int kLoaderMemory = 3;

class LoaderProcess {
 public:
  // Throws StorageError when the program is not there or cannot be started. Descriptors stay the caller's.
  LoaderProcess(LoaderTask task, std::stop_token stop);
  ~LoaderProcess();  // kills it, if it still runs
  LoaderProcess(const LoaderProcess&) = delete;
  LoaderProcess& operator=(const LoaderProcess&) = delete;

  // At least one byte of its answer; 0 after its last, when it has ended. Throws FormatError when it was
  // brought down by the file (a crash, no end, no sign of life for a minute), Interrupted when a stop is
  // asked for.
  std::size_t read(std::span<std::byte> into);
  // Reads all of its answer. Where it refuses the file, throws its words (at most 64 KiB): UsageError,
  // FormatError, ModelError or StorageError, as the answer's first letter says (U, F, M, S). Dots before it
  // are signs of life.
  void finish();

 private:
  void end(bool kill) noexcept;
  void judge() const;
  [[noreturn]] void refuse(const std::string& answer) const;
  std::string attempt() const;  // "importing FILE"

  LoaderTask task_;
  std::stop_token stop_;
  int pipe_ = -1;
  pid_t process_ = 0;
  int status_ = 0;
};

}  // namespace mog::io
