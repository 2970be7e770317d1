// mog-loader as a child process: started beside this program, read through a pipe, ended with the object.
// Files of other programs are parsed there (app/loader).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace mog::io {

// The folder of this program / mog-loader. Throws StorageError where the system does not tell it.
std::filesystem::path loader_program();

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
  // After the last byte: whether it refused the file.
  bool refused() const noexcept;

 private:
  void end(bool kill) noexcept;
  void judge() const;
  std::string attempt() const;  // "importing FILE"

  LoaderTask task_;
  std::stop_token stop_;
  int pipe_ = -1;
  pid_t process_ = 0;
  int status_ = 0;
};

}  // namespace mog::io
