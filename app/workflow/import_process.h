// mog-loader as a child process: started beside this program, read through a pipe, ended with the object.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stop_token>

namespace mog::app {

// The folder of this program / mog-loader. Throws StorageError where the system does not tell it.
std::filesystem::path loader_program();

class LoaderProcess {
 public:
  // Starts `program` FILE FIRST. Throws StorageError when it is not there or cannot be started.
  LoaderProcess(const std::filesystem::path& program, std::filesystem::path file, std::int64_t first,
                std::stop_token stop);
  ~LoaderProcess();  // kills it, if it still runs
  LoaderProcess(const LoaderProcess&) = delete;
  LoaderProcess& operator=(const LoaderProcess&) = delete;

  // At least one byte of its answer; 0 after its last. Throws FormatError when it was brought down by the
  // file (a crash, no end, no sign of life for a minute), Interrupted when a stop is asked for.
  std::size_t read(std::span<std::byte> into);

 private:
  void end(bool kill) noexcept;
  void judge() const;

  std::filesystem::path file_;
  std::stop_token stop_;
  int pipe_ = -1;
  pid_t process_ = 0;
  int status_ = 0;
};

}  // namespace mog::app
